"""Reads collections out of the ledger, document by document, with vectors on request."""

from collections.abc import AsyncIterator, Mapping, Sequence

from sourcebook.core.collections import Collection
from sourcebook.core.errors import Conflict
from sourcebook.core.ports import Ledger
from sourcebook.core.vectors import Embedding
from sourcebook.core.writes import ChunkVersion, DocumentVersion
from sourcebook.ingestion.transfer.records import (
    MovedChunk,
    MovedCollection,
    MovedDocument,
    MovedRecord,
)


class Exporter:
    """Reads the ledger alone, so that it can work beside a server."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def collections(self, names: Sequence[str] = ()) -> list[Collection]:
        """Return the collections of these names, or all; NotFound."""
        if not names:
            return await self._ledger.collections.all()
        return [await self._ledger.collections.get(name) for name in dict.fromkeys(names)]

    async def records(
        self, collections: Sequence[Collection], *, vectors: bool
    ) -> AsyncIterator[MovedRecord]:
        """Yield each collection, and after it its documents in the order in which they came.

        Conflict if a collection is deleted or replaced meanwhile.
        """
        for collection in collections:
            yield MovedCollection(
                collection.name,
                collection.metadata,
                collection.generation.model,
                collection.generation.model_revision,
                tuple(await self._ledger.books.all(collection.name)),
            )
            async for batch in self._ledger.documents.walk_documents(collection.id):
                known = await self._vectors(collection, batch) if vectors else {}
                for version in batch:
                    yield _document(collection.name, version, known)
            # The documents of a deleted collection just end.
            if await self._ledger.collections.by_id(collection.id) is None:
                raise Conflict(
                    f"Collection {collection.name!r} was deleted or replaced by a new one while it"
                    " was read; export it again"
                )

    async def _vectors(
        self, collection: Collection, batch: Sequence[DocumentVersion]
    ) -> Mapping[str, Embedding]:
        hashes = [chunk.text_hash for version in batch for chunk in version.chunks]
        return await self._ledger.vectors.recall(collection.generation.model_revision, hashes)


def _document(
    collection: str, version: DocumentVersion, vectors: Mapping[str, Embedding]
) -> MovedDocument:
    return MovedDocument(
        collection=collection,
        id=version.document.id,
        text=version.document.text,
        metadata=version.document.metadata,
        chunks=tuple(_chunk(chunk, vectors) for chunk in version.chunks),
        created_at_s=version.created_at_s,
        updated_at_s=version.updated_at_s,
        version=version.version,
    )


def _chunk(version: ChunkVersion, vectors: Mapping[str, Embedding]) -> MovedChunk:
    chunk = version.chunk
    return MovedChunk(
        id=chunk.id,
        text=chunk.text,
        metadata=chunk.metadata,
        extent=chunk.extent,
        embedded_hash=version.text_hash,
        embedding=vectors.get(version.text_hash, ()),
    )
