"""The catalog leaves nothing behind when something goes wrong."""

import pytest

from sourcebook.core.errors import AlreadyExists
from sourcebook.surfaces.use_cases import UseCases
from tests.memory_store import MemoryStore


async def test_a_refused_name_leaves_no_index(use_cases: UseCases, store: MemoryStore) -> None:
    created = await use_cases.catalog.create("robotics", {}, "minilm")

    for _ in range(3):
        with pytest.raises(AlreadyExists):
            await use_cases.catalog.create("robotics", {}, "minilm")

    assert await store.indexes() == {created.generation.index_id}
