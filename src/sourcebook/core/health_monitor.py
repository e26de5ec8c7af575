"""Probes the parts of the service together, and caches what they report for a few seconds."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Generic, TypeVar

from sourcebook.core.health import Checkable, ServiceHealth, ServiceLabel

log = logging.getLogger(__name__)

PROBE_TIMEOUT_S = 2.0
CACHE_TTL_S = 5.0
# How long a part may take for its first answer: some load a large SDK, or a sleeping server.
STARTING_S = 60.0

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


class Probe:
    """Checks one part. A part that does not answer in time is down; at first, it is starting."""

    def __init__(self, part: Checkable, now_s: Callable[[], float] = time.monotonic) -> None:
        self._part = part
        self._now_s = now_s
        self._starting_until_s = now_s() + STARTING_S

    async def look(self) -> ServiceHealth:
        """Check the part once; it is down if it fails."""
        try:
            health = await asyncio.wait_for(self._part.check(), PROBE_TIMEOUT_S)
        except TimeoutError:
            if self._now_s() < self._starting_until_s:
                return ServiceHealth("degraded", message="starting")
            return ServiceHealth("down", message=f"no answer within {PROBE_TIMEOUT_S:g} s")
        except Exception:
            # The edge of other people's code: a part that breaks the rule must not hide the others.
            log.exception("check_failed")
            return ServiceHealth("down", message="its check failed; the log says how")
        self._starting_until_s = self._now_s()
        return health


class HealthMonitor:
    """Remembers what the probes found for a few seconds. `labels` say what stands in a role."""

    def __init__(
        self,
        parts: Mapping[str, Checkable],
        labels: Mapping[str, ServiceLabel] | None = None,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._probes = {name: Probe(part, now_s) for name, part in parts.items()}
        self._labels = labels or {}
        self._found = Cached(self._probe_all, now_s=now_s)

    async def report(self) -> Mapping[str, ServiceHealth]:
        """The condition of every part, by name."""
        return await self._found.value()

    async def _probe_all(self) -> Mapping[str, ServiceHealth]:
        found = await asyncio.gather(*(probe.look() for probe in self._probes.values()))
        return {
            name: self._labels[name].put_on(health) if name in self._labels else health
            for name, health in zip(self._probes, found, strict=True)
        }
