"""Deletes remembered vectors that nothing needs: of deleted texts, undone writes and old models."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from sourcebook.core.ports import Ledger
from sourcebook.core.writes import UnusedEmbedding

# What was used since may be about to be written: no write takes longer.
MIN_AGE_S = 3_600.0


@dataclass(frozen=True, slots=True)
class CacheLimits:
    """How long vectors that nothing needs are kept, and at most how many bytes of them."""

    max_age_s: float = 86_400.0
    max_bytes: int = 1_000_000_000


DEFAULT_LIMITS = CacheLimits()


class CacheSweeper:
    """Sweeps the embedding cache. What an index could be rebuilt from is never deleted."""

    def __init__(
        self, ledger: Ledger, limits: CacheLimits, now_s: Callable[[], float] = time.time
    ) -> None:
        self._cache = ledger.vectors
        self._limits = limits
        self._now_s = now_s

    async def sweep(self) -> int:
        """Delete what is too old, then the oldest of what is too much; return how many."""
        now_s = self._now_s()
        before_s = now_s - max(MIN_AGE_S, self._limits.max_age_s)
        forgotten = 0
        younger: list[UnusedEmbedding] = []
        async for unused in self._cache.unused():
            forgotten += await self._cache.forget([e for e in unused if e.used_at_s <= before_s])
            younger += [e for e in unused if e.used_at_s > before_s]
        excess = _excess(younger, self._limits.max_bytes, now_s - MIN_AGE_S)
        return forgotten + await self._cache.forget(excess)


def _excess(
    unused: list[UnusedEmbedding], max_bytes: int, used_before_s: float
) -> list[UnusedEmbedding]:
    """Return the oldest, as many as there are too many of, but none that was used just now."""
    too_many_bytes = sum(one.size_bytes for one in unused) - max_bytes
    excess: list[UnusedEmbedding] = []
    for one in sorted(unused, key=lambda one: one.used_at_s):
        if too_many_bytes <= 0 or one.used_at_s > used_before_s:
            break
        excess.append(one)
        too_many_bytes -= one.size_bytes
    return excess
