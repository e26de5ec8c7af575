"""A new index that is dropped again if the ledger refuses it."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sourcebook.core.collections import Generation
from sourcebook.core.errors import Conflict, NotFound
from sourcebook.core.ports import Embedder, VectorStore
from sourcebook.core.vectors import IndexSpec


def new_generation(embedder: Embedder) -> Generation:
    """A generation for vectors of this model, whose index is still to be created."""
    return Generation(
        index_id=uuid.uuid4().hex,
        model=embedder.id,
        model_revision=embedder.revision,
        dimensions=embedder.dimensions,
    )


@asynccontextmanager
async def fresh_index(store: VectorStore, generation: Generation) -> AsyncIterator[None]:
    """Create the generation's index, for the ledger to take it into use.

    After a failure that is no refusal nobody can tell whether the ledger took it: a lost
    connection says nothing of its commit. Then it stays, and the next start drops it if it
    belongs to no collection.
    """
    await store.create(IndexSpec(generation.index_id, generation.dimensions))
    try:
        yield
    except (Conflict, NotFound):
        await store.drop(generation.index_id)
        raise
