"""Checks the health of providers in use, with a timeout and a cache."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from sourcebook.core.errors import SourcebookError
from sourcebook.core.health import Checkable, ServiceHealth
from sourcebook.core.health_monitor import CACHE_TTL_S, PROBE_TIMEOUT_S, HealthMonitor
from sourcebook.core.providers import ProviderHealth, ProviderKind

STORAGE_FRESH_S = 60.0
PART = "part"

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
        self._monitor = HealthMonitor({PART: in_use.part}, now_s)
        self._collections = CachedFigure(in_use.collection_count, CACHE_TTL_S, now_s)
        self._storage = CachedFigure(in_use.storage_bytes, STORAGE_FRESH_S, now_s)

    async def look(self, provider: str, kind: ProviderKind) -> ProviderHealth:
        """Report health and figures; a figure is None if it is not known."""
        found, collections, storage = await asyncio.gather(
            self._monitor.report(), self._collections.value(), self._storage.value()
        )
        health: ServiceHealth = found[PART]
        return ProviderHealth(
            provider=provider,
            kind=kind,
            status=health.status,
            error=None if health.status == "up" else health.message,
            latency_ms=health.latency_ms,
            collection_count=collections,
            storage_bytes=storage,
        )


class CachedFigure:
    """A cached figure that takes a while to find; None if it is not known."""

    def __init__(
        self, ask: Figure | None, fresh_for_s: float, now_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._ask = ask
        self._fresh_for_s = fresh_for_s
        self._now_s = now_s
        self._asking = asyncio.Lock()
        self._known: int | None = None
        self._known_at_s = -fresh_for_s

    async def value(self) -> int | None:
        """Return the figure, at most as old as the cache allows."""
        if self._ask is None:
            return None
        async with self._asking:
            if self._now_s() - self._known_at_s >= self._fresh_for_s:
                self._known = await _asked(self._ask)
                self._known_at_s = self._now_s()
        return self._known


async def _asked(ask: Figure) -> int | None:
    try:
        async with asyncio.timeout(PROBE_TIMEOUT_S):
            return await ask()
    except (TimeoutError, OSError, SourcebookError):
        return None
