"""Restores a lost ledger from the points and the catalog of a readable store.

Nothing is embedded: the vectors come from the points. Until the last step, which is one commit,
nobody sees what is restored, so an interrupted run can simply be repeated.
"""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from sourcebook.core.collections import Collection, Generation, hidden_name
from sourcebook.core.errors import Conflict, NotFound
from sourcebook.core.ports import Ledger, ReadableStore
from sourcebook.core.takeover import Takeover
from sourcebook.core.vectors import Point
from sourcebook.core.writes import AbandonedWrite, DocumentVersion, Write
from sourcebook.ingestion.identity import new_id
from sourcebook.ingestion.upkeep.restored_documents import (
    RestoredDocument,
    complete_versions,
    embeddings_of,
)

MAX_READ_POINTS = 500
MAX_WRITTEN_DOCUMENTS = 100
MAX_SHOWN_NAMES = 5

INDEX_GONE = "its index is gone from the vector store"
INDEX_OUTDATED = (
    "its index was written by an earlier release, whose points hold no texts; it stays as it is"
)


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored of one collection; `problem` says why it was not.

    `unreadable` documents have points, but no complete version. `left_over` points are of versions
    that a newer one replaced; the sweeper deletes them. `kept` points are of versions that are not
    complete, and may be all that is left of a text: they stay, and so do `foreign` ones, which
    another tool wrote.
    """

    collection: str
    documents: int = 0
    chunks: int = 0
    unreadable: tuple[str, ...] = ()
    left_over: int = 0
    kept: int = 0
    foreign: int = 0
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Restoration:
    """What was restored; `kept_indexes` belong to no restored collection, and stay."""

    collections: list[Restored]
    kept_indexes: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """True if all that the index holds was restored."""
        return not self.kept_indexes and not any(
            done.problem or done.unreadable for done in self.collections
        )


@dataclass(frozen=True, slots=True)
class _Found:
    documents: list[DocumentVersion]
    unreadable: list[str]
    left_over: list[str]
    kept: int
    foreign: int


class Restorer:
    """Fills an empty ledger. Only for its sole owner, with no one served."""

    def __init__(self, ledger: Ledger, store: ReadableStore) -> None:
        self._ledger = ledger
        self._store = store

    async def restore(self, installation: str) -> Restoration:
        """Restore all collections of the store's catalog, and take its installation over.

        Conflict if the ledger is in use; NotFound if the catalog lists nothing.
        """
        await self._check_empty()
        described = await self._store.described()
        if not described:
            raise NotFound(
                f"The vector store has no catalog of installation {installation!r}, so nobody can"
                " tell what its indexes are: an earlier release filled it. Restore a backup of the"
                " ledger"
            )
        existing = await self._store.indexes()
        results: list[Restored] = []
        restored: list[Collection] = []
        left_over: list[AbandonedWrite] = []
        for collection in described:
            problem = await self._problem(collection, existing)
            if problem is None:
                found = await self._restore(collection)
                results.append(_told(collection, found))
                if found.left_over:
                    index_id = collection.generation.index_id
                    gone = AbandonedWrite(new_id(), index_id, tuple(found.left_over))
                    left_over.append(gone)
                restored.append(_without_lost(collection, existing))
            else:
                results.append(Restored(collection.name, problem=problem))
        kept = existing - _indexes_of(restored)
        if restored:
            # All in one commit: points that an interrupted run took for left over may be live.
            await self._ledger.take_over(Takeover(installation, restored, left_over, kept))
        return Restoration(results, tuple(sorted(kept)))

    async def _check_empty(self) -> None:
        collections = self._ledger.collections
        if live := await collections.all():
            names = ", ".join(repr(collection.name) for collection in live[:MAX_SHOWN_NAMES])
            raise Conflict(
                f"The ledger is not empty, it has {len(live)} collections ({names}); only an empty"
                " one can be restored. Move it out of the way, or set SOURCEBOOK_LEDGER_URL or"
                " SOURCEBOOK_DATA_DIR to a new one"
            )
        # What an interrupted run left.
        for collection in await collections.all(hidden=True):
            await collections.discard(collection.id)

    async def _problem(self, collection: Collection, existing: Set[str]) -> str | None:
        index_id = collection.generation.index_id
        if index_id not in existing:
            return INDEX_GONE
        async for refs in self._store.scan(index_id):
            # An index has one form: some of its points tell it.
            return INDEX_OUTDATED if any(ref.outdated for ref in refs) else None
        return None

    async def _restore(self, collection: Collection) -> _Found:
        """Restore a collection, unseen."""
        hidden = replace(
            collection,
            name=hidden_name(collection.id),
            # The index of no store: if this is given up, no real index is retired with it.
            generation=replace(collection.generation, index_id=f"restoring-{new_id()}"),
            state="building",
            previous=None,
        )
        await self._ledger.collections.create(hidden)
        found = await self._read(collection.generation)
        await self._write(hidden, found.documents)
        if collection.previous is not None:
            await self._recall(collection.previous)
        return found

    async def _read(self, generation: Generation) -> _Found:
        """Read the newest complete version of every document, and cache its vectors."""
        documents: list[RestoredDocument] = []
        unreadable: list[str] = []
        left_over: list[str] = []
        kept = 0
        ids, foreign = await self._point_ids(generation.index_id)
        async for points in self._documents(generation.index_id, ids):
            complete = complete_versions(points)
            readable = {found.version.version for found in complete}
            kept += sum(point.ref.version not in readable for point in points)
            if not complete:
                unreadable.append(points[0].ref.document_id)
                continue
            newest = complete[0]
            await self._ledger.vectors.remember(generation.model_revision, newest.embeddings)
            # The vectors of a whole collection would take much memory.
            documents.append(replace(newest, embeddings={}))
            replaced = readable - {newest.version.version}
            left_over += [point.ref.id for point in points if point.ref.version in replaced]
        documents.sort(key=_by_creation)
        versions = [document.version for document in documents]
        return _Found(versions, unreadable, left_over, kept, foreign)

    async def _recall(self, generation: Generation) -> None:
        """Cache the vectors of the generation that is kept for a rollback, if it is there."""
        if generation.index_id in await self._store.indexes():
            ids, _ = await self._point_ids(generation.index_id)
            async for points in self._documents(generation.index_id, ids):
                known = embeddings_of(points)
                await self._ledger.vectors.remember(generation.model_revision, known)

    async def _point_ids(self, index_id: str) -> tuple[dict[str, list[str]], int]:
        """Return the ids of all points of ours by document, and how many are foreign."""
        ids: dict[str, list[str]] = {}
        foreign = 0
        async for refs in self._store.scan(index_id):
            for ref in refs:
                if ref.foreign:
                    foreign += 1
                else:
                    ids.setdefault(ref.document_id, []).append(ref.id)
        return ids, foreign

    async def _documents(
        self, index_id: str, ids: Mapping[str, Sequence[str]]
    ) -> AsyncIterator[list[Point]]:
        """Yield the points of each document, of all its versions."""
        for point_ids in _groups(ids):
            points: dict[str, list[Point]] = {}
            for point in await self._store.read(index_id, point_ids):
                points.setdefault(point.ref.document_id, []).append(point)
            for of_document in points.values():
                yield of_document

    async def _write(self, collection: Collection, documents: Sequence[DocumentVersion]) -> None:
        index_id = collection.generation.index_id
        for start in range(0, len(documents), MAX_WRITTEN_DOCUMENTS):
            some = tuple(documents[start : start + MAX_WRITTEN_DOCUMENTS])
            write = Write(new_id(), collection.id, index_id, some)
            await self._ledger.documents.announce(write.id, index_id, [])
            await self._ledger.documents.commit(write)


def _told(collection: Collection, found: _Found) -> Restored:
    return Restored(
        collection=collection.name,
        documents=len(found.documents),
        chunks=sum(len(document.chunks) for document in found.documents),
        unreadable=tuple(found.unreadable),
        left_over=len(found.left_over),
        kept=found.kept,
        foreign=found.foreign,
    )


def _indexes_of(collections: Sequence[Collection]) -> set[str]:
    generations = [generation for c in collections for generation in (c.generation, c.previous)]
    return {generation.index_id for generation in generations if generation is not None}


def _groups(ids: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    """Group the points of whole documents, so that a group is read at once."""
    group: list[str] = []
    for point_ids in ids.values():
        if group and len(group) + len(point_ids) > MAX_READ_POINTS:
            yield group
            group = []
        group += point_ids
    if group:
        yield group


def _by_creation(document: RestoredDocument) -> tuple[float, int, str]:
    record = document.record
    return record.created_at_s, record.position, document.version.document.id


def _without_lost(collection: Collection, existing: Set[str]) -> Collection:
    previous = collection.previous
    lost = previous is not None and previous.index_id not in existing
    return replace(collection, previous=None) if lost else collection
