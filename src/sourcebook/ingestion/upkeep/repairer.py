"""Repairs links and indexes in place from the ledger; nothing is embedded again."""

from collections.abc import Set
from dataclasses import dataclass, replace

from sourcebook.core.collections import Collection
from sourcebook.core.ports import Ledger, VectorStore
from sourcebook.ingestion.upkeep.rebuilder import CachedPoints, Rebuilder
from sourcebook.ingestion.upkeep.sweeper import Sweeper
from sourcebook.ingestion.upkeep.verifier import Findings, Verifier

BATCH_SIZE = 1_000


@dataclass(frozen=True, slots=True)
class Repaired:
    """What a repair did to one collection.

    `lacking` documents have no cached embeddings; `relinked` counts the chunks whose position or
    neighbours were corrected.
    """

    collection: str
    written: int
    deleted: int
    lacking: tuple[str, ...]
    relinked: int = 0


class Repairer:
    """Brings every index in line with the ledger. Only for the sole owner, with no one served."""

    def __init__(self, ledger: Ledger, store: VectorStore) -> None:
        self._ledger = ledger
        self._store = store

    async def repair(self) -> list[Repaired]:
        """Repair all collections and return those that needed it."""
        relinked = await self._relink()
        rebuilder = Rebuilder(self._ledger, self._store)
        # An unreadable index can be neither swept nor verified, so it is rebuilt first.
        rebuilt = {done.collection: done.points for done in await rebuilder.rebuild_missing()}
        for collection in await self._ledger.collections.all(hidden=True):
            # On a server, points show the links of their chunks to other tools.
            if relinked.get(collection.name) and not (
                collection.name in rebuilt or self._store.reads_ledger
            ):
                rebuilt[collection.name] = (await rebuilder.rebuild(collection)).points
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
        """Correct the order and links of all chunks; returns how many were wrong, by collection."""
        return {
            collection.name: await self._ledger.documents.mend_links(collection.id)
            for collection in await self._ledger.collections.all(hidden=True)
            if collection.state != "retired"
        }

    async def _repair(self, collection: Collection, found: Findings) -> Repaired:
        index_id = collection.generation.index_id
        for start in range(0, len(found.faulty_points), BATCH_SIZE):
            await self._store.delete(index_id, found.faulty_points[start : start + BATCH_SIZE])
        written, lacking = await self._write(collection, {*found.missing, *found.stale})
        return Repaired(found.collection, written, len(found.faulty_points), lacking)

    async def _write(self, collection: Collection, wanted: Set[str]) -> tuple[int, tuple[str, ...]]:
        """Write the points of these chunks; returns their number and the documents without any."""
        written = 0
        lacking: list[str] = []
        cached = CachedPoints(self._ledger, collection)
        async for batch in self._ledger.documents.walk(collection.id):
            points, without = await cached.of(batch, wanted)
            if points:
                await self._store.upsert(collection.generation.index_id, points)
            written += len(points)
            lacking += [version.chunk.document_id for version in without]
        return written, tuple(lacking)
