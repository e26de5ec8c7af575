"""Rebuilds an index from the ledger. Nothing is embedded: the vectors are remembered."""

from dataclasses import dataclass, replace

from sourcebook.core.collections import Collection
from sourcebook.core.errors import Conflict, RetrievalUnavailable
from sourcebook.core.fresh_index import fresh_index
from sourcebook.core.ports import Ledger, VectorStore
from sourcebook.ingestion.chunk_writer import points_of_chunk
from sourcebook.ingestion.identity import new_id


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild brought back; `lacking` chunks have no remembered vectors."""

    collection: str
    points: int
    lacking: int


class Rebuilder:
    """Builds a fresh index beside the live one and swaps them."""

    def __init__(self, ledger: Ledger, store: VectorStore) -> None:
        self._ledger = ledger
        self._store = store

    async def rebuild(self, collection: Collection) -> Rebuilt:
        """Rebuild the index of one collection."""
        fresh = replace(collection.generation, index_id=new_id())
        async with fresh_index(self._store, fresh, collection.metadata):
            rebuilt = await self._fill(collection, fresh.index_id)
            if not await self._ledger.collections.move(collection, fresh):
                raise Conflict(f"Collection {collection.name!r} changed while it was rebuilt")
        return rebuilt

    async def rebuild_missing(self) -> list[Rebuilt]:
        """Rebuild the collections whose index is gone or damaged, also those being built."""
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
            hashes = [chunk.text_hash for chunk in batch]
            known = await self._ledger.vectors.recall(revision, hashes)
            found = [
                point
                for chunk in batch
                if chunk.text_hash in known
                for point in points_of_chunk(chunk, known[chunk.text_hash])
            ]
            await self._store.upsert(index_id, found)
            points += len(found)
            lacking += sum(text_hash not in known for text_hash in hashes)
        return Rebuilt(collection.name, points, lacking)
