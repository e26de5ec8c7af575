"""Plug-ins written to disk as pip would leave them, so that finding them can be tested for real."""

from collections.abc import Mapping
from pathlib import Path

PROVIDER = """
from contextlib import asynccontextmanager
from pydantic import BaseModel
from sourcebook.providers.declaration import Provider

class Settings(BaseModel):
    url: str = "http://localhost"

@asynccontextmanager
async def open_(settings, opening):
    yield settings.url

PROVIDER = Provider(settings=Settings, open=open_)
"""


def install(
    site: Path,
    package: str,
    entry_points: str,
    files: Mapping[str, str] | None = None,
    *,
    version: str = "1.0",
    summary: str = "A plug-in of a test.",
) -> None:
    """Put a package and its metadata into a folder of `sys.path`."""
    for name, text in (files or {}).items():
        path = site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    info = site / f"{package.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    metadata = f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\nSummary: {summary}\n"
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    (info / "entry_points.txt").write_text(entry_points, encoding="utf-8")
