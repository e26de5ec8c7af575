"""Walks ledger and index and reports where they differ. It changes nothing."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sourcebook.core.collections import Collection
from sourcebook.core.ports import Ledger, VectorStore
from sourcebook.core.vectors import PointRef
from sourcebook.ingestion.identity import digest, point_ids

NO_LIMIT = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Findings:
    """How one collection's index compares with the ledger. The ids are chunk ids.

    missing: the ledger has the chunk, the index lacks a point of it.
    orphaned: the index has a point of a document that the ledger does not know.
    stale: the index has a point of another version, or of other content, than the live one.
    awaiting: dead points that the next sweep removes; no reader sees them, so they are no fault.
    faulty_points: the ids of the points behind `orphaned` and `stale`.
    """

    collection: str
    chunks: int
    missing: tuple[str, ...]
    orphaned: tuple[str, ...]
    stale: tuple[str, ...]
    awaiting: int
    faulty_points: tuple[str, ...]

    @property
    def clean(self) -> bool:
        """Tell whether the index is what the ledger says it should be."""
        return not (self.missing or self.orphaned or self.stale)


class Verifier:
    """Compares every chunk of the ledger with every point of the index."""

    def __init__(self, ledger: Ledger, store: VectorStore) -> None:
        self._ledger = ledger
        self._store = store

    async def verify(self) -> list[Findings]:
        """Check all collections."""
        doomed = await self._doomed()
        return [await self._verify(c, doomed) for c in await self._ledger.collections.all()]

    async def _verify(self, collection: Collection, doomed: set[str]) -> Findings:
        wanted: dict[str, PointRef] = {}
        documents: set[str] = set()
        chunks = 0
        async for batch in self._ledger.documents.walk(collection.id):
            chunks += len(batch)
            for version in batch:
                chunk = version.chunk
                documents.add(chunk.document_id)
                for id_ in point_ids(chunk.id, version.version, version.vectors):
                    wanted[id_] = PointRef(
                        id_, chunk.id, chunk.document_id, version.version, digest(chunk)
                    )
        found = await self._points(collection)
        unwanted = [ref for id_, ref in found.items() if id_ not in wanted]
        surplus = [ref for ref in unwanted if ref.id not in doomed]
        # As they should be: what a changed point says of itself need not be true.
        changed = [ref for id_, ref in wanted.items() if id_ in found and found[id_] != ref]
        return Findings(
            collection=collection.name,
            chunks=chunks,
            missing=_chunk_ids([ref for id_, ref in wanted.items() if id_ not in found]),
            orphaned=_chunk_ids([ref for ref in surplus if ref.document_id not in documents]),
            stale=_chunk_ids([ref for ref in surplus if ref.document_id in documents] + changed),
            awaiting=len(unwanted) - len(surplus),
            faulty_points=tuple(ref.id for ref in surplus + changed),
        )

    async def _points(self, collection: Collection) -> dict[str, PointRef]:
        index_id = collection.generation.index_id
        if index_id not in await self._store.indexes():
            return {}
        return {ref.id: ref async for batch in self._store.scan(index_id) for ref in batch}

    async def _doomed(self) -> set[str]:
        """Points that are known to be on their way out."""
        attic = self._ledger.attic
        dead = await attic.dead_chunks(math.inf, NO_LIMIT)
        doomed = {
            id_ for chunk in dead for id_ in point_ids(chunk.chunk_id, chunk.version, chunk.vectors)
        }
        for write in await attic.abandoned_writes(math.inf):
            doomed.update(write.point_ids)
        return doomed


def _chunk_ids(refs: Sequence[PointRef]) -> tuple[str, ...]:
    return tuple(sorted({ref.chunk_id for ref in refs}))
