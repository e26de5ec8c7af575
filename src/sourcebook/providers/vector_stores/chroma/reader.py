"""Reads Chroma collections that other tools filled, to search them or to copy them.

It never writes.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from chromadb.api.models.Collection import Collection

from sourcebook.core.errors import ConfigurationError, NotFound, RetrievalUnavailable
from sourcebook.core.filters import Filter
from sourcebook.core.metadata import Metadata
from sourcebook.core.text import is_blank
from sourcebook.ingestion.transfer.foreign import ForeignPoint
from sourcebook.providers.vector_stores.adopted import (
    SAMPLE_SIZE,
    AdoptedReader,
    Candidate,
    are_unit_vectors,
)
from sourcebook.providers.vector_stores.chroma.client import (
    Chroma,
    CollectionMissing,
    open_foreign_folder,
    open_server,
)
from sourcebook.providers.vector_stores.chroma.filters import Where, compile_adopted
from sourcebook.providers.vector_stores.chroma.search import (
    Record,
    nearest,
    read,
    record_ids,
    space_of,
)
from sourcebook.providers.vector_stores.chroma.settings import (
    ChromaFolderSettings,
    ChromaServerSettings,
)
from sourcebook.providers.vector_stores.chroma.store import NAMESPACE_KEY
from sourcebook.providers.vector_stores.field_mapping import (
    FieldMapping,
    adopted_chunk,
    copied_metadata,
    mapped_value,
    settled,
)

T = TypeVar("T")

PAGE_SIZE = 200
# Of Chroma's own, which say nothing about the documents.
INTERNAL_PREFIX = "hnsw:"
# A path that no field has: the text is Chroma's document, and no field is to be taken for it.
_NO_FIELD = ""


@asynccontextmanager
async def open_foreign_chroma(
    settings: ChromaServerSettings | ChromaFolderSettings, mapping: FieldMapping
) -> AsyncIterator["ForeignChroma"]:
    """Open a folder that nobody else writes to, or a client of a server."""
    async with (
        open_foreign_folder(settings.path)
        if isinstance(settings, ChromaFolderSettings)
        else open_server(settings) as chroma
    ):
        yield ForeignChroma(chroma, mapping)


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
    async with open_foreign_chroma(settings, mapping) as store:
        found = await store.collection(collection)
        await found.check_lengths()
        yield AdoptedReader(
            name=name or collection,
            model=model,
            dimensions=found.dimensions,
            mapping=found.mapping,
            source=found,
        )


class ForeignChroma:
    """Implements `ForeignStore`."""

    def __init__(self, chroma: Chroma, mapping: FieldMapping) -> None:
        self._chroma = chroma
        self._mapping = mapping

    async def names(self) -> list[str]:
        found = await self._chroma.collections()
        return sorted(one.name for one in found if not _is_sourcebooks(one))

    async def collection(self, name: str) -> "ForeignChromaCollection":
        try:
            found = await self._chroma.find(name)
        except CollectionMissing:
            found = None
        if found is None or _is_sourcebooks(found):
            raise NotFound(
                f"There is no collection {name!r} of another tool in Chroma. It has"
                f" {await self.names()}"
            )
        sample = await self._chroma.run(
            f"reading the collection {name!r}", partial(read, found, limit=SAMPLE_SIZE)
        )
        if not sample or not len(sample[0].vector):
            raise RetrievalUnavailable(
                f"The collection {name!r} is empty, so the length of its vectors is not known"
            )
        mapping = _settled(self._mapping, sample)
        return ForeignChromaCollection(self._chroma, found, mapping, len(sample[0].vector))


@dataclass(frozen=True, slots=True)
class ForeignChromaCollection:
    """Implements `ForeignCollection` and `AdoptedSource`."""

    chroma: Chroma
    collection: Collection
    mapping: FieldMapping
    dimensions: int

    @property
    def name(self) -> str:
        return str(self.collection.name)

    @property
    def metadata(self) -> Metadata:
        found = self.collection.metadata or {}
        return {name: found[name] for name in found if not name.startswith(INTERNAL_PREFIX)}

    async def count(self) -> int:
        return await self._run("counting", lambda: int(self.collection.count()))

    async def points(self) -> AsyncIterator[Sequence[ForeignPoint]]:
        ids = await self._run("reading", partial(record_ids, self.collection))
        for start in range(0, len(ids), PAGE_SIZE):
            page = partial(read, self.collection, ids=ids[start : start + PAGE_SIZE])
            yield [self._point(record) for record in await self._run("reading", page)]

    async def nearest(self, unit: list[float], depth: int, filter_: Filter) -> list[Candidate]:
        where = compile_adopted(filter_, self.mapping)
        if where is False:
            return []
        found = await self._nearest(unit, depth, None if where is True else where)
        return [
            Candidate(
                adopted_chunk(one.id, one.metadata, self.mapping, self._text(one)), one.cosine
            )
            for one in found
        ]

    async def check_lengths(self) -> None:
        """Refuse distances that do not give the cosine."""
        space = space_of(self.collection)
        if space == "cosine":
            return
        sample = await self._run("reading", partial(read, self.collection, limit=SAMPLE_SIZE))
        if space not in {"l2", "ip"} or not are_unit_vectors(one.vector for one in sample):
            raise ConfigurationError(
                f"The collection {self.name!r} compares by {space!r} vectors that are not of length"
                " one, so its distances say nothing of the cosine; fill it again with cosine"
                " distance or with vectors of length one"
            )

    async def _nearest(
        self, unit: Sequence[float], depth: int, where: Where | None
    ) -> list[Record]:
        search = partial(nearest, self.collection, unit, depth)
        try:
            return await self._run("searching", partial(search, where))
        except RetrievalUnavailable:
            if where is None:
                raise
        # An older server may not know our conditions; the filter is applied again anyway.
        return await self._run("searching", partial(search, None))

    async def _run(self, doing: str, work: Callable[[], T]) -> T:
        try:
            return await self.chroma.run(f"{doing} the collection {self.name!r}", work)
        except CollectionMissing:
            raise RetrievalUnavailable(
                f"There is no collection {self.name!r} in Chroma any more"
            ) from None

    def _point(self, record: Record) -> ForeignPoint:
        return ForeignPoint(
            id=record.id,
            text=self._text(record),
            metadata=copied_metadata(record.metadata, self.mapping),
            vector=[float(number) for number in record.vector],
        )

    def _text(self, record: Record) -> str:
        """Return Chroma's document, unless the mapping names a field."""
        if self.mapping.text == _NO_FIELD:
            return record.document or ""
        found = mapped_value(record.metadata, self.mapping, "text")
        return found if isinstance(found, str) else ""


def _is_sourcebooks(collection: Collection) -> bool:
    """True for an index of ours, or of another installation: its points hold no text."""
    return NAMESPACE_KEY in (collection.metadata or {})


def _settled(mapping: FieldMapping, sample: Sequence[Record]) -> FieldMapping:
    """Fill what the mapping leaves open; the text is Chroma's document, if there is one."""
    has_documents = any(not is_blank(record.document or "") for record in sample)
    if mapping.text is None and has_documents:
        mapping = replace(mapping, text=_NO_FIELD)
    return settled(mapping, [record.metadata for record in sample])
