"""The installed version of Sourcebook."""

from functools import cache
from importlib import metadata


@cache
def installed_version() -> str:
    """The installed version, read from the package's metadata."""
    return metadata.version("sourcebook")
