"""Reads a Qdrant collection that another tool filled. It never writes, and creates no index."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from qdrant_client import AsyncQdrantClient, models

from sourcebook.core.errors import ConfigurationError, NotFound
from sourcebook.core.filters import Filter
from sourcebook.providers.vector_stores.adopted import (
    MAX_DEPTH,
    SAMPLE_SIZE,
    AdoptedReader,
    Candidate,
    are_unit_vectors,
)
from sourcebook.providers.vector_stores.field_mapping import (
    FieldMapping,
    adopted_chunk,
    settled,
)
from sourcebook.providers.vector_stores.qdrant.connection import (
    FAILURES,
    connected,
    status_of,
    translated,
)
from sourcebook.providers.vector_stores.qdrant.filters import ReadableFields, compile_wide
from sourcebook.providers.vector_stores.qdrant.index import strict_limits
from sourcebook.providers.vector_stores.qdrant.ownership import is_ours
from sourcebook.providers.vector_stores.qdrant.settings import DEFAULT_TIMEOUT_S, QdrantSettings


@asynccontextmanager
async def open_adopted_qdrant(
    settings: QdrantSettings,
    collection: str,
    mapping: FieldMapping,
    namespace: str,
    *,
    name: str | None = None,
    model: str | None = None,
) -> AsyncIterator[AdoptedReader]:
    """Connect to the collection.

    NotFound if it is not there or is one of ours; RetrievalUnavailable while the server is down;
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


async def find_adopted_qdrant(
    client: AsyncQdrantClient,
    collection: str,
    mapping: FieldMapping,
    namespace: str,
    *,
    name: str | None = None,
    model: str | None = None,
    timeout_s: float = DEFAULT_TIMEOUT_S,
) -> AdoptedReader | None:
    """Return the collection if it is there and is not one of ours.

    ConfigurationError says what keeps it from being read.
    """
    async with _asking("looking up", collection, timeout_s):
        info = await look_up(client, collection)
    if info is None or is_ours(collection, info.config.metadata, namespace):
        return None
    vectors = searched_vectors(collection, info, mapping.vector)
    async with _asking("reading", collection, timeout_s):
        sample, _ = await client.scroll(
            collection,
            limit=SAMPLE_SIZE,
            with_payload=True,
            with_vectors=vectors.need_unit_length,
        )
    _check_lengths(collection, vectors, sample)
    mapping = settled(mapping, [point.payload or {} for point in sample])
    limits = strict_limits(info)
    readable = ReadableFields(
        mapping,
        {path: index.data_type for path, index in info.payload_schema.items()},
        limits.only_indexed,
    )
    return AdoptedReader(
        name=name or collection,
        model=model,
        dimensions=vectors.dimensions,
        mapping=mapping,
        source=_QdrantSource(client, collection, vectors, readable, timeout_s),
        max_depth=min(MAX_DEPTH, limits.max_asked or MAX_DEPTH),
    )


@dataclass(frozen=True, slots=True)
class SearchedVectors:
    """The vectors that are searched; `name` is None if the collection's only ones have none."""

    name: str | None
    dimensions: int
    distance: models.Distance

    @property
    def need_unit_length(self) -> bool:
        """True if scores are cosines only for vectors of length one."""
        return self.distance != models.Distance.COSINE

    def cosine(self, score: float) -> float:
        """Convert a score to the cosine, if the query's vector is of length one."""
        cosine = 1.0 - score * score / 2 if self.distance == models.Distance.EUCLID else score
        return max(-1.0, min(1.0, cosine))


@dataclass(frozen=True, slots=True)
class _QdrantSource:
    client: AsyncQdrantClient
    collection: str
    vectors: SearchedVectors
    readable: ReadableFields
    timeout_s: float

    async def nearest(self, unit: list[float], depth: int, filter_: Filter) -> list[Candidate]:
        where = compile_wide(filter_, self.readable)
        if where is False:
            return []
        async with self._asking("searching"):
            found = await self.client.query_points(
                self.collection,
                query=unit,
                using=self.vectors.name,
                limit=depth,
                query_filter=None if where is True else where,
                with_payload=True,
                with_vectors=False,
            )
        return [self._candidate(point) for point in found.points]

    async def count(self) -> int:
        async with self._asking("counting"):
            return (await self.client.count(self.collection, exact=True)).count

    async def look_up(self) -> None:
        async with self._asking("looking up"):
            await self.client.get_collection(self.collection)

    def _candidate(self, point: models.ScoredPoint) -> Candidate:
        chunk = adopted_chunk(str(point.id), point.payload or {}, self.readable.mapping)
        return Candidate(chunk, self.vectors.cosine(point.score))

    def _asking(self, doing: str) -> AbstractAsyncContextManager[None]:
        return _asking(doing, self.collection, self.timeout_s)


def _asking(doing: str, collection: str, timeout_s: float) -> AbstractAsyncContextManager[None]:
    missing = f"There is no collection {collection!r} at the Qdrant server any more"
    return translated(f"{doing} the adopted collection {collection!r}", missing, timeout_s)


async def look_up(client: AsyncQdrantClient, collection: str) -> models.CollectionInfo | None:
    """Describe a collection; None if it is not there."""
    try:
        return await client.get_collection(collection)
    except FAILURES as exc:
        if status_of(exc) == 404:
            return None
        raise


def searched_vectors(
    collection: str, info: models.CollectionInfo, wanted: str | None
) -> SearchedVectors:
    """Describe the vectors of that name, or the only ones; ConfigurationError if unsearchable."""
    name, params = _choose(collection, info.config.params.vectors, wanted)
    if params.multivector_config is not None:
        raise ConfigurationError(
            f"The collection {collection!r} keeps several vectors for each point, which cannot"
            " be searched here; name another of its vectors in 'fields: {vector: ...}'"
        )
    if params.distance == models.Distance.MANHATTAN:
        raise ConfigurationError(
            f"The collection {collection!r} compares by Manhattan distance, which says nothing"
            " of the cosine; use cosine, dot or Euclid"
        )
    return SearchedVectors(name, params.size, params.distance)


def _choose(
    collection: str,
    vectors: models.VectorParams | Mapping[str, models.VectorParams] | None,
    wanted: str | None,
) -> tuple[str | None, models.VectorParams]:
    if isinstance(vectors, models.VectorParams):
        if wanted:
            raise ConfigurationError(
                f"The collection {collection!r} has one vector without a name, none that is"
                f" called {wanted!r}; leave 'vector' out of its fields"
            )
        return None, vectors
    named = dict(vectors or {})
    if not named:
        raise ConfigurationError(f"The collection {collection!r} has no dense vectors to search")
    if wanted is None and len(named) == 1:
        wanted = next(iter(named))
    if wanted is None or wanted not in named:
        raise ConfigurationError(
            f"Say which vector of the collection {collection!r} to search, in"
            f" 'fields: {{vector: ...}}'. It has {sorted(named)}"
        )
    return wanted, named[wanted]


def _check_lengths(
    collection: str, vectors: SearchedVectors, sample: Sequence[models.Record]
) -> None:
    """Refuse dot products and Euclidean distances of vectors that are not of length one."""
    if not vectors.need_unit_length:
        return
    if not are_unit_vectors(
        found for point in sample if (found := dense_vector(point, vectors.name))
    ):
        raise ConfigurationError(
            f"The collection {collection!r} compares by {vectors.distance.value} vectors that are"
            " not of length one, so its scores say nothing of the cosine; fill it again with"
            " cosine distance or with vectors of length one"
        )


def dense_vector(point: models.Record, name: str | None) -> list[float]:
    """Return the point's vector of that name, or its only one; empty if it has none."""
    found = point.vector.get(name or "") if isinstance(point.vector, dict) else point.vector
    numbers = found if isinstance(found, list) else []
    return [float(number) for number in numbers if isinstance(number, int | float)]
