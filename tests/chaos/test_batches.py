"""A batch goes in whole, whatever others do between its reading and its writing."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from sourcebook.core.documents import Document
from sourcebook.core.vectors import Point
from tests.chaos.world import World
from tests.fakes import FakeClock
from tests.memory_store import MemoryStore


class InterruptedStore(MemoryStore):
    """Lets somebody else act once, after the points of a write and before its flip."""

    def __init__(self) -> None:
        super().__init__()
        self.between: Callable[[], Awaitable[object]] | None = None

    async def upsert(self, index_id: str, points: Sequence[Point]) -> None:
        await super().upsert(index_id, points)
        if self.between is not None:
            between, self.between = self.between, None
            await between()


@pytest.fixture
def store() -> InterruptedStore:
    return InterruptedStore()


@pytest.fixture
async def world(tmp_path: Path, store: InterruptedStore) -> AsyncIterator[World]:
    world = World(tmp_path / "ledger.db", store, FakeClock())
    await world.start()
    await world.parts.catalog.create("robotics", {}, "minilm")
    await put(world, a="one")
    yield world
    await world.stop()


async def put(world: World, **texts: str) -> None:
    documents = [Document(id_, text, {}) for id_, text in texts.items()]
    await world.parts.ingestor.add("robotics", documents)


async def texts(world: World) -> dict[str, str]:
    (observed,) = await world.observe()
    return {document.id: document.text for document in observed.documents}


async def test_a_batch_with_a_known_document_is_whole_after_the_collection_was_emptied(
    world: World, store: InterruptedStore
) -> None:
    store.between = lambda: world.parts.ingestor.empty("robotics")

    await put(world, a="one", b="two")

    assert await texts(world) == {"a": "one", "b": "two"}


async def test_two_batches_of_the_same_documents_are_never_mixed(
    world: World, store: InterruptedStore
) -> None:
    store.between = lambda: put(world, a="other one", b="other two")

    await put(world, a="one", b="two")

    assert await texts(world) in (
        {"a": "one", "b": "two"},
        {"a": "other one", "b": "other two"},
    )


async def test_a_batch_is_whole_after_one_of_its_documents_was_deleted(
    world: World, store: InterruptedStore
) -> None:
    store.between = lambda: world.parts.ingestor.delete("robotics", ["a"])

    await put(world, a="one", b="two")

    assert await texts(world) in ({"a": "one", "b": "two"}, {"b": "two"})
