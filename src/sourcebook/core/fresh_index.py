"""A new index that is dropped again unless it is taken into use."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sourcebook.core.collections import Generation
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
    """Create the generation's index; whatever fails inside leaves no index behind."""
    await store.create(IndexSpec(generation.index_id, generation.dimensions))
    try:
        yield
    except BaseException:
        await store.drop(generation.index_id)
        raise
