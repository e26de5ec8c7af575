"""AdoptedChroma: a Chroma collection that another tool filled, read as it is."""

import math
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from sourcebook.core.documents import Chunk, Hit
from sourcebook.core.errors import ConfigurationError, NotFound, RetrievalUnavailable
from sourcebook.core.filters import Filter
from sourcebook.core.health import ServiceHealth
from sourcebook.core.metadata import is_blank
from sourcebook.core.vectors import Vector
from sourcebook.providers.vector_stores.adopted_search import MAX_DEPTH, Nearest, nearest_passing
from sourcebook.providers.vector_stores.chroma_adopted_filters import compile_wide
from sourcebook.providers.vector_stores.chroma_client import (
    ChromaClient,
    ChromaCollection,
    ChromaFailed,
    ChromaRecord,
    CollectionMissing,
    Where,
)
from sourcebook.providers.vector_stores.chroma_embedded import open_foreign_chroma
from sourcebook.providers.vector_stores.chroma_search import Found, nearest
from sourcebook.providers.vector_stores.chroma_server import open_chroma_server
from sourcebook.providers.vector_stores.chroma_settings import ChromaServerSettings
from sourcebook.providers.vector_stores.chroma_store import NAMESPACE_KEY
from sourcebook.providers.vector_stores.field_mapping import FieldMapping, adopted_chunk, settled
from sourcebook.providers.vector_stores.unit_vectors import unit_query

# How many records are looked at to learn what the other tool calls its fields.
SAMPLE = 64
# Single precision, and what models make of "length one".
_TOLERANCE = 1e-2
# A path that no field has: the text is Chroma's document, and no field is to be taken for it.
_NO_FIELD = ""


class ChromaFolderSettings(BaseModel):
    """A folder that another tool filled with Chroma, and does not write to meanwhile."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    path: Path = Field(title="Folder", description="The folder that holds chroma.sqlite3")


class AdoptedChroma:
    """Answers from the documents and metadata of the other tool. It never writes."""

    def __init__(
        self,
        client: ChromaClient,
        collection: ChromaCollection,
        mapping: FieldMapping,
        *,
        dimensions: int,
        name: str,
        model: str | None = None,
        max_depth: int = MAX_DEPTH,
    ) -> None:
        self.mapping = mapping
        self._client = client
        self._collection = collection
        self._dimensions = dimensions
        self._name = name
        self._model = model
        self._max_depth = max_depth

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
        return self._dimensions

    async def nearest(self, vector: Vector, limit: int, filter_: Filter) -> list[Hit]:
        """The nearest chunks that pass the filter, best first; records without text are none."""
        wanted = unit_query(vector, self._dimensions)
        wide = compile_wide(filter_, self.mapping)
        if wide is False:
            return []
        where = None if wide is True else wide

        async def ask(depth: int) -> Nearest:
            async with _asking("searching", self._collection.name):
                found = await self._ask(wanted, depth, where)
            return Nearest(self._hits(found), complete=len(found) < depth)

        return await nearest_passing(ask, limit, filter_, self._max_depth)

    async def count(self) -> int:
        """How many records it holds."""
        async with _asking("counting", self._collection.name):
            return await self._client.count(self._collection)

    async def check(self) -> ServiceHealth:
        """Ask whether the collection is still there."""
        started = time.perf_counter()
        try:
            async with _asking("looking up", self._collection.name):
                await self._client.find(self._collection.name)
        except RetrievalUnavailable as exc:
            return ServiceHealth("down", message=exc.message)
        return ServiceHealth("up", (time.perf_counter() - started) * 1000)

    async def _ask(self, wanted: Sequence[float], depth: int, where: Where | None) -> list[Found]:
        try:
            return await nearest(self._client, self._collection, wanted, depth, where)
        except ChromaFailed:
            if where is None:
                raise
        # An older server may not know our conditions; all of them are checked again here.
        return await nearest(self._client, self._collection, wanted, depth, None)

    def _hits(self, found: Sequence[Found]) -> list[Hit]:
        read = ((chunk_of(one.record, self.mapping), one.cosine) for one in found)
        return [Hit(chunk, cosine) for chunk, cosine in read if chunk is not None]


def chunk_of(record: ChromaRecord, mapping: FieldMapping) -> Chunk | None:
    """The chunk that a record holds; its document is the text, unless the mapping names a field."""
    if mapping.text == _NO_FIELD:
        return adopted_chunk(record.id, record.metadata, mapping, record.document or "")
    return adopted_chunk(record.id, record.metadata, mapping)


async def find_adopted_chroma(
    client: ChromaClient,
    collection: str,
    mapping: FieldMapping,
    *,
    name: str | None = None,
    model: str | None = None,
) -> AdoptedChroma | None:
    """The collection, if it is there and no index of Sourcebook.

    ConfigurationError says what keeps it from being read.
    """
    async with _asking("reading", collection):
        try:
            found = await client.find(collection)
        except CollectionMissing:
            return None
        # An index of ours, or of another installation: its points hold no text.
        if NAMESPACE_KEY in found.metadata:
            return None
        sample = await client.records(found, limit=SAMPLE, vectors=True)
    if not sample:
        raise RetrievalUnavailable(
            f"The collection {collection!r} is empty, so the length of its vectors is not known"
        )
    _check_lengths(found, sample)
    return AdoptedChroma(
        client,
        found,
        _settled(mapping, sample),
        dimensions=len(sample[0].vector),
        name=name or collection,
        model=model,
    )


@asynccontextmanager
async def open_adopted_chroma(
    settings: ChromaServerSettings | ChromaFolderSettings,
    collection: str,
    mapping: FieldMapping,
    *,
    name: str | None = None,
    model: str | None = None,
) -> AsyncIterator[AdoptedChroma]:
    """The collection, connected until it is left.

    NotFound if it is not there or is one of ours; RetrievalUnavailable while the server is away;
    ConfigurationError if it cannot be read.
    """
    async with _opened(settings) as client:
        adopted = await find_adopted_chroma(client, collection, mapping, name=name, model=model)
        if adopted is None:
            raise NotFound(f"There is no collection {collection!r} to adopt in Chroma")
        yield adopted


def _opened(
    settings: ChromaServerSettings | ChromaFolderSettings,
) -> AbstractAsyncContextManager[ChromaClient]:
    if isinstance(settings, ChromaFolderSettings):
        return open_foreign_chroma(settings.path)
    return open_chroma_server(settings)


@asynccontextmanager
async def _asking(doing: str, collection: str) -> AsyncIterator[None]:
    try:
        yield
    except CollectionMissing:
        raise RetrievalUnavailable(
            f"There is no collection {collection!r} in Chroma any more"
        ) from None
    except ChromaFailed as exc:
        raise RetrievalUnavailable(
            f"Chroma {exc.message} ({doing} the adopted collection {collection!r})"
        ) from exc


def _settled(mapping: FieldMapping, sample: Sequence[ChromaRecord]) -> FieldMapping:
    has_documents = any(not is_blank(record.document or "") for record in sample)
    if mapping.text is None and has_documents:
        mapping = replace(mapping, text=_NO_FIELD)
    return settled(mapping, [record.metadata for record in sample])


def _check_lengths(collection: ChromaCollection, sample: Sequence[ChromaRecord]) -> None:
    """Refuse distances that say nothing of the cosine."""
    if collection.space == "cosine":
        return
    lengths = [math.hypot(*record.vector) for record in sample]
    known = collection.space in {"l2", "ip"}
    if not known or any(abs(length - 1.0) > _TOLERANCE for length in lengths):
        raise ConfigurationError(
            f"The collection {collection.name!r} compares by {collection.space!r} vectors that are"
            " not of length one, so its distances say nothing of the cosine; fill it again with"
            " cosine distance or with vectors of length one"
        )
