"""A vector store that wraps another one and logs slow searches."""

import logging
import time
from collections.abc import AsyncIterator, Sequence

from sourcebook.core.health import ServiceHealth
from sourcebook.core.ports import VectorStore
from sourcebook.core.vectors import IndexQuery, IndexSpec, Point, PointRef, ScoredPoint

log = logging.getLogger(__name__)


class TimedStore:
    """Has every method that a vector store must have, and adds to one of them."""

    def __init__(self, inner: VectorStore, slow_ms: float) -> None:
        self._inner = inner
        self._slow_ms = slow_ms

    async def search(self, index_id: str, query: IndexQuery) -> list[ScoredPoint]:
        """The nearest points that pass the filter, best first."""
        started_s = time.perf_counter()
        found = await self._inner.search(index_id, query)
        took_ms = (time.perf_counter() - started_s) * 1000
        if took_ms > self._slow_ms:
            log.warning("slow_search", extra={"index_id": index_id, "took_ms": took_ms})
        return found

    async def create(self, spec: IndexSpec) -> None:
        """Create an empty index; creating one that exists with the same spec does nothing."""
        await self._inner.create(spec)

    async def drop(self, index_id: str) -> None:
        """Remove an index; removing one that does not exist does nothing."""
        await self._inner.drop(index_id)

    async def indexes(self) -> set[str]:
        """The ids of all indexes."""
        return await self._inner.indexes()

    async def upsert(self, index_id: str, points: Sequence[Point]) -> None:
        """Add points, all or none; a point with a known id is replaced."""
        await self._inner.upsert(index_id, points)

    async def delete(self, index_id: str, point_ids: Sequence[str]) -> None:
        """Remove points by id; unknown ids are ignored."""
        await self._inner.delete(index_id, point_ids)

    async def count(self, index_id: str) -> int:
        """How many points the index holds, exactly."""
        return await self._inner.count(index_id)

    def scan(self, index_id: str) -> AsyncIterator[Sequence[PointRef]]:
        """Walk over all points, in batches, in no particular order."""
        return self._inner.scan(index_id)

    async def check(self) -> ServiceHealth:
        """Pass on the health of the wrapped store."""
        return await self._inner.check()
