"""Probes the parts of the service together, and caches what they report for a few seconds."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping

from sourcebook.core.health import Checkable, ServiceHealth

log = logging.getLogger(__name__)

PROBE_TIMEOUT_S = 2.0

CACHE_TTL_S = 5.0


class HealthMonitor:
    """Remembers what the probes found for a few seconds."""

    def __init__(
        self, parts: Mapping[str, Checkable], now_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._parts = parts
        self._now_s = now_s
        self._probing = asyncio.Lock()
        self._found: Mapping[str, ServiceHealth] = {}
        self._found_at_s = -CACHE_TTL_S

    async def report(self) -> Mapping[str, ServiceHealth]:
        """The condition of every part, by name."""
        async with self._probing:
            if self._now_s() - self._found_at_s >= CACHE_TTL_S:
                found = await asyncio.gather(*(_probe(part) for part in self._parts.values()))
                self._found = dict(zip(self._parts, found, strict=True))
                self._found_at_s = self._now_s()
        return self._found


async def _probe(part: Checkable) -> ServiceHealth:
    try:
        return await asyncio.wait_for(part.check(), PROBE_TIMEOUT_S)
    except TimeoutError:
        return ServiceHealth("down", message=f"no answer within {PROBE_TIMEOUT_S:g} s")
    except Exception:
        # The edge of other people's code: one part that breaks the rule must not hide the others.
        log.exception("check_failed")
        return ServiceHealth("down", message="its check failed; the log says how")
