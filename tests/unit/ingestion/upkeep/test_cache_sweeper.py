"""The embedding cache forgets what nothing needs, and never what an index is rebuilt from."""

from dataclasses import replace

import pytest

from sourcebook.core.collections import Collection
from sourcebook.core.documents import Document
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.jobs import JobRequest
from sourcebook.core.ports import Ledger
from sourcebook.core.vectors import Embedding
from sourcebook.ingestion.chunk_writer import ChunkWriter
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.ingestion.upkeep.cache_sweeper import MIN_AGE_S, CacheLimits, CacheSweeper
from sourcebook.ingestion.upkeep.rebuilder import Rebuilder, Rebuilt
from sourcebook.ingestion.upkeep.sweeper import GRACE_PERIOD_S, Sweeper
from sourcebook.search.catalog import Catalog
from tests.fakes import FakeClock, FakeEmbedder
from tests.memory_store import MemoryStore

DAY_S = 86_400.0
LIMITS = CacheLimits(max_age_s=DAY_S, max_bytes=10**9)
VECTOR: Embedding = ([1.0, 0.0, 0.0],)
VECTOR_BYTES = 3 * 4


@pytest.fixture
async def collection(ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> Collection:
    created = await Catalog(ledger, store, models).create("robotics", {}, "minilm")
    documents = [Document(id_, f"words of {id_}", {}) for id_ in "abc"]
    await Ingestor(ledger, store, models).add("robotics", documents)
    return created


@pytest.fixture
def revision(embedder: FakeEmbedder) -> str:
    return embedder.revision


async def sweep(ledger: Ledger, clock: FakeClock, limits: CacheLimits = LIMITS) -> int:
    return await CacheSweeper(ledger, limits, now_s=clock).sweep()


async def test_what_documents_have_is_remembered_for_ever(
    ledger: Ledger, store: MemoryStore, collection: Collection, clock: FakeClock
) -> None:
    clock.now_s += 1_000 * DAY_S

    assert await sweep(ledger, clock, CacheLimits(max_age_s=0, max_bytes=0)) == 0

    rebuilt = await Rebuilder(ledger, store).rebuild(await ledger.collections.get("robotics"))
    assert rebuilt == Rebuilt("robotics", points=3, lacking=0)


async def test_the_vectors_of_deleted_texts_go_and_those_that_another_has_stay(
    ledger: Ledger,
    store: MemoryStore,
    models: EmbeddingModels,
    collection: Collection,
    clock: FakeClock,
) -> None:
    await Ingestor(ledger, store, models).add("robotics", [Document("d", "words of a", {})])
    clock.now_s += DAY_S
    await Ingestor(ledger, store, models).delete("robotics", ["a", "b"])
    assert await sweep(ledger, clock) == 0, "within the grace period they are needed"

    clock.now_s += GRACE_PERIOD_S
    await Sweeper(ledger, store, now_s=clock).sweep()

    assert await sweep(ledger, clock) == 1
    rebuilt = await Rebuilder(ledger, store).rebuild(await ledger.collections.get("robotics"))
    assert rebuilt == Rebuilt("robotics", points=2, lacking=0)


async def test_the_vectors_of_a_deleted_collection_go(
    ledger: Ledger,
    store: MemoryStore,
    models: EmbeddingModels,
    collection: Collection,
    clock: FakeClock,
) -> None:
    await Catalog(ledger, store, models).delete("robotics")
    clock.now_s += DAY_S

    assert await sweep(ledger, clock) == 3


async def test_what_was_used_a_while_ago_stays_for_a_day(
    ledger: Ledger, revision: str, clock: FakeClock
) -> None:
    await ledger.vectors.remember(revision, {"h1": VECTOR})
    clock.now_s += DAY_S - 1
    assert await sweep(ledger, clock) == 0
    clock.now_s += 1
    assert await sweep(ledger, clock) == 1
    assert await ledger.vectors.recall(revision, ["h1"]) == {}


async def test_a_text_that_is_embedded_again_counts_as_used(
    ledger: Ledger, store: MemoryStore, embedder: FakeEmbedder, clock: FakeClock
) -> None:
    writer = ChunkWriter(ledger, store)
    await writer.embed(embedder, {"h1": "robot arms", "h2": "legs"})
    clock.now_s += DAY_S
    await writer.embed(embedder, {"h1": "robot arms"})

    assert await sweep(ledger, clock) == 1
    assert set(await ledger.vectors.recall(embedder.revision, ["h1", "h2"])) == {"h1"}


async def test_of_too_many_the_oldest_go_but_none_that_may_be_in_writing(
    ledger: Ledger, revision: str, clock: FakeClock
) -> None:
    for name in ("oldest", "older", "newest"):
        await ledger.vectors.remember(revision, {name: VECTOR})
        clock.now_s += MIN_AGE_S / 2
    two = replace(LIMITS, max_bytes=2 * VECTOR_BYTES)

    assert await sweep(ledger, clock, two) == 1
    assert await sweep(ledger, clock, replace(LIMITS, max_bytes=0)) == 1
    names = ["oldest", "older", "newest"]
    assert set(await ledger.vectors.recall(revision, names)) == {"newest"}


async def test_the_vectors_of_a_model_that_no_collection_uses_go(
    ledger: Ledger, collection: Collection, revision: str, clock: FakeClock
) -> None:
    hashes = [
        version.text_hash async for b in ledger.documents.walk(collection.id) for version in b
    ]
    await ledger.vectors.remember("another", dict.fromkeys(hashes, VECTOR))
    clock.now_s += DAY_S

    assert await sweep(ledger, clock) == 3
    assert len(await ledger.vectors.recall(revision, hashes)) == 3


async def test_the_vectors_of_a_new_model_stay_while_a_reindex_waits(
    ledger: Ledger, collection: Collection, clock: FakeClock
) -> None:
    hashes = [
        version.text_hash async for b in ledger.documents.walk(collection.id) for version in b
    ]
    await ledger.vectors.remember("another", dict.fromkeys(hashes, VECTOR))
    await ledger.jobs.enqueue_reindex(collection.id, JobRequest("robotics", model="another"))
    clock.now_s += DAY_S

    assert await sweep(ledger, clock) == 0


async def test_what_is_used_while_a_sweep_runs_is_not_forgotten(
    ledger: Ledger, revision: str, clock: FakeClock
) -> None:
    await ledger.vectors.remember(revision, {"h1": VECTOR})
    clock.now_s += DAY_S
    found = [one async for batch in ledger.vectors.unused() for one in batch]

    await ledger.vectors.reuse(revision, ["h1"])

    assert await ledger.vectors.forget(found) == 0
    assert set(await ledger.vectors.recall(revision, ["h1"])) == {"h1"}
