"""The converters that come with Sourcebook, in this process and without limits."""

from importlib.metadata import EntryPoint

from sourcebook.core.documents import ConvertedDocument
from sourcebook.providers.converters import formats
from sourcebook.providers.converters.child import load_function
from sourcebook.providers.converters.conversion import InstalledConverters
from sourcebook.providers.converters.declaration import ConverterProvider
from sourcebook.providers.registry.registry import Registry


async def in_process(function: str, content: bytes) -> ConvertedDocument:
    """Convert a file without a process for it."""
    return load_function(function)(content)


def our_converters() -> InstalledConverters:
    """Return all of ours, without looking for installed packages."""
    return InstalledConverters(Registry(_entry_points()), in_process)


def _entry_points() -> list[EntryPoint]:
    names = [name for name, found in vars(formats).items() if isinstance(found, ConverterProvider)]
    return [
        EntryPoint(name.lower(), f"{formats.__name__}:{name}", "sourcebook.converters")
        for name in names
    ]
