"""Reads whole Qdrant collections that other tools filled, to copy them. It never writes."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from qdrant_client import AsyncQdrantClient, models

from sourcebook.core.errors import NotFound
from sourcebook.core.metadata import Metadata
from sourcebook.ingestion.transfer.foreign import ForeignPoint
from sourcebook.providers.vector_stores.adopted import SAMPLE_SIZE
from sourcebook.providers.vector_stores.field_mapping import (
    FieldMapping,
    copied_metadata,
    mapped_value,
    settled,
)
from sourcebook.providers.vector_stores.qdrant.adopted import (
    SearchedVectors,
    dense_vector,
    look_up,
    searched_vectors,
)
from sourcebook.providers.vector_stores.qdrant.connection import connected, translated
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
        async with _asking("listing collections", self._timeout_s):
            listed = (await self._client.get_collections()).collections
        names = sorted(found.name for found in listed)
        return [name for name in names if await self._info(name) is not None]

    async def collection(self, name: str) -> "ForeignQdrantCollection":
        info = await self._info(name)
        if info is None:
            raise NotFound(
                f"There is no collection {name!r} of another tool at the Qdrant server. It has"
                f" {await self.names()}"
            )
        vectors = searched_vectors(name, info, self._mapping.vector)
        async with _asking(f"reading {name!r}", self._timeout_s):
            sample, _ = await self._client.scroll(name, limit=SAMPLE_SIZE, with_payload=True)
        mapping = settled(self._mapping, [point.payload or {} for point in sample])
        metadata = dict(info.config.metadata or {})
        return ForeignQdrantCollection(
            self._client, name, metadata, vectors, mapping, self._timeout_s
        )

    async def _info(self, name: str) -> models.CollectionInfo | None:
        """Describe a collection; None if it is not there, or one of Sourcebook's own."""
        async with _asking(f"looking up {name!r}", self._timeout_s):
            info = await look_up(self._client, name)
        ours = info is not None and is_ours(name, info.config.metadata, self._namespace)
        return None if ours else info


@dataclass(frozen=True, slots=True)
class ForeignQdrantCollection:
    """Implements `ForeignCollection`."""

    client: AsyncQdrantClient
    name: str
    metadata: Metadata
    vectors: SearchedVectors
    mapping: FieldMapping
    timeout_s: float

    @property
    def dimensions(self) -> int:
        return self.vectors.dimensions

    async def count(self) -> int:
        async with _asking(f"counting {self.name!r}", self.timeout_s):
            return (await self.client.count(self.name, exact=True)).count

    async def points(self) -> AsyncIterator[Sequence[ForeignPoint]]:
        wanted = True if self.vectors.name is None else [self.vectors.name]
        offset: models.ExtendedPointId | None = None
        while True:
            async with _asking(f"reading {self.name!r}", self.timeout_s):
                page, offset = await self.client.scroll(
                    self.name,
                    limit=PAGE_SIZE,
                    offset=offset,
                    with_payload=True,
                    with_vectors=wanted,
                )
            yield [self._point(found) for found in page]
            if offset is None:
                return

    def _point(self, found: models.Record) -> ForeignPoint:
        payload = found.payload or {}
        text = mapped_value(payload, self.mapping, "text")
        return ForeignPoint(
            id=str(found.id),
            text=text if isinstance(text, str) else "",
            metadata=copied_metadata(payload, self.mapping),
            vector=dense_vector(found, self.vectors.name),
        )


def _asking(doing: str, timeout_s: float) -> AbstractAsyncContextManager[None]:
    return translated(doing, "The Qdrant server does not have that collection any more", timeout_s)
