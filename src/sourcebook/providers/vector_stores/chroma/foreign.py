"""Reads whole Chroma collections that other tools filled, to copy them. It never writes."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from sourcebook.core.errors import ConfigurationError, NotFound
from sourcebook.core.metadata import Metadata
from sourcebook.ingestion.transfer.foreign import ForeignPoint
from sourcebook.providers.vector_stores.adopted import SAMPLE_SIZE
from sourcebook.providers.vector_stores.chroma.adopted import (
    asking,
    open_client,
    record_text,
    settle_fields,
)
from sourcebook.providers.vector_stores.chroma.client import (
    ChromaClient,
    ChromaCollection,
    ChromaRecord,
    CollectionMissing,
)
from sourcebook.providers.vector_stores.chroma.settings import (
    ChromaFolderSettings,
    ChromaServerSettings,
)
from sourcebook.providers.vector_stores.chroma.store import NAMESPACE_KEY
from sourcebook.providers.vector_stores.field_mapping import FieldMapping, copied_metadata

PAGE_SIZE = 200
# Of Chroma's own, which say nothing about the documents.
INTERNAL_PREFIX = "hnsw:"


@asynccontextmanager
async def open_foreign_chroma_store(
    settings: ChromaServerSettings | ChromaFolderSettings, mapping: FieldMapping
) -> AsyncIterator["ForeignChroma"]:
    """Open a folder that nobody else writes to, or a client of a server."""
    async with open_client(settings) as client:
        yield ForeignChroma(client, mapping)


class ForeignChroma:
    """Implements `ForeignStore`."""

    def __init__(self, client: ChromaClient, mapping: FieldMapping) -> None:
        self._client = client
        self._mapping = mapping

    async def names(self) -> list[str]:
        async with asking("listing", "collections"):
            found = await self._client.collections()
        # Indexes of ours hold no texts.
        return sorted(one.name for one in found if NAMESPACE_KEY not in one.metadata)

    async def collection(self, name: str) -> "ForeignChromaCollection":
        async with asking("reading", name):
            try:
                found = await self._client.find(name)
            except CollectionMissing:
                raise NotFound(
                    f"There is no collection {name!r} in Chroma. It has {await self.names()}"
                ) from None
            sample = await self._client.records(found, limit=SAMPLE_SIZE, vectors=True)
        if not sample or not len(sample[0].vector):
            raise ConfigurationError(
                f"The collection {name!r} is empty, so the length of its vectors is not known"
            )
        mapping = settle_fields(self._mapping, sample)
        return ForeignChromaCollection(self._client, found, mapping, len(sample[0].vector))


@dataclass(frozen=True, slots=True)
class ForeignChromaCollection:
    """Implements `ForeignCollection`."""

    client: ChromaClient
    collection: ChromaCollection
    mapping: FieldMapping
    dimensions: int

    @property
    def name(self) -> str:
        return self.collection.name

    @property
    def metadata(self) -> Metadata:
        found = self.collection.metadata
        return {name: found[name] for name in found if not name.startswith(INTERNAL_PREFIX)}

    async def count(self) -> int:
        async with asking("counting", self.name):
            return await self.client.count(self.collection)

    async def points(self) -> AsyncIterator[Sequence[ForeignPoint]]:
        # By their ids: pages by offset would shift if somebody wrote meanwhile.
        async with asking("reading", self.name):
            ids = await self.client.ids(self.collection, None)
        for start in range(0, len(ids), PAGE_SIZE):
            wanted = ids[start : start + PAGE_SIZE]
            async with asking("reading", self.name):
                records = await self.client.records(self.collection, wanted, vectors=True)
            yield [self._point(record) for record in records]

    def _point(self, record: ChromaRecord) -> ForeignPoint:
        return ForeignPoint(
            id=record.id,
            text=record_text(record, self.mapping),
            metadata=copied_metadata(record.metadata, self.mapping),
            vector=[float(number) for number in record.vector],
        )
