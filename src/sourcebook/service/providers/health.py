"""Checks the health of providers in use, with a timeout and a cache."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from sourcebook.core.errors import SourcebookError
from sourcebook.core.health import Checkable
from sourcebook.core.health_monitor import PROBE_TIMEOUT_S, Cached, Probe
from sourcebook.core.providers import ProviderHealth, ProviderKind

STORAGE_TTL_S = 60.0

Figure: TypeAlias = Callable[[], Awaitable[int | None]]


@dataclass(frozen=True, slots=True)
class ProviderInUse:
    """Something that a provider opened, and the figures that can be reported of it."""

    part: Checkable
    collection_count: Callable[[], Awaitable[int]] | None = None
    storage_bytes: Figure | None = None


class HealthWatch:
    """Checks one provider, and caches the result for a while."""

    def __init__(self, in_use: ProviderInUse, now_s: Callable[[], float] = time.monotonic) -> None:
        self._health = Cached(Probe(in_use.part, now_s).look, now_s=now_s)
        self._collections = Cached(lambda: _figure(in_use.collection_count), now_s=now_s)
        self._storage = Cached(lambda: _figure(in_use.storage_bytes), STORAGE_TTL_S, now_s)

    async def look(self, provider: str, kind: ProviderKind) -> ProviderHealth:
        """Report health and figures; a figure is None if it is not known."""
        health, collections, storage = await asyncio.gather(
            self._health.value(), self._collections.value(), self._storage.value()
        )
        return ProviderHealth(
            provider=provider,
            kind=kind,
            status=health.status,
            error=None if health.status == "up" else health.message,
            latency_ms=health.latency_ms,
            collection_count=collections,
            storage_bytes=storage,
        )


async def _figure(ask: Figure | None) -> int | None:
    if ask is None:
        return None
    try:
        async with asyncio.timeout(PROBE_TIMEOUT_S):
            return await ask()
    except (TimeoutError, OSError, SourcebookError):
        return None
