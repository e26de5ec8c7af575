"""Mends links and indexes in place: writes what is missing, deletes what is wrong.

Nothing is embedded.
"""

from collections.abc import AsyncIterator, Sequence, Set
from dataclasses import dataclass, replace

from sourcebook.core.collections import Collection
from sourcebook.core.ports import Ledger, VectorStore
from sourcebook.core.writes import ChunkVersion
from sourcebook.ingestion.chunk_writer import points_of_chunk
from sourcebook.ingestion.rebuilder import Rebuilder
from sourcebook.ingestion.sweeper import Sweeper
from sourcebook.ingestion.verifier import Findings, Verifier

BATCH = 1_000


@dataclass(frozen=True, slots=True)
class Repaired:
    """What a repair did to one collection.

    `lacking` documents have no remembered vectors; `relinked` is how many chunks got another
    place in their document, or other neighbours.
    """

    collection: str
    written: int
    deleted: int
    lacking: tuple[str, ...]
    relinked: int = 0


class Repairer:
    """Makes every index what the ledger says. Only for the sole owner, while nobody is served."""

    def __init__(self, ledger: Ledger, store: VectorStore) -> None:
        self._ledger = ledger
        self._store = store

    async def repair(self) -> list[Repaired]:
        """Mend all collections; those that needed it."""
        relinked = await self._relink()
        rebuilder = Rebuilder(self._ledger, self._store)
        # An index that cannot be read can be neither swept nor compared: those come back first.
        rebuilt = {done.collection: done.points for done in await rebuilder.rebuild_missing()}
        await Sweeper(self._ledger, self._store).sweep_all()
        collections = {c.name: c for c in await self._ledger.collections.all(hidden=True)}
        repaired = [
            await self._repair(collections[found.collection], found)
            for found in await Verifier(self._ledger, self._store).verify()
            if not found.clean or found.collection in rebuilt or relinked[found.collection]
        ]
        return [
            replace(
                done,
                written=done.written + rebuilt.get(done.collection, 0),
                relinked=relinked[done.collection],
            )
            for done in repaired
        ]

    async def _relink(self) -> dict[str, int]:
        """Put order and links of all chunks right; how many were wrong, by collection."""
        return {
            collection.name: await self._ledger.documents.mend_links(collection.id)
            for collection in await self._ledger.collections.all(hidden=True)
            if collection.state != "retired"
        }

    async def _repair(self, collection: Collection, found: Findings) -> Repaired:
        index_id = collection.generation.index_id
        for start in range(0, len(found.faulty_points), BATCH):
            await self._store.delete(index_id, found.faulty_points[start : start + BATCH])
        written = 0
        lacking: list[str] = []
        async for batch in self._chunks(collection, {*found.missing, *found.stale}):
            added, without = await self._write(collection, batch)
            written += added
            lacking += without
        return Repaired(found.collection, written, len(found.faulty_points), tuple(lacking))

    async def _chunks(
        self, collection: Collection, wanted: Set[str]
    ) -> AsyncIterator[list[ChunkVersion]]:
        """The live chunks among those, in batches."""
        async for batch in self._ledger.documents.walk(collection.id):
            if chosen := [version for version in batch if version.chunk.id in wanted]:
                yield chosen

    async def _write(
        self, collection: Collection, chunks: Sequence[ChunkVersion]
    ) -> tuple[int, list[str]]:
        """Write the points of these chunks; how many, and the documents that have no vectors."""
        generation = collection.generation
        hashes = [chunk.text_hash for chunk in chunks]
        known = await self._ledger.vectors.recall(generation.model_revision, hashes)
        points = [
            point
            for chunk in chunks
            if chunk.text_hash in known
            for point in points_of_chunk(chunk, known[chunk.text_hash])
        ]
        await self._store.upsert(generation.index_id, points)
        return len(points), [c.chunk.document_id for c in chunks if c.text_hash not in known]
