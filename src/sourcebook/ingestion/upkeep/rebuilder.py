"""Rebuilds an index from the ledger and its cached embeddings; nothing is embedded again."""

import logging
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from sourcebook.core.collections import Collection
from sourcebook.core.errors import Conflict, RetrievalUnavailable
from sourcebook.core.indexes import fresh_index
from sourcebook.core.ports import Ledger, VectorStore
from sourcebook.core.vectors import Point
from sourcebook.core.writes import ChunkVersion
from sourcebook.ingestion.chunk_writer import points_of_chunk
from sourcebook.ingestion.identity import new_id

log = logging.getLogger(__name__)


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
        """Rebuild the index of a collection; Conflict if it changes meanwhile."""
        if self._store.reads_ledger:
            return await self._read_anew(collection)
        fresh = replace(collection.generation, index_id=new_id())
        async with fresh_index(self._store, fresh, collection.metadata):
            rebuilt = await self._fill(collection, fresh.index_id)
            if not await self._ledger.collections.move(collection, fresh):
                raise Conflict(f"Collection {collection.name!r} changed while it was rebuilt")
        return rebuilt

    async def _read_anew(self, collection: Collection) -> Rebuilt:
        """Let a store that reads the ledger forget what it has, and read it again."""
        index_id = collection.generation.index_id
        await self._store.drop(index_id)
        held = [ref async for refs in self._store.scan(index_id) for ref in refs]
        live = await self._ledger.documents.live(collection.id)
        lacking = live - {(ref.chunk_id, ref.version) for ref in held}
        return Rebuilt(collection.name, len(held), len(lacking))

    async def rebuild_missing(self, *, listed_are_there: bool = False) -> list[Rebuilt]:
        """Rebuild every index that is gone, also those of hidden collections.

        With `listed_are_there`, only what the store does not list is looked at, and a damaged index
        stays: many can be asked for often, and a slow reply costs no rebuild.
        """
        if self._store.reads_ledger:
            return []
        rebuilt = []
        # The collections first: the index of one that is found now must exist already.
        collections = await self._ledger.collections.all(hidden=True)
        there = await self._store.indexes() if listed_are_there else set()
        for collection in collections:
            index_id = collection.generation.index_id
            # A cluster's list can be out of date, so the index itself is asked for.
            if collection.state == "retired" or index_id in there or await self._can_read(index_id):
                continue
            try:
                rebuilt.append(await self.rebuild(collection))
            except Conflict:
                log.info("rebuild_not_needed", extra={"collection": collection.name})
                continue
            told = {"collection": collection.name, "points": rebuilt[-1].points}
            log.warning("index_rebuilt", extra=told)
        return rebuilt

    async def _can_read(self, index_id: str) -> bool:
        try:
            await self._store.count(index_id)
        except RetrievalUnavailable:
            # Where the whole store is down, building a fresh index fails too, and says so.
            return False
        return True

    async def _fill(self, collection: Collection, index_id: str) -> Rebuilt:
        points, lacking = 0, 0
        cached = CachedPoints(self._ledger, collection)
        async for batch in self._ledger.documents.walk(collection.id):
            found, without = await cached.of(batch)
            await self._store.upsert(index_id, found)
            points += len(found)
            lacking += len(without)
        return Rebuilt(collection.name, points, lacking)


class CachedPoints:
    """Makes the points of a collection's live chunks from the ledger alone."""

    def __init__(self, ledger: Ledger, collection: Collection) -> None:
        self._ledger = ledger
        self._collection = collection

    async def of(
        self, batch: Sequence[ChunkVersion], wanted: Set[str] | None = None
    ) -> tuple[list[Point], list[ChunkVersion]]:
        """Return the points of chunks with cached embeddings, and the chunks without.

        `wanted` are the ids of the chunks that are asked for, if not all are.
        """
        chunks = [v for v in batch if wanted is None or v.chunk.id in wanted]
        if not chunks:
            return [], []
        revision = self._collection.generation.model_revision
        known = await self._ledger.vectors.recall(revision, [v.text_hash for v in chunks])
        points = [
            point
            for version in chunks
            if version.text_hash in known
            for point in points_of_chunk(version, known[version.text_hash])
        ]
        return points, [version for version in chunks if version.text_hash not in known]
