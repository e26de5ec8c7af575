"""An index that belongs to no collection is dropped only when nobody can be about to use it."""

import pytest

from sourcebook.core.collections import Collection
from sourcebook.core.ports import Ledger
from sourcebook.core.vectors import IndexSpec, Point, PointRef
from sourcebook.ingestion.upkeep.orphaned_indexes import ORPHANED_AFTER_S, OrphanedIndexes
from tests.contract.ledger_values import new_collection
from tests.fakes import FakeClock
from tests.memory_store import MemoryStore


@pytest.fixture
def orphaned(ledger: Ledger, store: MemoryStore, clock: FakeClock) -> OrphanedIndexes:
    return OrphanedIndexes(ledger, store, now_s=clock)


@pytest.fixture
async def fresh(store: MemoryStore) -> Collection:
    """A collection whose index another process has created, and not yet recorded."""
    collection = new_collection()
    await store.create(IndexSpec(collection.generation.index_id, 3))
    return collection


async def write_one(store: MemoryStore, index_id: str, point_id: str) -> None:
    ref = PointRef(point_id, "chunk", "document", "version", "digest")
    await store.upsert(index_id, [Point(ref, {}, (1.0, 0.0, 0.0))])


async def test_a_fresh_index_of_another_process_is_left_alone(
    orphaned: OrphanedIndexes,
    store: MemoryStore,
    ledger: Ledger,
    fresh: Collection,
    clock: FakeClock,
) -> None:
    for _ in range(5):
        assert await orphaned.clear() == []
        clock.now_s += ORPHANED_AFTER_S / 6
    await ledger.collections.create(fresh)
    for _ in range(5):
        clock.now_s += ORPHANED_AFTER_S
        assert await orphaned.clear() == []

    assert await store.indexes() == {fresh.generation.index_id}


async def test_an_index_that_nobody_took_into_use_is_dropped_after_an_hour(
    orphaned: OrphanedIndexes, store: MemoryStore, fresh: Collection, clock: FakeClock
) -> None:
    assert await orphaned.clear() == []
    clock.now_s += ORPHANED_AFTER_S - 1
    assert await orphaned.clear() == []
    clock.now_s += 1

    assert await orphaned.clear() == [fresh.generation.index_id]
    assert await store.indexes() == set()


async def test_an_index_that_grows_is_being_built(
    orphaned: OrphanedIndexes, store: MemoryStore, fresh: Collection, clock: FakeClock
) -> None:
    index_id = fresh.generation.index_id
    for number in range(10):
        await write_one(store, index_id, str(number))
        assert await orphaned.clear() == []
        clock.now_s += ORPHANED_AFTER_S - 1

    assert await store.count(index_id) == 10


async def test_the_hour_begins_anew_for_an_index_that_was_in_use_in_between(
    orphaned: OrphanedIndexes, ledger: Ledger, fresh: Collection, clock: FakeClock
) -> None:
    await orphaned.clear()
    await ledger.collections.create(fresh)
    clock.now_s += ORPHANED_AFTER_S
    await orphaned.clear()
    await ledger.collections.delete(fresh.name)

    assert await orphaned.clear() == []
