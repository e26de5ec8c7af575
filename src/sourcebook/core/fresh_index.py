"""A new index that is dropped again unless it is taken into use."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sourcebook.core.collections import Generation
from sourcebook.core.ports import VectorStore
from sourcebook.core.vectors import IndexSpec


@asynccontextmanager
async def fresh_index(store: VectorStore, generation: Generation) -> AsyncIterator[None]:
    """Create the generation's index; whatever fails inside leaves no index behind."""
    await store.create(IndexSpec(generation.index_id, generation.dimensions))
    try:
        yield
    except BaseException:
        await store.drop(generation.index_id)
        raise
