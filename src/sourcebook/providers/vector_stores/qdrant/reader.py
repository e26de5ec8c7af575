"""Reads Qdrant collections that other tools filled, to search them or to copy them.

It never writes, and creates no index.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from qdrant_client import AsyncQdrantClient, models

from sourcebook.core.errors import ConfigurationError, NotFound
from sourcebook.core.filters import Filter
from sourcebook.core.metadata import Metadata
from sourcebook.ingestion.transfer.foreign import ForeignPoint
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
    copied_metadata,
    mapped_value,
    settled,
)
from sourcebook.providers.vector_stores.qdrant.connection import (
    FAILURES,
    NO_SERVER,
    connected,
    status_of,
    translated,
)
from sourcebook.providers.vector_stores.qdrant.filters import Fields, compile_filter
from sourcebook.providers.vector_stores.qdrant.index import StrictLimits, strict_limits
from sourcebook.providers.vector_stores.qdrant.ownership import is_ours
from sourcebook.providers.vector_stores.qdrant.settings import QdrantSettings

PAGE_SIZE = 200


@asynccontextmanager
async def open_foreign_qdrant(
    settings: QdrantSettings, namespace: str, mapping: FieldMapping
) -> AsyncIterator["ForeignQdrant"]:
    """Open a client; nothing is asked of the server yet."""
    async with connected(settings) as client:
        yield ForeignQdrant(client, namespace, mapping, settings.timeout_s)


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
    async with open_foreign_qdrant(settings, namespace, mapping) as store:
        found = await store.find(collection)
        if found is None:
            raise NotFound(f"There is no collection {collection!r} to adopt at the Qdrant server")
        yield await found.adopted(name=name, model=model)


class ForeignQdrant:
    """Implements `ForeignStore`."""

    def __init__(
        self, client: AsyncQdrantClient, namespace: str, mapping: FieldMapping, timeout_s: float
    ) -> None:
        self._client = client
        self._namespace = namespace
        self._mapping = mapping
        self._timeout_s = timeout_s

    async def names(self) -> list[str]:
        async with translated("listing collections", NO_SERVER, self._timeout_s):
            listed = (await self._client.get_collections()).collections
        names = sorted(found.name for found in listed)
        return [name for name in names if await self._info(name) is not None]

    async def collection(self, name: str) -> "ForeignQdrantCollection":
        found = await self.find(name)
        if found is None:
            raise NotFound(
                f"There is no collection {name!r} of another tool at the Qdrant server. It has"
                f" {await self.names()}"
            )
        return found

    async def find(self, name: str) -> "ForeignQdrantCollection | None":
        """Return a collection; None if it is not there, or one of Sourcebook's own."""
        info = await self._info(name)
        if info is None:
            return None
        vectors = _searched_vectors(name, info, self._mapping.vector)
        async with _asking("reading", name, self._timeout_s):
            sample, _ = await self._client.scroll(name, limit=SAMPLE_SIZE, with_payload=True)
        mapping = settled(self._mapping, [point.payload or {} for point in sample])
        limits = strict_limits(info)
        indexes = {path: index.data_type for path, index in info.payload_schema.items()}
        return ForeignQdrantCollection(
            client=self._client,
            name=name,
            metadata=dict(info.config.metadata or {}),
            vectors=vectors,
            fields=Fields(indexes, limits.only_indexed, mapping),
            mapping=mapping,
            limits=limits,
            timeout_s=self._timeout_s,
        )

    async def _info(self, name: str) -> models.CollectionInfo | None:
        """Describe a collection; None if it is not there, or one of Sourcebook's own."""
        async with _asking("looking up", name, self._timeout_s):
            try:
                info = await self._client.get_collection(name)
            except FAILURES as exc:
                if status_of(exc) == 404:
                    return None
                raise
        return None if is_ours(name, info.config.metadata, self._namespace) else info


@dataclass(frozen=True, slots=True)
class _SearchedVectors:
    """The vectors that are searched; `name` is None if the collection's only ones have none."""

    name: str | None
    dimensions: int
    distance: models.Distance

    def cosine(self, score: float) -> float:
        """Convert a score to the cosine, if the query's vector is of length one."""
        cosine = 1.0 - score * score / 2 if self.distance == models.Distance.EUCLID else score
        return max(-1.0, min(1.0, cosine))


@dataclass(frozen=True, slots=True)
class ForeignQdrantCollection:
    """Implements `ForeignCollection` and `AdoptedSource`."""

    client: AsyncQdrantClient
    name: str
    metadata: Metadata
    vectors: _SearchedVectors
    fields: Fields
    mapping: FieldMapping
    limits: StrictLimits
    timeout_s: float

    @property
    def dimensions(self) -> int:
        return self.vectors.dimensions

    async def adopted(self, *, name: str | None = None, model: str | None = None) -> AdoptedReader:
        """Return its reader; ConfigurationError if its scores do not give the cosine."""
        await self._check_lengths()
        return AdoptedReader(
            name=name or self.name,
            model=model,
            dimensions=self.dimensions,
            mapping=self.mapping,
            source=self,
            max_depth=min(MAX_DEPTH, self.limits.max_asked or MAX_DEPTH),
        )

    async def count(self) -> int:
        async with self._asking("counting"):
            return (await self.client.count(self.name, exact=True)).count

    async def points(self) -> AsyncIterator[Sequence[ForeignPoint]]:
        offset: models.ExtendedPointId | None = None
        while True:
            async with self._asking("reading"):
                page, offset = await self.client.scroll(
                    self.name,
                    limit=PAGE_SIZE,
                    offset=offset,
                    with_payload=True,
                    with_vectors=True if self.vectors.name is None else [self.vectors.name],
                )
            yield [self._point(found) for found in page]
            if offset is None:
                return

    async def nearest(self, unit: list[float], depth: int, filter_: Filter) -> list[Candidate]:
        where = compile_filter(filter_, self.fields)
        if where is False:
            return []
        async with self._asking("searching"):
            found = await self.client.query_points(
                self.name,
                query=unit,
                using=self.vectors.name,
                limit=depth,
                query_filter=None if where is True else where,
                with_payload=True,
                with_vectors=False,
            )
        return [self._candidate(point) for point in found.points]

    async def _check_lengths(self) -> None:
        """Refuse dot products and Euclidean distances of vectors that are not of length one."""
        if self.vectors.distance == models.Distance.COSINE:
            return
        async with self._asking("reading"):
            sample, _ = await self.client.scroll(self.name, limit=SAMPLE_SIZE, with_vectors=True)
        if not are_unit_vectors(vector for one in sample if (vector := self._vector(one))):
            raise ConfigurationError(
                f"The collection {self.name!r} compares by {self.vectors.distance.value} vectors"
                " that are not of length one, so its scores say nothing of the cosine; fill it"
                " again with cosine distance or with vectors of length one"
            )

    def _candidate(self, point: models.ScoredPoint) -> Candidate:
        chunk = adopted_chunk(str(point.id), point.payload or {}, self.mapping)
        return Candidate(chunk, self.vectors.cosine(point.score))

    def _point(self, found: models.Record) -> ForeignPoint:
        payload = found.payload or {}
        text = mapped_value(payload, self.mapping, "text")
        return ForeignPoint(
            id=str(found.id),
            text=text if isinstance(text, str) else "",
            metadata=copied_metadata(payload, self.mapping),
            vector=self._vector(found),
        )

    def _vector(self, point: models.Record) -> list[float]:
        """Return the point's vector that is searched; empty if it has none."""
        vectors = point.vector
        found = vectors.get(self.vectors.name or "") if isinstance(vectors, dict) else vectors
        numbers = found if isinstance(found, list) else []
        return [float(number) for number in numbers if isinstance(number, int | float)]

    def _asking(self, doing: str) -> AbstractAsyncContextManager[None]:
        return _asking(doing, self.name, self.timeout_s)


def _asking(doing: str, collection: str, timeout_s: float) -> AbstractAsyncContextManager[None]:
    missing = f"There is no collection {collection!r} at the Qdrant server any more"
    return translated(f"{doing} the collection {collection!r}", missing, timeout_s)


def _searched_vectors(
    collection: str, info: models.CollectionInfo, wanted: str | None
) -> _SearchedVectors:
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
    return _SearchedVectors(name, params.size, params.distance)


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
