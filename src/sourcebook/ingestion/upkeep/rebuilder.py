"""Rebuilds an index from the ledger and its cached embeddings; nothing is embedded again."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sourcebook.core.collections import Collection
from sourcebook.core.errors import Conflict, RetrievalUnavailable
from sourcebook.core.indexes import fresh_index
from sourcebook.core.ports import Ledger, VectorStore
from sourcebook.core.vectors import Point
from sourcebook.core.writes import ChunkVersion
from sourcebook.ingestion.chunk_writer import points_of_chunk
from sourcebook.ingestion.identity import new_id


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """How many points a rebuild wrote; `lacking` chunks have no cached embedding."""

    collection: str
    points: int
    lacking: int


class Rebuilder:
    """Fills a new index and swaps it with the live one."""

    def __init__(self, ledger: Ledger, store: VectorStore) -> None:
        self._ledger = ledger
        self._store = store

    async def rebuild(self, collection: Collection) -> Rebuilt:

        fresh = replace(collection.generation, index_id=new_id())
        async with fresh_index(self._store, fresh, collection.metadata):
            rebuilt = await self._fill(collection, fresh.index_id)
            if not await self._ledger.collections.move(collection, fresh):
                raise Conflict(f"Collection {collection.name!r} changed while it was rebuilt")
        return rebuilt

    async def rebuild_missing(self) -> list[Rebuilt]:
        """Rebuild every index that is gone or damaged, also those of hidden collections."""
        return [
            await self.rebuild(collection)
            for collection in await self._ledger.collections.all(hidden=True)
            if collection.state != "retired"
            and not await self._can_read(collection.generation.index_id)
        ]

    async def _can_read(self, index_id: str) -> bool:
        try:
            await self._store.count(index_id)
        except RetrievalUnavailable:
            # Where the whole store is down, building a fresh index fails too, and says so.
            return False
        return True

    async def _fill(self, collection: Collection, index_id: str) -> Rebuilt:
        points, lacking = 0, 0
        revision = collection.generation.model_revision
        async for batch in self._ledger.documents.walk(collection.id):
            found, without = await cached_points(self._ledger, revision, batch)
            await self._store.upsert(index_id, found)
            points += len(found)
            lacking += len(without)
        return Rebuilt(collection.name, points, lacking)


async def cached_points(
    ledger: Ledger, model_revision: str, chunks: Sequence[ChunkVersion]
) -> tuple[list[Point], list[ChunkVersion]]:
    """Return the points of the chunks with cached embeddings, and the chunks without."""
    hashes = [chunk.text_hash for chunk in chunks]
    known = await ledger.vectors.recall(model_revision, hashes)
    points = [
        point
        for chunk in chunks
        if chunk.text_hash in known
        for point in points_of_chunk(chunk, known[chunk.text_hash])
    ]
    return points, [chunk for chunk in chunks if chunk.text_hash not in known]
