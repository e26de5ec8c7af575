"""ChromaStore: a vector store in Chroma, with one collection for each index."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TypeVar

import numpy as np
from chromadb.api.models.Collection import Collection

from sourcebook.core.errors import ConfigurationError, RetrievalUnavailable
from sourcebook.core.health import HealthTimer, ServiceHealth
from sourcebook.core.metadata import JsonValue, Metadata
from sourcebook.core.ports import VectorStore
from sourcebook.core.vectors import IndexQuery, IndexSpec, Point, PointRef, ScoredPoint
from sourcebook.providers.declaration import Opening
from sourcebook.providers.vector_stores.chroma.client import (
    Chroma,
    CollectionMissing,
    open_own_folder,
    open_server,
)
from sourcebook.providers.vector_stores.chroma.filters import compile_filter, filter_fields
from sourcebook.providers.vector_stores.chroma.search import nearest, read, record_ids
from sourcebook.providers.vector_stores.chroma.settings import (
    INDEX_ID,
    NAMESPACE,
    ChromaServerSettings,
    ChromaSettings,
    folder_inside,
)
from sourcebook.providers.vector_stores.index_checks import check_dimensions, missing_index
from sourcebook.providers.vector_stores.unit_vectors import check_sparse, unit_query, unit_vector

T = TypeVar("T")

# Chroma's own limit is 5,461; a request of so many long vectors would be slow to put together.
MAX_BATCH_POINTS = 2_000
PAGE_SIZE = 1_000

NAMESPACE_KEY = "sourcebook_namespace"
INDEX_KEY = "sourcebook_index"
DIMENSIONS_KEY = "sourcebook_dimensions"
REF_FIELDS = ("chunk_id", "document_id", "version", "digest")


@asynccontextmanager
async def open_folder_store(
    settings: ChromaSettings, opening: Opening
) -> AsyncIterator["ChromaStore"]:
    """Open Chroma in its folder inside the data folder."""
    async with open_own_folder(folder_inside(opening.data_dir, settings.path)) as chroma:
        yield ChromaStore(chroma, opening.namespace)


@asynccontextmanager
async def open_server_store(
    settings: ChromaServerSettings, opening: Opening
) -> AsyncIterator["ChromaStore"]:
    """Connect to a Chroma server. Nothing is asked yet, so the server may be down."""
    async with open_server(settings) as chroma:
        yield ChromaStore(chroma, opening.namespace)


class ChromaStore(VectorStore):
    """The indexes of one namespace. Chroma must stay open while the store is used."""

    def __init__(self, chroma: Chroma, namespace: str) -> None:
        if not NAMESPACE.fullmatch(namespace):
            raise ConfigurationError(
                f"The namespace {namespace[:80]!r} cannot begin names of Chroma: use up to 128"
                " letters, digits, '.', '_' and '-', with a letter or digit at both ends"
            )
        self._chroma = chroma
        self._namespace = namespace
        self._known: dict[str, Collection] = {}

    async def create(self, spec: IndexSpec) -> None:
        if not INDEX_ID.fullmatch(spec.id) or spec.dimensions < 1:
            raise RetrievalUnavailable(
                f"Index {spec.id[:80]!r} with {spec.dimensions} dimensions is not valid"
            )
        metadata: dict[str, JsonValue] = {
            NAMESPACE_KEY: self._namespace,
            INDEX_KEY: spec.id,
            DIMENSIONS_KEY: spec.dimensions,
        }
        await self._chroma.create(self._name(spec.id), metadata)
        # Read back: it may have been there, with other dimensions, or be somebody else's.
        self._known.pop(spec.id, None)
        check_dimensions(_dimensions(await self._collection(spec.id)), spec)

    async def drop(self, index_id: str) -> None:
        self._known.pop(index_id, None)
        if INDEX_ID.fullmatch(index_id):
            with suppress(CollectionMissing):
                await self._chroma.drop(self._name(index_id))

    async def indexes(self) -> set[str]:
        found = await self._chroma.collections()
        return {str(one.metadata[INDEX_KEY]) for one in found if self._is_ours(one)}

    async def upsert(self, index_id: str, points: Sequence[Point]) -> None:
        """Add points; a point with a known id is replaced. Durable on return.

        A bad vector keeps all of them out. Of more than `MAX_BATCH_POINTS`, a failure leaves what
        was written before it: no reader sees it, since the ledger does not say that it is live, and
        the sweeper removes it.
        """
        last = [*{point.ref.id: point for point in points}.values()]
        vectors = await self._with(
            index_id, "writing to", lambda found: _unit_vectors(last, _dimensions(found))
        )
        for start in range(0, len(last), MAX_BATCH_POINTS):
            some = slice(start, start + MAX_BATCH_POINTS)
            write = partial(_write, points=last[some], vectors=vectors[some])
            await self._with(index_id, "writing to", write)

    async def delete(self, index_id: str, point_ids: Sequence[str]) -> None:
        """Remove points by id; unknown ids are ignored. Durable on return."""

        def delete(found: Collection) -> None:
            for start in range(0, len(point_ids), MAX_BATCH_POINTS):
                found.delete(ids=[*dict.fromkeys(point_ids[start : start + MAX_BATCH_POINTS])])

        await self._with(index_id, "deleting from", delete)

    async def search(self, index_id: str, query: IndexQuery) -> list[ScoredPoint]:
        def search(found: Collection) -> list[ScoredPoint]:
            unit = unit_query(query.dense, _dimensions(found))
            where = compile_filter(query.filter)
            if where is False or query.limit < 1:
                return []
            hits = nearest(found, unit, query.limit, None if where is True else where)
            return [ScoredPoint(_ref(hit.id, hit.metadata), hit.cosine) for hit in hits]

        return await self._with(index_id, "searching", search)

    async def count(self, index_id: str) -> int:
        return await self._with(index_id, "counting", lambda found: int(found.count()))

    async def scan(self, index_id: str) -> AsyncIterator[Sequence[PointRef]]:
        ids = await self._with(index_id, "reading", record_ids)
        for start in range(0, len(ids), PAGE_SIZE):
            page = partial(read, vectors=False, ids=ids[start : start + PAGE_SIZE])
            records = await self._with(index_id, "reading", page)
            if records:
                yield [_ref(record.id, record.metadata) for record in records]

    async def check(self) -> ServiceHealth:
        timer = HealthTimer()
        try:
            await self._chroma.check()
        except RetrievalUnavailable as exc:
            return ServiceHealth("down", message=exc.message)
        return timer.report()

    async def _with(self, index_id: str, doing: str, work: Callable[[Collection], T]) -> T:
        """Run `work` in a thread."""
        about = f"{doing} index {index_id[:80]!r}"
        try:
            try:
                return await self._chroma.run(
                    about, partial(work, await self._collection(index_id))
                )
            except CollectionMissing:
                # Another process may have dropped it and created it again, under another id.
                self._known.pop(index_id, None)
                return await self._chroma.run(
                    about, partial(work, await self._collection(index_id))
                )
        except CollectionMissing:
            raise RetrievalUnavailable(missing_index(index_id)) from None

    async def _collection(self, index_id: str) -> Collection:
        if index_id in self._known:
            return self._known[index_id]
        if not INDEX_ID.fullmatch(index_id):
            raise CollectionMissing
        found = await self._chroma.find(self._name(index_id))
        if not self._is_ours(found):
            raise RetrievalUnavailable(
                f"Chroma has a collection {found.name!r} that Sourcebook did not create, where"
                f" index {index_id!r} should be. Rename it, or give Sourcebook another database"
            )
        self._known[index_id] = found
        return found

    def _name(self, index_id: str) -> str:
        return f"{self._namespace}-{index_id}"

    def _is_ours(self, collection: Collection) -> bool:
        metadata = collection.metadata or {}
        index_id = metadata.get(INDEX_KEY)
        is_named_so = isinstance(index_id, str) and collection.name == self._name(index_id)
        return is_named_so and metadata.get(NAMESPACE_KEY) == self._namespace


def _dimensions(collection: Collection) -> int:
    return int((collection.metadata or {}).get(DIMENSIONS_KEY, 0))


def _unit_vectors(points: Sequence[Point], dimensions: int) -> list[list[float]]:
    for point in points:
        if point.sparse is not None:
            check_sparse(point.sparse)
    return [unit_vector(point.dense, dimensions) for point in points]


def _write(
    collection: Collection, points: Sequence[Point], vectors: Sequence[Sequence[float]]
) -> None:
    collection.upsert(
        ids=[point.ref.id for point in points],
        embeddings=np.asarray(vectors, dtype=np.float32),
        metadatas=[
            {
                **filter_fields(point.metadata),
                **{f"_{name}": getattr(point.ref, name) for name in REF_FIELDS},
            }
            for point in points
        ],
    )


def _ref(point_id: str, fields: Metadata) -> PointRef:
    chunk_id, document_id, version, digest = (str(fields[f"_{name}"]) for name in REF_FIELDS)
    return PointRef(point_id, chunk_id, document_id, version, digest)
