"""Drops indexes that belong to no collection, although another process may be filling one."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.core.ports import Ledger, VectorStore

ORPHANED_AFTER_S = 3_600.0


@dataclass(frozen=True, slots=True)
class _Sighting:
    """How many points an index had, and since when that number has not changed."""

    points: int
    since_s: float


class OrphanedIndexes:
    """Drops an index once it has belonged to no collection, and not changed, for an hour.

    The wait is needed because an index is created, and may be filled, before the ledger knows it.
    """

    def __init__(
        self, ledger: Ledger, store: VectorStore, now_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._ledger = ledger
        self._store = store
        self._now_s = now_s
        self._seen: dict[str, _Sighting] = {}

    async def clear(self) -> list[str]:
        """Check once and return the indexes that were dropped."""
        # The indexes first: one that a collection takes over meanwhile is known already.
        existing = await self._store.indexes()
        unknown = existing - await self._ledger.garbage.wanted_indexes()
        self._seen = await self._sightings(unknown)
        before_s = self._now_s() - ORPHANED_AFTER_S
        orphaned = [index_id for index_id, seen in self._seen.items() if seen.since_s <= before_s]
        for index_id in orphaned:
            await self._store.drop(index_id)
            del self._seen[index_id]
        return orphaned

    async def _sightings(self, unknown: set[str]) -> dict[str, _Sighting]:
        sightings: dict[str, _Sighting] = {}
        for index_id in unknown:
            try:
                found = _Sighting(await self._store.count(index_id), self._now_s())
            except RetrievalUnavailable:
                # Dropped meanwhile, or the store is out of reach: the next check will tell.
                continue
            before = self._seen.get(index_id)
            changed = before is None or before.points != found.points
            sightings[index_id] = found if changed or before is None else before
        return sightings
