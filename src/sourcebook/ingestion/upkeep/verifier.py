"""Compares ledger and index and reports every difference. It changes nothing."""

import asyncio
import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from sourcebook.core.chunk_links import misplaced_chunks
from sourcebook.core.collections import Collection
from sourcebook.core.documents import Chunk, Document
from sourcebook.core.errors import Conflict
from sourcebook.core.point_ids import point_ids
from sourcebook.core.ports import Ledger, TermEncoder, VectorStore
from sourcebook.core.vectors import PointRef
from sourcebook.core.writes import ChunkVersion
from sourcebook.ingestion.identity import digest

NO_LIMIT = 2**31 - 1
# How often a collection that is being written to is looked at, and the pause in between.
MAX_LOOKS = 5
LOOK_INTERVAL_S = 0.5


@dataclass(frozen=True, slots=True)
class Findings:
    """How one collection's index compares with the ledger. The ids are chunk ids.

    missing: the ledger has the chunk, the index lacks a point of it.
    orphaned: the index has a point of a document that the ledger does not know.
    stale: the index has a point of another version, or of other content, than the live one.
    outdated: the chunk's points have terms of another language; they are found by meaning all the
        same, so they are no fault.
    awaiting: dead points that the next sweep deletes; no reader sees them, so they are no fault.
    faulty_points: the ids of the points that `orphaned` and `stale` count.
    broken: the chunk's position or links do not fit its document, or its text is not the text at
        its position.
    """

    collection: str
    chunks: int
    missing: tuple[str, ...]
    orphaned: tuple[str, ...]
    stale: tuple[str, ...]
    awaiting: int
    faulty_points: tuple[str, ...]
    broken: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()

    @property
    def clean(self) -> bool:
        """True if nothing is wrong."""
        return not (self.missing or self.orphaned or self.stale or self.broken)


@dataclass(slots=True)
class _Wanted:
    """What the ledger has of a collection: its points by id, its documents, its broken chunks."""

    points: dict[str, PointRef]
    documents: set[str]
    broken: list[str]
    chunks: int = 0


class Verifier:
    """Compares every chunk in the ledger with every point in the index, also while it is used.

    With `terms`, it also looks whether the points have those of this encoder.
    """

    def __init__(
        self, ledger: Ledger, store: VectorStore, terms: TermEncoder | None = None
    ) -> None:
        self._ledger = ledger
        self._store = store
        self._terms = terms.revision if terms is not None and store.finds_terms else ""

    async def verify(self) -> list[Findings]:
        """Verify all collections except those that are about to be deleted.

        Conflict if one that seems to differ is written to all the time.
        """
        found = [
            await self._verify(collection)
            for collection in await self._ledger.collections.all(hidden=True)
            if collection.state != "retired"
        ]
        return [findings for findings in found if findings is not None]

    async def _verify(self, collection: Collection) -> Findings | None:
        """Look until nothing differs, or nothing was written meanwhile; None if it is gone."""
        for _ in range(MAX_LOOKS):
            findings = await self._look(collection)
            now = await self._ledger.collections.by_id(collection.id)
            if now is None or now.state == "retired":
                return None
            if findings.clean or _is_unchanged(collection, now):
                return findings
            collection = now
            await asyncio.sleep(LOOK_INTERVAL_S)
        raise Conflict(
            f"Collection {collection.name!r} is being written to all the time, so it cannot be"
            " compared; verify it again when its job has ended"
        )

    async def _look(self, collection: Collection) -> Findings:
        doomed = await self._doomed()
        wanted = _Wanted({}, set(), [])
        async for batch in self._ledger.documents.walk(collection.id):
            wanted.chunks += len(batch)
            wanted.broken += await self._broken(collection, batch)
            for version in batch:
                chunk = version.chunk
                wanted.documents.add(chunk.document_id)
                for id_ in point_ids(chunk.id, version.version, version.vectors):
                    wanted.points[id_] = PointRef(
                        id_, chunk.id, chunk.document_id, version.version, digest(chunk)
                    )
        found = await self._points(collection)
        # Again: a write that began meanwhile has announced its points before it wrote them.
        doomed |= await self._doomed()
        return await asyncio.to_thread(
            _compare, collection.name, wanted, found, doomed, self._terms
        )

    async def _broken(self, collection: Collection, batch: Sequence[ChunkVersion]) -> set[str]:
        """Return the ids of misplaced chunks; the batch holds all chunks of its documents."""
        chains: dict[tuple[str, str], list[Chunk]] = {}
        for version in batch:
            chunk = version.chunk
            chains.setdefault((chunk.document_id, version.version), []).append(chunk)
        placed = [v.chunk for v in batch if v.chunk.extent is not None]
        ids = sorted({chunk.document_id for chunk in placed})
        texts = await self._ledger.documents.get(collection.id, ids)
        return {chunk.id for chain in chains.values() for chunk in misplaced_chunks(chain)} | {
            chunk.id
            for chunk in placed
            if chunk.document_id not in texts or not _is_text_of(chunk, texts[chunk.document_id])
        }

    async def _points(self, collection: Collection) -> dict[str, PointRef]:
        index_id = collection.generation.index_id
        if index_id not in await self._store.indexes():
            return {}
        return {ref.id: ref async for batch in self._store.scan(index_id) for ref in batch}

    async def _doomed(self) -> set[str]:
        """Return the ids of the points that the next sweeps will delete."""
        garbage = self._ledger.garbage
        dead = await garbage.dead_chunks(math.inf, NO_LIMIT)
        doomed = {
            id_ for chunk in dead for id_ in point_ids(chunk.chunk_id, chunk.version, chunk.vectors)
        }
        for write in await garbage.abandoned_writes(math.inf):
            doomed.update(write.point_ids)
        return doomed


def _compare(
    name: str, wanted: _Wanted, found: Mapping[str, PointRef], doomed: Set[str], terms: str
) -> Findings:
    unwanted = [ref for id_, ref in found.items() if id_ not in wanted.points]
    surplus = [ref for ref in unwanted if ref.id not in doomed]
    known = wanted.documents
    # Reported as they should be: a changed point may be wrong about its own ids.
    changed = [
        ref for id_, ref in wanted.points.items() if id_ in found and not _is_same(found[id_], ref)
    ]
    return Findings(
        collection=name,
        chunks=wanted.chunks,
        missing=_chunk_ids([ref for id_, ref in wanted.points.items() if id_ not in found]),
        orphaned=_chunk_ids([ref for ref in surplus if ref.document_id not in known]),
        stale=_chunk_ids([ref for ref in surplus if ref.document_id in known] + changed),
        awaiting=len(unwanted) - len(surplus),
        faulty_points=tuple(ref.id for ref in surplus + changed),
        broken=tuple(sorted(wanted.broken)),
        outdated=_chunk_ids(
            [ref for id_, ref in found.items() if id_ in wanted.points and ref.terms != terms]
        )
        if terms
        else (),
    )


def _is_same(found: PointRef, wanted: PointRef) -> bool:
    # What reads the ledger itself has no content of its own that could differ.
    return found == wanted if found.digest else found == replace(wanted, digest="")


def _is_unchanged(before: Collection, now: Collection) -> bool:
    return (before.revision, before.generation) == (now.revision, now.generation)


def _is_text_of(chunk: Chunk, document: Document) -> bool:
    spans = chunk.extent.spans if chunk.extent is not None else ()
    return chunk.text == "".join(document.text[span.start : span.end] for span in spans)


def _chunk_ids(refs: Sequence[PointRef]) -> tuple[str, ...]:
    return tuple(sorted({ref.chunk_id for ref in refs}))
