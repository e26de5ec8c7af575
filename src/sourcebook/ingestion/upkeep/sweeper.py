"""Deletes points, indexes and records that no request can still need."""

import logging
import time
from collections.abc import Callable, Iterable

from sourcebook.core.errors import SourcebookError, logged_reason
from sourcebook.core.point_ids import point_ids
from sourcebook.core.ports import Ledger, VectorStore
from sourcebook.core.writes import DeadChunk

log = logging.getLogger(__name__)

GRACE_PERIOD_S = 60.0  # twice the longest request
ABANDONED_AFTER_S = 3_600.0
BATCH_SIZE = 1_000


class Sweeper:
    """Deletes what was replaced or deleted longer ago than any request lasts."""

    def __init__(
        self, ledger: Ledger, store: VectorStore, now_s: Callable[[], float] = time.time
    ) -> None:
        self._garbage = ledger.garbage
        self._collections = ledger.collections
        self._store = store
        self._now_s = now_s

    async def sweep(self) -> None:
        """Delete what has been dead for longer than its grace period."""
        now_s = self._now_s()
        for clear, dead_for_s in (
            (self._clear_collections, GRACE_PERIOD_S),
            (self._clear_indexes, GRACE_PERIOD_S),
            (self._clear_chunks, GRACE_PERIOD_S),
            (self._clear_writes, ABANDONED_AFTER_S),
        ):
            # A failed step is retried at the next sweep; it must not stop the other steps.
            try:
                await clear(now_s - dead_for_s)
            except SourcebookError as error:
                log.warning("sweep_failed", extra=logged_reason(error))

    async def sweep_all(self) -> None:
        """Delete everything that is dead. Only for the sole owner, before it serves anyone."""
        await self._clear_collections(self._now_s())
        now_s = self._now_s()
        # Indexes first: a damaged one can be dropped, but no point can be deleted from it.
        await self._clear_indexes(now_s)
        await self._drop_unknown_indexes()
        await self._clear_writes(now_s)
        await self._clear_chunks(now_s)

    async def _clear_chunks(self, before_s: float) -> None:
        while dead := await self._garbage.dead_chunks(before_s, BATCH_SIZE):
            existing = await self._store.indexes()
            for index_id in {chunk.index_id for chunk in dead} & existing:
                await self._store.delete(index_id, _points(dead, index_id))
            await self._garbage.forget_chunks([chunk.key for chunk in dead])

    async def _clear_writes(self, before_s: float) -> None:
        for write in await self._garbage.abandoned_writes(before_s):
            if write.index_id in await self._store.indexes():
                await self._store.delete(write.index_id, write.point_ids)
            await self._garbage.forget_write(write.id)

    async def _clear_collections(self, before_s: float) -> None:
        # From then on the index of a replaced collection waits to be dropped.
        for collection in await self._garbage.retired_collections(before_s):
            await self._collections.discard(collection.id)

    async def _clear_indexes(self, before_s: float) -> None:
        for index_id in await self._garbage.retired_indexes(before_s):
            await self._store.drop(index_id)
            await self._garbage.forget_index(index_id)

    async def _drop_unknown_indexes(self) -> None:
        # The store first: a job records what it will build before it creates it.
        existing = await self._store.indexes()
        for index_id in existing - await self._garbage.wanted_indexes():
            await self._store.drop(index_id)


def _points(chunks: Iterable[DeadChunk], index_id: str) -> list[str]:
    return [
        point_id
        for chunk in chunks
        if chunk.index_id == index_id
        for point_id in point_ids(chunk.chunk_id, chunk.version, chunk.vectors)
    ]
