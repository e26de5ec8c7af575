"""An index without terms is written anew: as a job, without embedding, while it is used."""

import logging
from collections.abc import AsyncIterator, Sequence
from typing import cast

import pytest
from qdrant_client import AsyncQdrantClient
from sqlalchemy import text

from sourcebook.core.collections import Collection
from sourcebook.core.documents import Document
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import Conflict, RetrievalUnavailable
from sourcebook.core.jobs import IngestJob
from sourcebook.core.ports import Ledger, VectorStore
from sourcebook.core.search_modes import SearchMode
from sourcebook.core.vectors import Point, Vector
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.ingestion.job_runner import JobReport
from sourcebook.ingestion.reindex.outdated_indexes import OutdatedIndexes
from sourcebook.ingestion.reindex.run import ReindexRun
from sourcebook.ingestion.upkeep.sweeper import GRACE_PERIOD_S, Sweeper
from sourcebook.ingestion.upkeep.verifier import Findings, Verifier
from sourcebook.providers.lexical.bm25 import Bm25Encoder
from sourcebook.providers.lexical.term_indexing import index_terms
from sourcebook.providers.storage.ledger.sql_ledger import SqlLedger
from sourcebook.providers.vector_stores.memory import MemoryStore
from sourcebook.providers.vector_stores.qdrant.store import QdrantStore
from sourcebook.search.catalog import Catalog
from sourcebook.search.searcher import Searcher
from sourcebook.service.wiring.ingestion import ReindexParts, assemble_reindexing
from sourcebook.testing.lease_contract import claimed
from tests.fakes import FakeClock, FakeEmbedder
from tests.qdrant_memory import one_at_a_time
from tests.unit.ingestion.reindex.world import NAME, TEXTS, HookedStore

ENGLISH, GERMAN = Bm25Encoder(), Bm25Encoder("german")
ALL = sorted(TEXTS)


@pytest.fixture
async def bare(ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> MemoryStore:
    """A store that an earlier release filled."""
    await fill(ledger, store, models)
    return store


async def fill(ledger: Ledger, store: VectorStore, models: EmbeddingModels) -> None:
    await Catalog(ledger, store, models).create(NAME, {}, "minilm")
    await put(ledger, store, models, **TEXTS)


async def put(ledger: Ledger, store: VectorStore, models: EmbeddingModels, **texts: str) -> None:
    documents = [Document(id_, words, {}) for id_, words in texts.items()]
    await Ingestor(ledger, store, models).add(NAME, documents)


async def nothing_near(collection: Collection, vector: Vector, limit: int) -> list[str]:
    raise AssertionError("a refresh measures no recall")


class Start:
    """A start of the service over a store, in a language."""

    def __init__(
        self,
        ledger: Ledger,
        bare: VectorStore,
        models: EmbeddingModels,
        encoder: Bm25Encoder = ENGLISH,
    ) -> None:
        self.ledger = ledger
        self.store = index_terms(bare, encoder)
        self.models = models
        self.encoder = encoder
        self.parts: ReindexParts = assemble_reindexing(ledger, self.store, models)
        self.outdated = OutdatedIndexes(ledger, self.store, self.parts.jobs)

    async def jobs(self) -> list[IngestJob]:
        """Look for outdated indexes, and return the jobs that wait."""
        assert await self.outdated.refresh()
        return await self.parts.jobs.refreshing()

    async def run(self) -> IngestJob:
        """Work off the job that waits."""
        job = await claimed(self.ledger, "reindex")
        await self.parts.runner.run(job)
        return await self.ledger.jobs.get(job.id)

    async def refresh(self) -> IngestJob:
        assert len(await self.jobs()) == 1
        return await self.run()

    async def found(self, words: str, mode: SearchMode = "keyword") -> list[str]:
        searcher = Searcher(self.ledger, self.store, self.models, terms=self.encoder)
        hits = (await searcher.search(NAME, words, 100, mode=mode)).hits
        return sorted(hit.chunk.document_id for hit in hits)

    async def collection(self) -> Collection:
        return await self.ledger.collections.get(NAME)

    async def findings(self) -> Findings:
        (found,) = await Verifier(self.ledger, self.store).verify()
        return found


def hooked_start(
    ledger: Ledger, bare: MemoryStore, models: EmbeddingModels
) -> tuple[Start, HookedStore]:
    """A start whose jobs let something happen after their next upsert."""
    start = Start(ledger, bare, models)
    hooked = HookedStore(cast(MemoryStore, start.store))
    start.parts = assemble_reindexing(ledger, cast(VectorStore, hooked), models)
    return start, hooked


@pytest.fixture
def start(ledger: Ledger, bare: MemoryStore, models: EmbeddingModels) -> Start:
    return Start(ledger, bare, models)


async def test_an_index_gains_its_terms_and_nothing_is_embedded(
    start: Start, embedder: FakeEmbedder
) -> None:
    embedder.batches.clear()
    assert await start.found("words") == []
    assert len((await start.findings()).outdated) == len(TEXTS)

    job = await start.refresh()

    assert (job.status, job.error, job.is_refresh) == ("completed", None, True)
    progress = job.progress
    assert (progress.chunks_found, progress.chunks_created) == (len(TEXTS), len(TEXTS))
    assert (progress.chunks_embedded, progress.chunks_reused) == (0, len(TEXTS))
    assert embedder.batches == []
    assert await start.found("words") == ALL
    assert (await start.findings()).outdated == ()


async def test_no_second_index_is_kept(
    start: Start, ledger: Ledger, clock: FakeClock, bare: MemoryStore
) -> None:
    before = (await start.collection()).generation

    await start.refresh()

    after = await start.collection()
    assert (after.previous, after.generation.index_id != before.index_id) == (None, True)
    assert after.generation.model_revision == before.model_revision
    clock.now_s += GRACE_PERIOD_S
    await Sweeper(ledger, start.store, clock).sweep()
    assert await bare.indexes() == {after.generation.index_id}


async def test_an_index_with_terms_is_left_alone(start: Start, bare: MemoryStore) -> None:
    await start.refresh()
    again = Start(start.ledger, bare, start.models)
    assert await again.jobs() == []
    assert await again.parts.jobs.submit(NAME) is None


async def test_an_empty_collection_needs_no_job(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels
) -> None:
    await Catalog(ledger, store, models).create(NAME, {}, "minilm")
    assert await Start(ledger, store, models).jobs() == []


async def test_another_language_gives_the_index_other_terms(
    start: Start, bare: MemoryStore
) -> None:
    await start.refresh()
    german = Start(start.ledger, bare, start.models, GERMAN)
    assert len((await german.findings()).outdated) == len(TEXTS)

    assert (await german.refresh()).status == "completed"

    assert await german.found("words") == ALL
    assert (await german.findings()).outdated == ()


class StoreWithoutTerms:
    """A store that finds points by their vectors alone."""

    def __init__(self, inner: MemoryStore) -> None:
        for name in ("create", "drop", "indexes", "upsert", "delete", "search", "count", "scan"):
            setattr(self, name, getattr(inner, name))


async def test_a_store_without_terms_is_never_outdated(
    ledger: Ledger, bare: MemoryStore, models: EmbeddingModels
) -> None:
    plain: VectorStore = StoreWithoutTerms(bare)  # type: ignore[assignment]
    start = Start(ledger, plain, models)
    assert start.store is plain
    assert await start.jobs() == []


async def test_what_is_written_meanwhile_is_in_the_new_index(
    ledger: Ledger, bare: MemoryStore, models: EmbeddingModels
) -> None:
    start, hooked = hooked_start(ledger, bare, models)

    async def write() -> None:
        await put(ledger, start.store, models, a="newer a", d="late d")
        await Ingestor(ledger, start.store, models).delete(NAME, ["b"])
        assert await start.found("words", "dense") == ["a", "c", "d"]

    hooked.hook = write
    job = await start.refresh()

    assert (job.status, await start.found("newer late words")) == ("completed", ["a", "c", "d"])
    found = await start.findings()
    assert (found.clean, found.outdated) == (True, ())


async def test_a_collection_that_is_emptied_meanwhile_keeps_its_new_index(
    ledger: Ledger, bare: MemoryStore, models: EmbeddingModels, clock: FakeClock
) -> None:
    start, hooked = hooked_start(ledger, bare, models)

    async def empty() -> None:
        await Ingestor(ledger, start.store, models).empty(NAME)

    hooked.hook = empty
    job = await start.refresh()

    assert (job.status, await start.found("words", "dense")) == ("completed", [])
    clock.now_s += GRACE_PERIOD_S
    await Sweeper(ledger, start.store, clock).sweep()
    assert await bare.indexes() == {(await start.collection()).generation.index_id}


async def test_a_cancelled_refresh_leaves_the_index_and_the_next_start_tries_again(
    start: Start, clock: FakeClock, bare: MemoryStore
) -> None:
    (job,) = await start.jobs()
    before = await start.collection()
    await start.parts.jobs.cancel(NAME)

    assert (await start.ledger.jobs.get(job.id)).status == "cancelled"
    assert await start.jobs() == []
    assert await start.collection() == before
    assert await start.found("words", "dense") == ALL
    again = Start(start.ledger, bare, start.models)
    assert (await again.refresh()).status == "completed"


async def test_a_refresh_that_was_cancelled_while_it_ran_takes_nothing_into_use(
    ledger: Ledger, bare: MemoryStore, models: EmbeddingModels
) -> None:
    start, hooked = hooked_start(ledger, bare, models)
    before = await start.collection()

    async def cancel() -> None:
        await start.parts.jobs.cancel(NAME)

    hooked.hook = cancel
    job = await start.refresh()

    assert (job.status, await start.collection()) == ("cancelled", before)
    assert job.building is None


async def test_a_refresh_that_was_cancelled_can_be_asked_for_without_a_restart(
    start: Start,
) -> None:
    await start.jobs()
    await start.parts.jobs.cancel(NAME)

    job = await start.parts.jobs.submit(NAME)

    assert job is not None
    assert job.is_refresh
    assert (await start.run()).status == "completed"
    assert await start.found("words") == ALL


async def test_a_crash_after_the_switch_is_no_second_refresh(
    start: Start, clock: FakeClock
) -> None:
    await start.jobs()
    job = await claimed(start.ledger, "reindex")
    run = ReindexRun(start.ledger, start.store, start.models, nothing_near)
    await run.run(job, JobReport())  # and the process ends before it can record that
    moved = await start.collection()
    clock.now_s += 3_600.0

    again = await start.run()

    assert (again.id, again.status, again.progress.chunks_created) == (job.id, "completed", 0)
    assert await start.collection() == moved


class FullStore(MemoryStore):
    """A store whose disk is full."""

    full = False

    async def upsert(self, index_id: str, points: Sequence[Point]) -> None:
        if self.full:
            raise RetrievalUnavailable("The disk of the data folder has less than 256 MiB free")
        await super().upsert(index_id, points)


async def test_without_room_it_says_so_and_goes_on_by_meaning(
    ledger: Ledger, models: EmbeddingModels, caplog: pytest.LogCaptureFixture
) -> None:
    store = FullStore()
    await fill(ledger, store, models)
    store.full = True
    start = Start(ledger, store, models)

    job = await start.refresh()

    assert (job.status, "256 MiB free" in (job.error or "")) == ("failed", True)
    assert any(record.message == "reindexing_failed" for record in caplog.records)
    assert await start.found("words", "dense") == ALL


async def test_it_needs_no_model_while_all_vectors_are_remembered(
    ledger: Ledger, bare: MemoryStore, models: EmbeddingModels
) -> None:
    job = await Start(ledger, bare, EmbeddingModels([])).refresh()
    assert job.status == "completed"
    assert await Start(ledger, bare, models).found("words") == ALL


async def forget_vectors(ledger: Ledger) -> None:
    assert isinstance(ledger, SqlLedger)
    async with ledger.database.writing() as connection:
        await connection.execute(text("DELETE FROM embedding_cache"))


async def test_without_its_model_a_chunk_whose_vectors_are_lost_stays_as_it_is(
    ledger: Ledger, bare: MemoryStore, models: EmbeddingModels
) -> None:
    await forget_vectors(ledger)
    job = await Start(ledger, bare, EmbeddingModels([])).refresh()
    assert (job.status, "'minilm'" in (job.error or "")) == ("failed", True)
    assert await Start(ledger, bare, models).found("words", "dense") == ALL


async def test_with_its_model_a_chunk_whose_vectors_are_lost_is_embedded_and_the_log_says_so(
    start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    await forget_vectors(start.ledger)
    job = await start.refresh()
    assert (job.status, job.progress.chunks_embedded) == ("completed", len(TEXTS))
    told = [record for record in caplog.records if record.message == "chunks_embedded_again"]
    assert [record.levelno for record in told] == [logging.WARNING]


async def test_a_change_of_the_model_has_to_wait_for_a_refresh(start: Start) -> None:
    (job,) = await start.jobs()
    with pytest.raises(Conflict, match=rf"Job {job.id} writes the index .* anew \(queued\)"):
        await start.parts.jobs.submit(NAME, "mxbai-large")
    assert await start.parts.jobs.submit(NAME) == job


async def test_a_change_of_the_model_is_refresh_enough(start: Start) -> None:
    await start.parts.jobs.submit(NAME, "mxbai-large")
    assert await start.jobs() == []
    assert (await start.run()).status == "completed"
    assert (await start.findings()).outdated == ()


async def test_a_rollback_gives_the_kept_index_its_terms(
    ledger: Ledger, bare: MemoryStore, models: EmbeddingModels
) -> None:
    bare_parts = assemble_reindexing(ledger, bare, models)
    await bare_parts.jobs.submit(NAME, "mxbai-large")
    await bare_parts.runner.run(await claimed(ledger, "reindex"))
    start = Start(ledger, bare, models)
    await Ingestor(ledger, start.store, models).delete(NAME, ["b"])
    await start.parts.jobs.roll_back(NAME)

    assert (await start.run()).status == "completed"

    assert await start.found("words") == ["a", "c"]
    found = await start.findings()
    assert (found.clean, found.outdated, found.orphaned) == (True, (), ())


@pytest.fixture
async def server() -> AsyncIterator[QdrantStore]:
    client = AsyncQdrantClient(":memory:")
    yield QdrantStore(one_at_a_time(client), "sourcebook-test")
    await client.close()


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect")
async def test_an_index_on_a_server_gains_its_terms(
    server: QdrantStore, ledger: Ledger, models: EmbeddingModels
) -> None:
    await fill(ledger, server, models)
    start = Start(ledger, server, models)
    assert await start.found("words") == []

    assert (await start.refresh()).status == "completed"

    assert await start.found("words") == ALL
    assert (await start.findings()).outdated == ()
