"""New collections and their indexes; an index is dropped again if the ledger refuses it."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sourcebook.core.collections import MODEL_KEY, Collection, Generation
from sourcebook.core.errors import Conflict, NotFound
from sourcebook.core.indexed_fields import indexed_fields
from sourcebook.core.metadata import Metadata
from sourcebook.core.ports import Embedder, VectorStore
from sourcebook.core.vectors import IndexSpec

# Clients of Chroma read the distance from here.
DISTANCE: Metadata = {"hnsw:space": "cosine"}


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
