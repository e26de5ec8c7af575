"""The converters that come with Sourcebook, in this process and without limits."""

import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

from sourcebook.core.documents import ConvertedDocument
from sourcebook.providers.converters.child import load_function
from sourcebook.providers.converters.conversion import InstalledConverters
from sourcebook.providers.registry.registry import Registry


async def in_process(function: str, content: bytes) -> ConvertedDocument:
    """Convert a file without a process for it."""
    return load_function(function)(content)


def our_converters() -> InstalledConverters:
    """Return all of ours, without looking for installed packages."""
    return InstalledConverters(Registry(_entry_points()), in_process)


def _entry_points() -> list[EntryPoint]:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
    group = "sourcebook.converters"
    ours = project["project"]["entry-points"][group]
    return [EntryPoint(name, value, group) for name, value in ours.items()]
