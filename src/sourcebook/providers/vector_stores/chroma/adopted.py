"""Reads a Chroma collection that another tool filled. It never writes."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace

from sourcebook.core.documents import Chunk
from sourcebook.core.errors import ConfigurationError, NotFound, RetrievalUnavailable
from sourcebook.core.filters import Filter
from sourcebook.core.text import is_blank
from sourcebook.providers.vector_stores.adopted import (
    SAMPLE_SIZE,
    AdoptedReader,
    Candidate,
    are_unit_vectors,
)
from sourcebook.providers.vector_stores.chroma.client import (
    ChromaClient,
    ChromaCollection,
    ChromaFailed,
    ChromaRecord,
    CollectionMissing,
    Where,
)
from sourcebook.providers.vector_stores.chroma.embedded import open_foreign_chroma
from sourcebook.providers.vector_stores.chroma.filters import compile_wide
from sourcebook.providers.vector_stores.chroma.search import ScoredRecord, nearest
from sourcebook.providers.vector_stores.chroma.server import open_chroma_server
from sourcebook.providers.vector_stores.chroma.settings import (
    ChromaFolderSettings,
    ChromaServerSettings,
)
from sourcebook.providers.vector_stores.chroma.store import NAMESPACE_KEY
from sourcebook.providers.vector_stores.field_mapping import (
    FieldMapping,
    adopted_chunk,
    mapped_value,
    settled,
)

# A path that no field has: the text is Chroma's document, and no field is to be taken for it.
_NO_FIELD = ""


@asynccontextmanager
async def open_adopted_chroma(
    settings: ChromaServerSettings | ChromaFolderSettings,
    collection: str,
    mapping: FieldMapping,
    *,
    name: str | None = None,
    model: str | None = None,
) -> AsyncIterator[AdoptedReader]:
    """Connect to the collection.

    NotFound if it is not there or is one of ours; RetrievalUnavailable while the server is down;
    ConfigurationError if it cannot be read.
    """
    async with open_client(settings) as client:
        found, sample = await _look_up(client, collection)
        if not sample:
            raise RetrievalUnavailable(
                f"The collection {collection!r} is empty, so the length of its vectors is not known"
            )
        _check_lengths(found, sample)
        mapping = settle_fields(mapping, sample)
        yield AdoptedReader(
            name=name or collection,
            model=model,
            dimensions=len(sample[0].vector),
            mapping=mapping,
            source=_ChromaSource(client, found, mapping),
        )


@dataclass(frozen=True, slots=True)
class _ChromaSource:
    client: ChromaClient
    collection: ChromaCollection
    mapping: FieldMapping

    async def nearest(self, unit: list[float], depth: int, filter_: Filter) -> list[Candidate]:
        where = compile_wide(filter_, self.mapping)
        if where is False:
            return []
        async with asking("searching", self.collection.name):
            found = await self._nearest(unit, depth, None if where is True else where)
        return [Candidate(_chunk(one.record, self.mapping), one.cosine) for one in found]

    async def count(self) -> int:
        async with asking("counting", self.collection.name):
            return await self.client.count(self.collection)

    async def look_up(self) -> None:
        async with asking("looking up", self.collection.name):
            await self.client.find(self.collection.name)

    async def _nearest(
        self, unit: Sequence[float], depth: int, where: Where | None
    ) -> list[ScoredRecord]:
        try:
            return await nearest(self.client, self.collection, unit, depth, where)
        except ChromaFailed:
            if where is None:
                raise
        # An older server may not know our conditions; the filter is applied again anyway.
        return await nearest(self.client, self.collection, unit, depth, None)


def open_client(
    settings: ChromaServerSettings | ChromaFolderSettings,
) -> AbstractAsyncContextManager[ChromaClient]:
    """Open another tool's folder, or a client of a server."""
    if isinstance(settings, ChromaFolderSettings):
        return open_foreign_chroma(settings.path)
    return open_chroma_server(settings)


async def _look_up(
    client: ChromaClient, collection: str
) -> tuple[ChromaCollection, list[ChromaRecord]]:
    """Return the collection and a sample of its records; NotFound."""
    missing = NotFound(f"There is no collection {collection!r} to adopt in Chroma")
    async with asking("reading", collection):
        try:
            found = await client.find(collection)
        except CollectionMissing:
            raise missing from None
        # An index of ours, or of another installation: its points hold no text.
        if NAMESPACE_KEY in found.metadata:
            raise missing
        return found, await client.records(found, limit=SAMPLE_SIZE, vectors=True)


def _chunk(record: ChromaRecord, mapping: FieldMapping) -> Chunk | None:
    return adopted_chunk(record.id, record.metadata, mapping, record_text(record, mapping))


def record_text(record: ChromaRecord, mapping: FieldMapping) -> str:
    """Return the text of a record: Chroma's document, unless the mapping names a field."""
    if mapping.text == _NO_FIELD:
        return record.document or ""
    found = mapped_value(record.metadata, mapping, "text")
    return found if isinstance(found, str) else ""


@asynccontextmanager
async def asking(doing: str, collection: str) -> AsyncIterator[None]:
    """Translate what the calls inside raise."""
    try:
        yield
    except CollectionMissing:
        raise RetrievalUnavailable(
            f"There is no collection {collection!r} in Chroma any more"
        ) from None
    except ChromaFailed as exc:
        raise RetrievalUnavailable(
            f"Chroma {exc.message} ({doing} the collection {collection!r})"
        ) from exc


def settle_fields(mapping: FieldMapping, sample: Sequence[ChromaRecord]) -> FieldMapping:
    """Fill what the mapping leaves open; the text is Chroma's document, if there is one."""
    has_documents = any(not is_blank(record.document or "") for record in sample)
    if mapping.text is None and has_documents:
        mapping = replace(mapping, text=_NO_FIELD)
    return settled(mapping, [record.metadata for record in sample])


def _check_lengths(collection: ChromaCollection, sample: Sequence[ChromaRecord]) -> None:
    """Refuse distances that do not give the cosine."""
    if collection.space == "cosine":
        return
    known = collection.space in {"l2", "ip"}
    if not known or not are_unit_vectors(record.vector for record in sample):
        raise ConfigurationError(
            f"The collection {collection.name!r} compares by {collection.space!r} vectors that are"
            " not of length one, so its distances say nothing of the cosine; fill it again with"
            " cosine distance or with vectors of length one"
        )
