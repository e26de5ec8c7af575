"""Opens the rate-limit windows that processes share in Redis, if it is configured."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import Protocol

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.health import Checkable
from sourcebook.core.ports import Ledger
from sourcebook.service.config.settings import Settings
from sourcebook.surfaces.rate_limits import SharedWindows


class CheckedWindows(SharedWindows, Checkable, Protocol):
    """Shared windows with a health check."""


@asynccontextmanager
async def open_windows(settings: Settings, ledger: Ledger) -> AsyncIterator[CheckedWindows | None]:
    """Open the windows that all processes of this installation share; None without Redis."""
    if settings.redis_url is None:
        yield None
        return
    if find_spec("redis") is None:
        raise ConfigurationError(
            "SOURCEBOOK_REDIS_URL needs a package that is not installed: pip install"
            " 'sourcebook[redis]'"
        )
    # The SDK is not needed by everybody.
    from sourcebook.providers.rate_limits.redis import open_redis_windows  # noqa: PLC0415

    url = settings.redis_url.get_secret_value()
    async with open_redis_windows(url, await ledger.installation()) as windows:
        yield windows
