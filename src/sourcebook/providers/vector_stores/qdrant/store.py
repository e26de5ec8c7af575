"""QdrantStore: a vector store on a Qdrant server, with one collection for each index.

The contract is tested on the client's in-memory mode, which stands for a server, and on a real
one where SOURCEBOOK_TEST_QDRANT_URL names it. That mode is for tests only: it is slow, and breaks
when several threads use it.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from qdrant_client import AsyncQdrantClient, models

from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.core.health import HealthTimer, ServiceHealth
from sourcebook.core.ports import VectorStore
from sourcebook.core.vectors import (
    IndexQuery,
    IndexSpec,
    Point,
    PointRef,
    ScoredPoint,
    TermMatches,
)
from sourcebook.providers.declaration import Opening
from sourcebook.providers.vector_stores.index_checks import (
    check_dimensions,
    check_index_id,
    is_index_id,
    missing_index,
)
from sourcebook.providers.vector_stores.qdrant.connection import (
    FAILURES,
    NO_SERVER,
    connected,
    translated,
)
from sourcebook.providers.vector_stores.qdrant.index import ServerIndex
from sourcebook.providers.vector_stores.qdrant.ownership import (
    check_namespace,
    index_of,
    mark,
    our_collection,
)
from sourcebook.providers.vector_stores.qdrant.points import DENSE, SPARSE
from sourcebook.providers.vector_stores.qdrant.settings import DEFAULT_TIMEOUT_S, QdrantSettings

# Filters name any field they like; beyond this many, further fields are searched unindexed.
MAX_PAYLOAD_INDEXES = 64
PAGE_SIZE = 1_000


@asynccontextmanager
async def open_store(settings: QdrantSettings, opening: Opening) -> AsyncIterator["QdrantStore"]:
    """Connect to the server. Nothing is asked yet, so it may be down."""
    namespace = check_namespace(opening.namespace)
    async with connected(settings) as client:
        yield QdrantStore(client, namespace, timeout_s=settings.timeout_s)


class QdrantStore(VectorStore):
    """A vector store that several processes can share. Point ids must be UUIDs.

    It sees and touches the collections of its namespace only. A write of many points goes in
    several requests; see `ServerIndex.upsert` for what a failure between them leaves.
    """

    finds_terms = True

    def __init__(
        self,
        client: AsyncQdrantClient,
        namespace: str,
        *,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        max_payload_indexes: int = MAX_PAYLOAD_INDEXES,
    ) -> None:
        self._client = client
        self._namespace = namespace
        self._timeout_s = timeout_s
        self._max_payload_indexes = max_payload_indexes
        self._known: dict[str, ServerIndex] = {}
        self._creating = asyncio.Lock()

    async def create(self, spec: IndexSpec) -> None:
        """Create an empty index, or finish one that a crash left without its payload indexes."""
        check_index_id(spec.id)
        async with self._creating:
            async with self._asking("creating", spec.id):
                await self._create_collection(spec)
            index = await self._look_up(spec.id)
            check_dimensions(index.spec.dimensions, spec)
            await index.index_fields(spec)
            self._known[spec.id] = index

    async def drop(self, index_id: str) -> None:
        self._known.pop(index_id, None)
        if index_id in await self.indexes():
            async with self._asking("dropping", index_id):
                await self._client.delete_collection(self._name(index_id))

    async def indexes(self) -> set[str]:
        """Return the ids of all indexes of this installation."""
        found = {index_of(name, self._namespace) for name in await self._collections()}
        return {index_id for index_id in found if index_id is not None}

    async def upsert(self, index_id: str, points: Sequence[Point]) -> None:
        """Add points; a point with a known id is replaced. Durable on return.

        A bad vector keeps all of them out.
        """
        index = await self._index(index_id)
        await index.upsert(points)

    async def delete(self, index_id: str, point_ids: Sequence[str]) -> None:
        """Remove points by id; unknown ids are ignored. Durable on return."""
        index = await self._index(index_id)
        await index.delete(point_ids)

    async def search(self, index_id: str, query: IndexQuery) -> list[ScoredPoint]:
        index = await self._index(index_id)
        return await index.search(query)

    async def match(self, index_id: str, query: IndexQuery) -> TermMatches:
        return await (await self._index(index_id)).match(query)

    async def count(self, index_id: str) -> int:
        index = await self._index(index_id)
        return await index.count()

    async def scan(self, index_id: str) -> AsyncIterator[Sequence[PointRef]]:
        index = await self._index(index_id)
        offset: models.ExtendedPointId | None = None
        while True:
            refs, offset = await index.page(offset, PAGE_SIZE)
            if refs:
                yield refs
            if offset is None:
                return

    async def check(self) -> ServiceHealth:
        """Ask for the names of the collections, which also shows whether the key is good."""
        timer = HealthTimer()
        try:
            await self.indexes()
        except RetrievalUnavailable as exc:
            return ServiceHealth("down", message=exc.message)
        return timer.report()

    async def _index(self, index_id: str) -> ServerIndex:
        if index_id not in self._known:
            self._known[index_id] = await self._look_up(index_id)
        return self._known[index_id]

    async def _look_up(self, index_id: str) -> ServerIndex:
        if not is_index_id(index_id):
            raise RetrievalUnavailable(missing_index(index_id))
        name = self._name(index_id)
        async with self._asking("looking up", index_id):
            info = await self._client.get_collection(name)
        return ServerIndex(
            self._client,
            index_id,
            name,
            info,
            timeout_s=self._timeout_s,
            max_payload_indexes=self._max_payload_indexes,
        )

    async def _collections(self) -> list[str]:
        async with translated("listing its collections", NO_SERVER, self._timeout_s):
            listed = (await self._client.get_collections()).collections
        return [collection.name for collection in listed]

    async def _create_collection(self, spec: IndexSpec) -> None:
        name = self._name(spec.id)
        if await self._client.collection_exists(name):
            return
        dense = models.VectorParams(size=spec.dimensions, distance=models.Distance.COSINE)
        try:
            await self._client.create_collection(
                name,
                vectors_config={DENSE: dense},
                sparse_vectors_config={
                    SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)
                },
                metadata=mark(self._namespace, spec),
            )
        except FAILURES:
            # Another process may have been faster.
            if not await self._client.collection_exists(name):
                raise

    def _name(self, index_id: str) -> str:
        return our_collection(self._namespace, index_id)

    def _asking(self, doing: str, index_id: str) -> AbstractAsyncContextManager[None]:
        about = f"{doing} index {index_id[:80]!r}"
        return translated(about, missing_index(index_id), self._timeout_s)
