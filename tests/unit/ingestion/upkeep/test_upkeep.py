"""Sweeping, verifying and rebuilding: the index follows the ledger, without embedding."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from sourcebook.core.collections import Collection
from sourcebook.core.documents import Chunk, Document, Links
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.ports import Ledger
from sourcebook.core.vectors import IndexSpec, Point, PointRef
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.ingestion.upkeep.rebuilder import Rebuilder, Rebuilt
from sourcebook.ingestion.upkeep.sweeper import ABANDONED_AFTER_S, GRACE_PERIOD_S, Sweeper
from sourcebook.ingestion.upkeep.verifier import Findings, Verifier
from sourcebook.search.catalog import Catalog
from sourcebook.search.searcher import Searcher
from tests.contract.ledger_values import (
    being_built,
    chain_of,
    chunks_of,
    put,
    version_of,
    with_chunks,
)
from tests.fakes import FakeClock, FakeEmbedder
from tests.memory_store import MemoryStore


@pytest.fixture
async def collection(ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> Collection:
    created = await Catalog(ledger, store, models).create("robotics", {}, "minilm")
    documents = [Document(id_, f"words of {id_}", {"id": id_}) for id_ in "abc"]
    await Ingestor(ledger, store, models).add("robotics", documents)
    return created


@pytest.fixture
def index_id(collection: Collection) -> str:
    return collection.generation.index_id


@pytest.fixture
def sweeper(ledger: Ledger, store: MemoryStore, clock: FakeClock) -> Sweeper:
    return Sweeper(ledger, store, now_s=clock)


async def begin_anew(ledger: Ledger, store: MemoryStore, live: Collection) -> Collection:
    """A collection that is being built beside the live one."""
    building = being_built(live)
    await store.create(IndexSpec(building.generation.index_id, building.generation.dimensions))
    await ledger.collections.create(building)
    return building


async def verified(ledger: Ledger, store: MemoryStore) -> Findings:
    (findings,) = await Verifier(ledger, store).verify()
    return findings


async def refs(store: MemoryStore, index_id: str) -> dict[str, PointRef]:
    return {ref.document_id: ref async for batch in store.scan(index_id) for ref in batch}


async def test_replaced_points_stay_for_the_length_of_a_request(
    ledger: Ledger,
    store: MemoryStore,
    models: EmbeddingModels,
    sweeper: Sweeper,
    clock: FakeClock,
    index_id: str,
) -> None:
    await Ingestor(ledger, store, models).add("robotics", [Document("a", "newer words", {})])

    clock.now_s += GRACE_PERIOD_S - 1
    await sweeper.sweep()
    kept = await store.count(index_id)
    clock.now_s += 1
    await sweeper.sweep()

    assert (kept, await store.count(index_id)) == (4, 3)
    assert (await verified(ledger, store)).clean


async def test_points_of_a_write_that_crashed_are_removed(
    ledger: Ledger, store: MemoryStore, sweeper: Sweeper, clock: FakeClock, index_id: str
) -> None:
    lost = PointRef("0b8c9b0a-0000-4000-8000-000000000001", "c", "d", "v", "x")
    await ledger.documents.announce("write", index_id, [lost.id])
    await store.upsert(index_id, [Point(lost, {}, [1.0] * 64)])

    await sweeper.sweep()
    before = await verified(ledger, store)
    clock.now_s += ABANDONED_AFTER_S
    await sweeper.sweep()

    assert (before.clean, before.awaiting) == (True, 1)
    assert await store.count(index_id) == 3


async def test_the_index_of_a_deleted_collection_goes_after_the_grace(
    ledger: Ledger,
    store: MemoryStore,
    models: EmbeddingModels,
    sweeper: Sweeper,
    clock: FakeClock,
    index_id: str,
) -> None:
    await Catalog(ledger, store, models).delete("robotics")

    await sweeper.sweep()
    kept = await store.indexes()
    clock.now_s += GRACE_PERIOD_S
    await sweeper.sweep()

    assert (kept, await store.indexes()) == ({index_id}, set())


async def test_a_start_clears_everything_that_is_dead_or_unknown(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels, sweeper: Sweeper, index_id: str
) -> None:
    await Ingestor(ledger, store, models).delete("robotics", ["a"])
    await store.create(IndexSpec("left-over", 3))

    await sweeper.sweep_all()

    assert await store.indexes() == {index_id}
    assert await store.count(index_id) == 2


async def test_a_replaced_collection_goes_after_the_grace_and_its_index_after_another(
    ledger: Ledger, store: MemoryStore, sweeper: Sweeper, clock: FakeClock, index_id: str
) -> None:
    live = await ledger.collections.get("robotics")
    building = await begin_anew(ledger, store, live)
    assert await ledger.collections.replace(live, building)
    new_index_id = building.generation.index_id

    clock.now_s += GRACE_PERIOD_S - 1
    await sweeper.sweep()
    kept = await ledger.collections.by_id(live.id)
    clock.now_s += 1
    await sweeper.sweep()
    gone = await ledger.collections.by_id(live.id)
    indexes = await store.indexes()
    clock.now_s += GRACE_PERIOD_S
    await sweeper.sweep()

    assert (kept is not None, gone) == (True, None)
    assert (indexes, await store.indexes()) == ({index_id, new_index_id}, {new_index_id})


async def test_a_start_clears_what_was_replaced_and_keeps_what_is_being_built(
    ledger: Ledger, store: MemoryStore, sweeper: Sweeper, index_id: str
) -> None:
    live = await ledger.collections.get("robotics")
    first, second = [await begin_anew(ledger, store, live) for _ in range(2)]
    assert await ledger.collections.replace(live, first)

    await sweeper.sweep_all()

    assert await store.indexes() == {first.generation.index_id, second.generation.index_id}
    assert {c.id for c in await ledger.collections.all(hidden=True)} == {first.id, second.id}
    assert await ledger.garbage.retired_indexes(math.inf) == []


async def test_verifying_leaves_out_what_goes_anyway_but_not_what_is_being_built(
    ledger: Ledger, store: MemoryStore, index_id: str
) -> None:
    live = await ledger.collections.get("robotics")
    first, second = [await begin_anew(ledger, store, live) for _ in range(2)]
    assert await ledger.collections.replace(live, first)
    await put(ledger, second, version_of("a"))

    findings = {found.collection: found for found in await Verifier(ledger, store).verify()}

    assert findings.keys() == {"robotics", second.name}
    assert findings["robotics"].clean
    assert len(findings[second.name].missing) == 1


HEAD, MIDDLE, TAIL = range(3)


@pytest.mark.parametrize(
    ("place", "wrong"),
    [
        (MIDDLE, lambda chunk: replace(chunk, ordinal=0)),
        (MIDDLE, lambda chunk: replace(chunk, links=Links(None, chunk.links.next, 3))),
        (MIDDLE, lambda chunk: replace(chunk, links=Links(chunk.links.previous, None, 3))),
        (HEAD, lambda chunk: replace(chunk, links=Links("nobody", chunk.links.next, 3))),
        (TAIL, lambda chunk: replace(chunk, links=Links(chunk.links.previous, chunk.id, 3))),
        (TAIL, lambda chunk: replace(chunk, links=replace(chunk.links, total=4))),
        (MIDDLE, lambda chunk: replace(chunk, text="other words")),
    ],
    ids=["order", "false head", "false tail", "unknown", "cycle", "total", "text"],
)
async def test_verifying_finds_a_chunk_that_is_not_in_its_place(
    ledger: Ledger,
    store: MemoryStore,
    collection: Collection,
    place: int,
    wrong: Callable[[Chunk], Chunk],
) -> None:
    version = chain_of("chain", "one ", "two ", "three")
    chunks = list(chunks_of(version))
    chunks[place] = wrong(chunks[place])
    await put(ledger, collection, with_chunks(version, *chunks), chain_of("sound", "a ", "b"))

    findings = await verified(ledger, store)

    assert findings.broken == (chunks[place].id,)
    assert not findings.clean


async def test_a_sound_chain_is_not_broken(
    ledger: Ledger, store: MemoryStore, collection: Collection
) -> None:
    await put(ledger, collection, chain_of("chain", "one ", "two ", "three"))

    assert (await verified(ledger, store)).broken == ()


async def test_verifying_finds_a_point_that_is_missing(
    ledger: Ledger, store: MemoryStore, index_id: str
) -> None:
    lost = (await refs(store, index_id))["b"]
    await store.delete(index_id, [lost.id])

    findings = await verified(ledger, store)

    assert not findings.clean
    assert findings.missing == (lost.chunk_id,)
    assert (findings.orphaned, findings.stale) == ((), ())


async def test_verifying_finds_a_point_of_no_document(
    ledger: Ledger, store: MemoryStore, index_id: str
) -> None:
    orphan = PointRef("0b8c9b0a-0000-4000-8000-000000000002", "chunk-x", "unknown", "v", "x")
    await store.upsert(index_id, [Point(orphan, {}, [1.0] * 64)])

    findings = await verified(ledger, store)

    assert findings.orphaned == ("chunk-x",)
    assert (findings.missing, findings.stale) == ((), ())


@pytest.mark.parametrize("changed", ["version", "digest"])
async def test_verifying_finds_a_point_of_other_content(
    ledger: Ledger, store: MemoryStore, index_id: str, changed: str
) -> None:
    ref = (await refs(store, index_id))["a"]
    version = "other" if changed == "version" else ref.version
    digest = "other" if changed == "digest" else ref.digest
    wrong = PointRef(ref.id, ref.chunk_id, "a", version, digest)
    await store.upsert(index_id, [Point(wrong, {}, [1.0] * 64)])

    assert (await verified(ledger, store)).stale == (ref.chunk_id,)


async def test_verifying_finds_a_point_of_an_old_version(
    ledger: Ledger, store: MemoryStore, index_id: str
) -> None:
    old = PointRef("0b8c9b0a-0000-4000-8000-000000000003", "old-chunk", "a", "old", "x")
    await store.upsert(index_id, [Point(old, {}, [1.0] * 64)])

    assert (await verified(ledger, store)).stale == ("old-chunk",)


async def test_a_rebuilt_index_answers_alike_and_embeds_nothing(
    ledger: Ledger,
    store: MemoryStore,
    models: EmbeddingModels,
    embedder: FakeEmbedder,
    collection: Collection,
    index_id: str,
) -> None:
    searcher = Searcher(ledger, store, models)
    before = (await searcher.search("robotics", "words of b", 3)).hits
    batches = len(embedder.batches)

    rebuilt = await Rebuilder(ledger, store).rebuild(await ledger.collections.get("robotics"))

    after = (await searcher.search("robotics", "words of b", 3)).hits
    assert rebuilt == Rebuilt("robotics", points=3, lacking=0)
    assert [hit.chunk for hit in after] == [hit.chunk for hit in before]
    assert len(embedder.batches) == batches
    assert (await verified(ledger, store)).clean


async def test_an_index_that_is_gone_comes_back(
    ledger: Ledger, store: MemoryStore, index_id: str
) -> None:
    await store.drop(index_id)
    missing = await verified(ledger, store)

    rebuilt = await Rebuilder(ledger, store).rebuild_missing()

    assert len(missing.missing) == 3
    assert rebuilt == [Rebuilt("robotics", points=3, lacking=0)]
    assert (await verified(ledger, store)).clean
