"""Opens the rate-limit windows that processes share: in Redis, or in the data folder."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import Protocol

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.health import Checkable
from sourcebook.core.ports import Ledger
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import Settings
from sourcebook.surfaces.rate_limits import SharedWindows


class CheckedWindows(SharedWindows, Checkable, Protocol):
    """Shared windows, and the name under which their health is shown."""

    @property
    def service(self) -> str: ...


@asynccontextmanager
async def open_windows(
    settings: Settings, folder: DataFolder, ledger: Ledger
) -> AsyncIterator[CheckedWindows | None]:
    """Open the windows that all processes share; None for one process without Redis."""
    if settings.redis_url is None and settings.workers == 1:
        yield None
        return
    installation = await ledger.installation()
    # What opens them is not needed by everybody.
    if settings.redis_url is None:
        from sourcebook.providers.rate_limits.sqlite import open_sqlite_windows  # noqa: PLC0415

        async with open_sqlite_windows(folder.rate_limits, installation) as windows:
            yield windows
        return
    if find_spec("redis") is None:
        raise ConfigurationError(
            "SOURCEBOOK_REDIS_URL needs a package that is not installed: pip install"
            " 'sourcebook[redis]'"
        )
    from sourcebook.providers.rate_limits.redis import open_redis_windows  # noqa: PLC0415

    url = settings.redis_url.get_secret_value()
    async with open_redis_windows(url, installation) as redis_windows:
        yield redis_windows
