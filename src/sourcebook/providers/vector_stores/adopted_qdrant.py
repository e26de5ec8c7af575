"""AdoptedQdrant: a Qdrant collection that another tool filled, read as it is."""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from qdrant_client import AsyncQdrantClient, models

from sourcebook.core.documents import Hit
from sourcebook.core.errors import NotFound, RetrievalUnavailable
from sourcebook.core.filters import Filter
from sourcebook.core.health import ServiceHealth
from sourcebook.core.vectors import Vector
from sourcebook.providers.vector_stores.adopted_search import MAX_DEPTH, Nearest, nearest_passing
from sourcebook.providers.vector_stores.field_mapping import (
    FieldMapping,
    adopted_chunk,
    settled,
)
from sourcebook.providers.vector_stores.qdrant_adopted_filters import Readable, compile_wide
from sourcebook.providers.vector_stores.qdrant_adopted_vectors import (
    AdoptedVectors,
    check_lengths,
    read_vectors,
)
from sourcebook.providers.vector_stores.qdrant_connection import (
    FAILURES,
    connected,
    status_of,
    translated,
)
from sourcebook.providers.vector_stores.qdrant_ownership import is_ours
from sourcebook.providers.vector_stores.qdrant_settings import TIMEOUT_S, QdrantSettings
from sourcebook.providers.vector_stores.qdrant_strict_mode import strict_limits
from sourcebook.providers.vector_stores.unit_vectors import unit_query

# How many points are looked at to learn what the other tool calls its fields.
SAMPLE = 64


class AdoptedQdrant:
    """Answers from the payloads of the other tool. It never writes, and creates no index."""

    def __init__(
        self,
        client: AsyncQdrantClient,
        collection: str,
        vectors: AdoptedVectors,
        readable: Readable,
        *,
        name: str,
        model: str | None = None,
        max_depth: int = MAX_DEPTH,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self._client = client
        self._collection = collection
        self._vectors = vectors
        self._readable = readable
        self._name = name
        self._model = model
        self._max_depth = max_depth
        self._timeout_s = timeout_s

    @property
    def name(self) -> str:
        """The name that readers ask for."""
        return self._name

    @property
    def model(self) -> str | None:
        """The alias of the model that its vectors come from; None: the first that fits."""
        return self._model

    @property
    def dimensions(self) -> int:
        """The length of its vectors."""
        return self._vectors.dimensions

    @property
    def mapping(self) -> FieldMapping:
        """Where its fields are, as far as that is known."""
        return self._readable.mapping

    async def nearest(self, vector: Vector, limit: int, filter_: Filter) -> list[Hit]:
        """The nearest chunks that pass the filter, best first; points without text are none."""
        wanted = unit_query(vector, self.dimensions)
        wide = compile_wide(filter_, self._readable)

        async def ask(depth: int) -> Nearest:
            found = await self._ask(wanted, depth, wide)
            return Nearest(self._hits(found), complete=len(found) < depth)

        return await nearest_passing(ask, limit, filter_, self._max_depth)

    async def count(self) -> int:
        """How many points it holds."""
        async with self._asking("counting"):
            return (await self._client.count(self._collection, exact=True)).count

    async def check(self) -> ServiceHealth:
        """Ask whether the collection is still there."""
        started = time.perf_counter()
        try:
            async with self._asking("looking up"):
                await self._client.get_collection(self._collection)
        except RetrievalUnavailable as exc:
            return ServiceHealth("down", message=exc.message)
        return ServiceHealth("up", (time.perf_counter() - started) * 1000)

    async def _ask(
        self, wanted: list[float], depth: int, wide: models.Filter | None
    ) -> Sequence[models.ScoredPoint]:
        async with self._asking("searching"):
            found = await self._client.query_points(
                self._collection,
                query=wanted,
                using=self._vectors.name,
                limit=depth,
                query_filter=wide,
                with_payload=True,
                with_vectors=False,
            )
        return found.points

    def _hits(self, found: Sequence[models.ScoredPoint]) -> list[Hit]:
        chunks = [adopted_chunk(str(p.id), p.payload or {}, self.mapping) for p in found]
        return [
            Hit(chunk, self._vectors.cosine(point.score))
            for chunk, point in zip(chunks, found, strict=True)
            if chunk is not None
        ]

    def _asking(self, doing: str) -> AbstractAsyncContextManager[None]:
        return asking(doing, self._collection, self._timeout_s)


def asking(doing: str, collection: str, timeout_s: float) -> AbstractAsyncContextManager[None]:
    """Ask about an adopted collection, in our words if that fails."""
    missing = f"There is no collection {collection!r} at the Qdrant server any more"
    return translated(f"{doing} the adopted collection {collection!r}", missing, timeout_s)


async def find_adopted_qdrant(
    client: AsyncQdrantClient,
    collection: str,
    mapping: FieldMapping,
    namespace: str,
    *,
    name: str | None = None,
    model: str | None = None,
    timeout_s: float = TIMEOUT_S,
) -> AdoptedQdrant | None:
    """The collection, if it is there and is not one of ours.

    ConfigurationError says what keeps it from being read.
    """
    async with asking("looking up", collection, timeout_s):
        info = await _look_up(client, collection)
    if info is None or is_ours(collection, info.config.metadata, namespace):
        return None
    vectors = read_vectors(collection, info, mapping.vector)
    async with asking("reading", collection, timeout_s):
        sample, _ = await client.scroll(
            collection,
            limit=SAMPLE,
            with_payload=True,
            with_vectors=vectors.needs_unit_length,
        )
    check_lengths(collection, vectors, sample)
    limits = strict_limits(info)
    return AdoptedQdrant(
        client,
        collection,
        vectors,
        Readable(
            settled(mapping, [point.payload or {} for point in sample]),
            {path: index.data_type for path, index in info.payload_schema.items()},
            limits.only_indexed,
        ),
        name=name or collection,
        model=model,
        max_depth=min(MAX_DEPTH, limits.most_asked or MAX_DEPTH),
        timeout_s=timeout_s,
    )


@asynccontextmanager
async def open_adopted_qdrant(
    settings: QdrantSettings,
    collection: str,
    mapping: FieldMapping,
    namespace: str,
    *,
    name: str | None = None,
    model: str | None = None,
) -> AsyncIterator[AdoptedQdrant]:
    """The collection, connected until it is left.

    NotFound if it is not there or is one of ours; RetrievalUnavailable while the server is away;
    ConfigurationError if it cannot be read.
    """
    async with connected(settings) as client:
        adopted = await find_adopted_qdrant(
            client,
            collection,
            mapping,
            namespace,
            name=name,
            model=model,
            timeout_s=settings.timeout_s,
        )
        if adopted is None:
            raise NotFound(f"There is no collection {collection!r} to adopt at the Qdrant server")
        yield adopted


async def _look_up(client: AsyncQdrantClient, collection: str) -> models.CollectionInfo | None:
    try:
        return await client.get_collection(collection)
    except FAILURES as exc:
        if status_of(exc) == 404:
            return None
        raise
