"""ChromaStore: a vector store in Chroma, with one collection for each index."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TypeVar

from sourcebook.core.errors import ConfigurationError, RetrievalUnavailable
from sourcebook.core.health import HealthTimer, ServiceHealth
from sourcebook.core.metadata import JsonValue
from sourcebook.core.vectors import IndexQuery, IndexSpec, Point, PointRef, ScoredPoint
from sourcebook.providers.declaration import Opening
from sourcebook.providers.vector_stores.chroma.client import (
    ChromaBatch,
    ChromaClient,
    ChromaCollection,
    ChromaFailed,
    CollectionMissing,
    CollectionTaken,
)
from sourcebook.providers.vector_stores.chroma.embedded import open_embedded_chroma
from sourcebook.providers.vector_stores.chroma.filters import compile_filter
from sourcebook.providers.vector_stores.chroma.points import batch_of, ref_of
from sourcebook.providers.vector_stores.chroma.search import nearest
from sourcebook.providers.vector_stores.chroma.server import open_chroma_server
from sourcebook.providers.vector_stores.chroma.settings import ChromaServerSettings, ChromaSettings
from sourcebook.providers.vector_stores.index_checks import check_dimensions, missing_index
from sourcebook.providers.vector_stores.local_folder import folder_inside
from sourcebook.providers.vector_stores.unit_vectors import unit_query

_T = TypeVar("_T")

# Chroma's own limit is 5,461; a request of so many long vectors would be slow to put together.
MAX_BATCH_POINTS = 2_000
PAGE_SIZE = 1_000

NAMESPACE_KEY = "sourcebook_namespace"
INDEX_KEY = "sourcebook_index"
DIMENSIONS_KEY = "sourcebook_dimensions"

_INDEX_ID = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_-]{0,62}[A-Za-z0-9])?")
_NAMESPACE = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,126}[A-Za-z0-9])?")


@asynccontextmanager
async def open_embedded_store(
    settings: ChromaSettings, opening: Opening
) -> AsyncIterator["ChromaStore"]:
    """Open the embedded Chroma in its folder inside the data folder."""
    async with open_embedded_chroma(folder_inside(opening.data_dir, settings.path)) as client:
        yield ChromaStore(client, opening.namespace)


@asynccontextmanager
async def open_server_store(
    settings: ChromaServerSettings, opening: Opening
) -> AsyncIterator["ChromaStore"]:
    """Connect to a Chroma server. Nothing is asked yet, so the server may be down."""
    async with open_chroma_server(settings) as client:
        yield ChromaStore(client, opening.namespace)


class ChromaStore:
    """The indexes of one namespace. The client must stay open while the store is used.

    A write of up to `MAX_BATCH_POINTS` points is one step. If a later step of a longer one fails,
    the points that were new are deleted again; those that were replaced stay replaced.
    """

    def __init__(
        self, client: ChromaClient, namespace: str, max_batch: int = MAX_BATCH_POINTS
    ) -> None:
        if not _NAMESPACE.fullmatch(namespace):
            raise ConfigurationError(
                f"The namespace {namespace[:80]!r} cannot begin names of Chroma: use up to 128"
                " letters, digits, '.', '_' and '-', with a letter or digit at both ends"
            )
        self._client = client
        self._namespace = namespace
        self._max_batch = max_batch
        self._known: dict[str, ChromaCollection] = {}

    async def create(self, spec: IndexSpec) -> None:
        if not _INDEX_ID.fullmatch(spec.id) or spec.dimensions < 1:
            raise RetrievalUnavailable(
                f"Index {spec.id[:80]!r} with {spec.dimensions} dimensions is not valid"
            )
        metadata: dict[str, JsonValue] = {
            NAMESPACE_KEY: self._namespace,
            INDEX_KEY: spec.id,
            DIMENSIONS_KEY: spec.dimensions,
        }
        try:
            with suppress(CollectionTaken):
                await self._client.create(self._name(spec.id), metadata)
        except ChromaFailed as exc:
            raise _failure(exc, f"creating index {spec.id!r}") from exc
        # Read back: it may have been there, with other dimensions, or be somebody else's.
        self._known.pop(spec.id, None)
        check_dimensions(_dimensions(await self._collection(spec.id)), spec)

    async def drop(self, index_id: str) -> None:
        self._known.pop(index_id, None)
        if not _INDEX_ID.fullmatch(index_id):
            return
        try:
            await self._client.drop(self._name(index_id))
        except CollectionMissing:
            return
        except ChromaFailed as exc:
            raise _failure(exc, f"dropping index {index_id!r}") from exc

    async def indexes(self) -> set[str]:
        try:
            found = await self._client.collections()
        except ChromaFailed as exc:
            raise _failure(exc, "listing its indexes") from exc
        return {str(one.metadata[INDEX_KEY]) for one in found if self._is_ours(one)}

    async def upsert(self, index_id: str, points: Sequence[Point]) -> None:
        """Add points, all or none; a point with a known id is replaced. Durable on return."""

        async def write(collection: ChromaCollection) -> None:
            # In a thread: vectors of thousands of points take a while to check.
            whole = await asyncio.to_thread(batch_of, points, _dimensions(collection))
            await self._write(collection, whole)

        await self._with(index_id, "writing to", write)

    async def delete(self, index_id: str, point_ids: Sequence[str]) -> None:
        """Remove points by id; unknown ids are ignored. Durable on return."""

        async def delete(collection: ChromaCollection) -> None:
            if not point_ids:
                # Nothing to delete, but an unknown index must still be reported.
                await self._client.count(collection)
            await self._delete_all(collection, list(dict.fromkeys(point_ids)))

        await self._with(index_id, "deleting from", delete)

    async def search(self, index_id: str, query: IndexQuery) -> list[ScoredPoint]:
        where = compile_filter(query.filter)

        async def search(collection: ChromaCollection) -> list[ScoredPoint]:
            vector = unit_query(query.dense, _dimensions(collection))
            if where is False or query.limit < 1:
                await self._client.count(collection)
                return []
            passing = None if where is True else where
            found = await nearest(self._client, collection, vector, query.limit, passing)
            return [ScoredPoint(ref_of(one.record), one.cosine) for one in found]

        return await self._with(index_id, "searching", search)

    async def count(self, index_id: str) -> int:
        return await self._with(index_id, "counting", self._client.count)

    async def scan(self, index_id: str) -> AsyncIterator[Sequence[PointRef]]:
        # The ids first: pages by position would skip points while others are deleted.
        ids = await self._with(index_id, "reading", lambda c: self._client.ids(c, None))
        for start in range(0, len(ids), PAGE_SIZE):
            page = partial(self._client.records, ids=ids[start : start + PAGE_SIZE])
            records = await self._with(index_id, "reading", page)
            refs = [ref_of(record) for record in records if not record.is_gone]
            if refs:
                yield refs

    async def check(self) -> ServiceHealth:
        timer = HealthTimer()
        try:
            await self._client.heartbeat()
        except ChromaFailed as exc:
            return ServiceHealth("down", message=f"Chroma {exc.message}")
        return timer.report()

    async def _write(self, collection: ChromaCollection, whole: ChromaBatch) -> None:
        batches = [*_cut(whole, self._max_batch)]
        if len(batches) == 1:
            await self._client.upsert(collection, batches[0])
            return
        before = await self._existing_ids(collection, whole.ids) if batches else set()
        try:
            for batch in batches:
                await self._client.upsert(collection, batch)
        except BaseException:
            new = [point_id for point_id in whole.ids if point_id not in before]
            # Shielded, so that a cancelled writer tidies up as well.
            with suppress(ChromaFailed, CollectionMissing):
                await asyncio.shield(asyncio.ensure_future(self._delete_all(collection, new)))
            raise

    async def _existing_ids(self, collection: ChromaCollection, ids: Sequence[str]) -> set[str]:
        return set(await self._client.ids(collection, None)).intersection(ids)

    async def _delete_all(self, collection: ChromaCollection, ids: Sequence[str]) -> None:
        for start in range(0, len(ids), self._max_batch):
            await self._client.delete(collection, ids[start : start + self._max_batch])

    async def _with(
        self, index_id: str, doing: str, work: Callable[[ChromaCollection], Awaitable[_T]]
    ) -> _T:
        try:
            try:
                return await work(await self._collection(index_id))
            except CollectionMissing:
                # Another process may have dropped it and created it again, under another id.
                self._known.pop(index_id, None)
                return await work(await self._collection(index_id))
        except CollectionMissing:
            raise RetrievalUnavailable(missing_index(index_id)) from None
        except ChromaFailed as exc:
            raise _failure(exc, f"{doing} index {index_id[:80]!r}") from exc

    async def _collection(self, index_id: str) -> ChromaCollection:
        known = self._known.get(index_id)
        if known is not None:
            return known
        if not _INDEX_ID.fullmatch(index_id):
            raise RetrievalUnavailable(missing_index(index_id))
        try:
            found = await self._client.find(self._name(index_id))
        except CollectionMissing:
            raise RetrievalUnavailable(missing_index(index_id)) from None
        except ChromaFailed as exc:
            raise _failure(exc, f"looking for index {index_id!r}") from exc
        if not self._is_ours(found):
            raise RetrievalUnavailable(
                f"Chroma has a collection {found.name!r} that Sourcebook did not create, where"
                f" index {index_id!r} should be. Rename it, or give Sourcebook another database"
            )
        self._known[index_id] = found
        return found

    def _name(self, index_id: str) -> str:
        return f"{self._namespace}-{index_id}"

    def _is_ours(self, collection: ChromaCollection) -> bool:
        index_id = collection.metadata.get(INDEX_KEY)
        is_named_so = isinstance(index_id, str) and collection.name == self._name(index_id)
        return is_named_so and collection.metadata.get(NAMESPACE_KEY) == self._namespace


def _dimensions(collection: ChromaCollection) -> int:
    value = collection.metadata.get(DIMENSIONS_KEY)
    return int(value) if isinstance(value, int | float) else 0


def _cut(whole: ChromaBatch, size: int) -> list[ChromaBatch]:
    return [
        ChromaBatch(
            whole.ids[start : start + size],
            whole.vectors[start : start + size],
            whole.metadatas[start : start + size],
        )
        for start in range(0, len(whole.ids), size)
    ]


def _failure(error: ChromaFailed, doing: str) -> RetrievalUnavailable:
    return RetrievalUnavailable(f"Chroma {error.message} ({doing})")
