"""New collections and their indexes: what is created, and which metadata fields are indexed."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sourcebook.core.collections import MODEL_KEY, Collection, Generation
from sourcebook.core.errors import Conflict, NotFound
from sourcebook.core.metadata import Metadata
from sourcebook.core.ports import Embedder, VectorStore
from sourcebook.core.vectors import IndexedField, IndexSpec

# Clients of Chroma read the distance from here.
DISTANCE: Metadata = {"hnsw:space": "cosine"}
KIND_KEY = "kind"
BOOK_KIND = "book"
# What spec 002 has readers and re-indexing filter by.
BOOK_FIELDS = (
    IndexedField("book_id"),
    IndexedField("module"),
    IndexedField("hardware_tier", "number"),
    IndexedField("chapter", "number"),
    IndexedField("lesson", "number"),
    IndexedField("proficiency_level"),
    IndexedField("layer"),
    IndexedField("parent_doc_id"),
    IndexedField("content_hash"),
    IndexedField("source_file_hash"),
    IndexedField("chunk_index", "number"),
)


def new_collection(name: str, metadata: Metadata, embedder: Embedder) -> Collection:
    """An empty collection of this model, still to be recorded."""
    return Collection(
        id=uuid.uuid4().hex,
        name=name,
        metadata={**metadata, MODEL_KEY: embedder.id, **DISTANCE},
        generation=new_generation(embedder),
    )


def new_generation(embedder: Embedder) -> Generation:
    """A generation for vectors of this model, whose index is still to be created."""
    return Generation(
        index_id=uuid.uuid4().hex,
        model=embedder.id,
        model_revision=embedder.revision,
        dimensions=embedder.dimensions,
    )


@asynccontextmanager
async def fresh_index(
    store: VectorStore, generation: Generation, about: Metadata
) -> AsyncIterator[None]:
    """Create an index for a collection with these metadata, for the ledger to take into use.

    After a failure that is no refusal nobody can tell whether the ledger took it: a lost
    connection says nothing of its commit. Then it stays, and the next start drops it if it
    belongs to no collection.
    """
    await store.create(IndexSpec(generation.index_id, generation.dimensions, indexed_fields(about)))
    try:
        yield
    except (Conflict, NotFound):
        await store.drop(generation.index_id)
        raise


def indexed_fields(collection: Metadata) -> tuple[IndexedField, ...]:
    """The fields for a collection with these metadata of its own."""
    return BOOK_FIELDS if collection.get(KIND_KEY) == BOOK_KIND else ()
