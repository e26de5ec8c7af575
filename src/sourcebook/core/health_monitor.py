"""Probes the parts of the service together, and caches what they report for a few seconds."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Generic, TypeVar

from sourcebook.core.health import Checkable, ServiceHealth

log = logging.getLogger(__name__)

PROBE_TIMEOUT_S = 2.0
CACHE_TTL_S = 5.0

T = TypeVar("T")


class Cached(Generic[T]):
    """Remembers for a while what a call returned. Callers at the same time share one call."""

    def __init__(
        self,
        ask: Callable[[], Awaitable[T]],
        ttl_s: float = CACHE_TTL_S,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ask = ask
        self._ttl_s = ttl_s
        self._now_s = now_s
        self._asking = asyncio.Lock()
        self._found: tuple[T, float] | None = None

    async def value(self) -> T:
        """Return the value, at most as old as the cache allows."""
        async with self._asking:
            if self._found is None or self._now_s() - self._found[1] >= self._ttl_s:
                self._found = await self._ask(), self._now_s()
            return self._found[0]


class HealthMonitor:
    """Remembers what the probes found for a few seconds."""

    def __init__(
        self, parts: Mapping[str, Checkable], now_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._parts = parts
        self._found = Cached(self._probe_all, now_s=now_s)

    async def report(self) -> Mapping[str, ServiceHealth]:
        """The condition of every part, by name."""
        return await self._found.value()

    async def _probe_all(self) -> Mapping[str, ServiceHealth]:
        found = await asyncio.gather(*(probe(part) for part in self._parts.values()))
        return dict(zip(self._parts, found, strict=True))


async def probe(part: Checkable) -> ServiceHealth:
    """Check one part; it is down if it does not answer in time, or fails."""
    try:
        return await asyncio.wait_for(part.check(), PROBE_TIMEOUT_S)
    except TimeoutError:
        return ServiceHealth("down", message=f"no answer within {PROBE_TIMEOUT_S:g} s")
    except Exception:
        # The edge of other people's code: one part that breaks the rule must not hide the others.
        log.exception("check_failed")
        return ServiceHealth("down", message="its check failed; the log says how")
