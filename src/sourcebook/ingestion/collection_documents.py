"""Adds, replaces and deletes documents of a collection."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sourcebook.core.collections import Collection
from sourcebook.core.documents import Chunk, Document
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import Conflict, InvalidInput, ModelChanged, PoisonText
from sourcebook.core.indexes import fresh_index, new_generation
from sourcebook.core.metadata import check_metadata
from sourcebook.core.ports import Embedder, Ledger, VectorStore
from sourcebook.core.text import check_text, is_blank
from sourcebook.core.vectors import Embedding
from sourcebook.core.writes import DocumentVersion
from sourcebook.ingestion.chunk_writer import ChunkWriter, new_version
from sourcebook.ingestion.identity import chunk_id, hash_text, new_id, same_document

MAX_ID_LENGTH = 512
MAX_TEXT_LENGTH = 500_000


class Ingestor:
    """Writes documents that clients have split themselves: each one is a single chunk."""

    def __init__(self, ledger: Ledger, store: VectorStore, models: EmbeddingModels) -> None:
        self._ledger = ledger
        self._store = store
        self._models = models
        self._writer = ChunkWriter(ledger, store)

    async def add(self, collection_name: str, documents: Sequence[Document]) -> None:
        """Store all documents or none; one with a known id replaces the stored one."""
        try:
            await self._add(collection_name, documents)
        except ModelChanged:
            # The collection moved to another model after the documents were embedded.
            await self._add(collection_name, documents)

    async def _add(self, collection_name: str, documents: Sequence[Document]) -> None:
        collection = await self._ledger.collections.get(collection_name)
        embedder = self._models.for_writing(collection)
        check_documents(documents)
        if await self._holds(collection, documents):
            return
        collection = await with_model(self._ledger, self._store, collection, embedder)
        # All of them, unchanged or not: a stored one may be replaced or deleted before we commit.
        hashes = [hash_text(document.text) for document in documents]
        texts = {h: document.text for h, document in zip(hashes, documents, strict=True)}
        try:
            embeddings = (await self._writer.embed(embedder, texts)).by_hash
        except PoisonText as error:
            refused = list(texts)[error.positions[0]]
            raise InvalidInput(
                f"Document at index {hashes.index(refused)}: the embedding service refuses its"
                " text. Change it, or leave the document out"
            ) from error
        # In a thread: a thousand of them would hold up other requests.
        versions = await asyncio.to_thread(
            lambda: [
                _as_one_chunk(collection, document, text_hash, embeddings)
                for document, text_hash in zip(documents, hashes, strict=True)
            ]
        )
        await self._writer.write(collection, versions, embeddings)

    async def delete(self, collection_name: str, document_ids: Sequence[str]) -> int:
        """Delete documents by id and return how many existed."""
        collection = await self._ledger.collections.get(collection_name)
        return await self._ledger.documents.delete(collection.id, document_ids)

    async def empty(self, collection_name: str) -> int:
        """Delete all documents in one step and return how many there were."""
        collection = await self._ledger.collections.get(collection_name)
        if not collection.count:
            return 0
        fresh = replace(collection.generation, index_id=new_id())
        async with fresh_index(self._store, fresh, collection.metadata):
            return await self._ledger.documents.empty(collection.id, fresh)

    async def _holds(self, collection: Collection, documents: Sequence[Document]) -> bool:
        """Return whether all of the documents are stored already, just like this."""
        known = await self._ledger.documents.get(collection.id, [d.id for d in documents])
        return all(
            document.id in known and same_document(known[document.id], document)
            for document in documents
        )


async def with_model(
    ledger: Ledger, store: VectorStore, collection: Collection, embedder: Embedder
) -> Collection:
    """Give a collection an index for this model; only an empty collection may change its model."""
    if embedder.revision == collection.generation.model_revision:
        return collection
    fresh = new_generation(embedder)
    async with fresh_index(store, fresh, collection.metadata):
        if not await ledger.collections.move(collection, fresh):
            raise Conflict(
                f"Collection {collection.name!r} was given documents of another model at the"
                " same time; try again"
            )
    return replace(collection, generation=fresh)


def check_documents(documents: Sequence[Document]) -> None:
    """Refuse the whole batch if one document cannot be stored; the message names its index."""
    seen: dict[str, int] = {}
    for index, document in enumerate(documents):
        try:
            _check_document(document)
        except InvalidInput as error:
            raise InvalidInput(f"Document at index {index}: {error.message}") from error
        if document.id in seen:
            raise InvalidInput(
                f"Document at index {index} repeats the id {document.id!r} of the document at"
                f" index {seen[document.id]}; ids must differ within a request"
            )
        seen[document.id] = index


def _check_document(document: Document) -> None:
    if not 1 <= len(document.id) <= MAX_ID_LENGTH:
        raise InvalidInput(f"'id' must have 1 to {MAX_ID_LENGTH} characters")
    check_text(document.id, "'id'")
    if is_blank(document.text):
        raise InvalidInput("'text' is empty; there is nothing to search in it")
    if len(document.text) > MAX_TEXT_LENGTH:
        raise InvalidInput(
            f"'text' has {len(document.text)} characters, {MAX_TEXT_LENGTH} at most; cut it into"
            " several documents"
        )
    check_text(document.text, "'text'")
    check_metadata(document.metadata)


def _as_one_chunk(
    collection: Collection,
    document: Document,
    text_hash: str,
    embeddings: Mapping[str, Embedding],
) -> DocumentVersion:
    chunk = Chunk(
        id=chunk_id(collection.id, document.id, text_hash, occurrence=0),
        document_id=document.id,
        ordinal=0,
        text=document.text,
        metadata=document.metadata,
    )
    return new_version(document, [chunk], [text_hash], embeddings)
