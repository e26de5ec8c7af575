"""A bulk import is recorded before its number is given out, and goes on where it stopped."""

import asyncio
from collections.abc import Sequence

import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import EmbeddingFailed, NotFound, RateLimited
from sourcebook.core.jobs import ImportTally, IngestJob, JobRequest
from sourcebook.core.ports import Ledger
from sourcebook.core.posted_documents import PostedDocument
from sourcebook.core.vectors import Embedding
from sourcebook.ingestion.job_runner import LEASE_S
from sourcebook.ingestion.posted.bulk_import import BATCH_SIZE
from sourcebook.service.wiring.ingestion import (
    BookConfig,
    DocumentParts,
    assemble_book,
    assemble_documents,
)
from tests.fakes import FakeClock, FakeEmbedder
from tests.memory_store import MemoryStore


def postings(count: int) -> list[PostedDocument]:
    return [PostedDocument("nas", f"/{n}.md", f"No {n}", f"Text number {n}.") for n in range(count)]


class Moody(FakeEmbedder):
    """Takes so many batches and then no more, and never a text with a certain word."""

    def __init__(self, batches: int | None = None) -> None:
        super().__init__("minilm")
        self.left = batches
        self.bitter = "nothing is bitter"
        self.asks_to_wait = 0

    async def embed_documents(self, texts: Sequence[str]) -> list[Embedding]:
        if self.asks_to_wait:
            self.asks_to_wait -= 1
            raise RateLimited("Too many requests", retry_after_s=0.0)
        if any(self.bitter in text for text in texts):
            raise EmbeddingFailed("The model refused a text")
        if self.left is not None and len(self.batches) >= self.left:
            raise EmbeddingFailed("The embedding service is away")
        return await super().embed_documents(texts)


@pytest.fixture
def moody() -> Moody:
    return Moody()


@pytest.fixture
def parts(ledger: Ledger, store: MemoryStore, moody: Moody) -> DocumentParts:
    return assemble_documents(ledger, store, EmbeddingModels([moody]))


async def claimed(ledger: Ledger) -> IngestJob:
    job = await ledger.jobs.claim(LEASE_S, "documents")
    assert job is not None
    return job


async def ended(parts: DocumentParts, ledger: Ledger) -> tuple[IngestJob, ImportTally]:
    """Run the next import to its end."""
    job = await claimed(ledger)
    await parts.runner.run(job)
    return await parts.bulk_imports.status(job.id)


async def test_a_load_is_put_into_the_inbox(parts: DocumentParts, ledger: Ledger) -> None:
    ordered = await parts.bulk_imports.submit(postings(2 * BATCH_SIZE + 5))
    queued, before = await parts.bulk_imports.status(ordered.id)

    job, tally = await ended(parts, ledger)

    assert (queued.status, before.total, before.settled) == ("queued", 45, 0)
    assert (job.id, job.status, job.error) == (ordered.id, "completed", None)
    assert (tally.total, dict(tally.by_status), tally.failures) == (45, {"created": 45}, ())
    assert (job.progress.files_found, job.progress.files_processed) == (45, 45)
    assert (await ledger.collections.get("documents")).count == 45


async def test_what_is_known_is_unchanged_and_what_cannot_be_kept_fails_alone(
    parts: DocumentParts, ledger: Ledger
) -> None:
    one, two, three = postings(3)
    await parts.inbox.put(one)
    await parts.bulk_imports.submit(
        [one, PostedDocument("nas", "/b", "Blank", " \x00 "), two, three, two]
    )

    job, tally = await ended(parts, ledger)

    assert job.status == "partial"
    assert dict(tally.by_status) == {"unchanged": 2, "created": 2, "failed": 1}
    ((place, failure),) = tally.failures
    assert (place, failure.message) == (1, "text is required and must be a non-empty string")


async def test_everything_of_a_posting_survives_the_wait(
    parts: DocumentParts, ledger: Ledger
) -> None:
    whole = PostedDocument(
        "nas", "/a", "A", "Text.", "hash", ("t", "u"), {"n": {"deep": [1, None]}}
    )
    await parts.bulk_imports.submit([whole])

    await ended(parts, ledger)

    assert (await parts.inbox.put(whole)).status == "unchanged"
    collection = await ledger.collections.get("documents")
    header = await ledger.documents.header(collection.id, whole.document_id)
    assert header is not None
    assert header.metadata["hash"] == "hash"


async def test_a_service_that_goes_away_ends_the_load_with_a_true_count(
    parts: DocumentParts, ledger: Ledger, moody: Moody
) -> None:
    moody.left = 1
    await parts.bulk_imports.submit(postings(BATCH_SIZE + 10))

    job, tally = await ended(parts, ledger)

    assert job.status == "partial"
    assert job.error is not None
    assert "The embedding service is away" in job.error
    assert (tally.total, tally.settled) == (BATCH_SIZE + 10, BATCH_SIZE)


async def test_a_service_that_is_away_from_the_start_fails_the_load(
    parts: DocumentParts, ledger: Ledger, moody: Moody
) -> None:
    moody.left = 0
    await parts.bulk_imports.submit(postings(2))

    job, tally = await ended(parts, ledger)

    assert (job.status, tally.settled) == ("failed", 0)


async def test_another_worker_goes_on_with_what_is_left(
    parts: DocumentParts, ledger: Ledger, clock: FakeClock, moody: Moody
) -> None:
    await parts.bulk_imports.submit(postings(BATCH_SIZE + 10))
    first = await claimed(ledger)
    items = await ledger.jobs.unsettled(first.id, BATCH_SIZE)
    results = await parts.inbox.put_all(postings(BATCH_SIZE), first.fence)
    assert len(items) == len(results)

    # It dies here: everything is stored, nothing is settled.
    clock.now_s += LEASE_S + 1
    embedded_before = sum(len(batch) for batch in moody.batches)
    job, tally = await ended(parts, ledger)

    assert (job.id, job.status) == (first.id, "completed")
    assert dict(tally.by_status) == {"unchanged": BATCH_SIZE, "created": 10}
    assert sum(len(batch) for batch in moody.batches) - embedded_before == 10


async def test_a_cancelled_load_keeps_what_it_has_done(
    parts: DocumentParts, ledger: Ledger
) -> None:
    ordered = await parts.bulk_imports.submit(postings(3))
    await ledger.jobs.cancel(ordered.id)

    job, tally = await parts.bulk_imports.status(ordered.id)

    assert (job.status, tally.settled, tally.total) == ("cancelled", 0, 3)
    assert await ledger.jobs.claim(LEASE_S, "documents") is None


async def test_an_order_wakes_the_runner(parts: DocumentParts) -> None:
    running = asyncio.create_task(parts.runner.run_for_ever())
    await asyncio.sleep(0)
    ordered = await parts.bulk_imports.submit(postings(3))

    async with asyncio.timeout(20):
        while not (await parts.bulk_imports.status(ordered.id))[0].finished:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)

    assert (await parts.bulk_imports.status(ordered.id))[0].status == "completed"


@pytest.mark.parametrize("job_id", [0, -1, 999, 2**63, 2**70])
async def test_an_unknown_load_is_not_found(parts: DocumentParts, job_id: int) -> None:
    with pytest.raises(NotFound, match=f"Job {job_id} not found"):
        await parts.bulk_imports.status(job_id)


async def test_a_job_of_a_book_is_no_load(parts: DocumentParts, ledger: Ledger) -> None:
    job = await ledger.jobs.enqueue(JobRequest("book"))

    with pytest.raises(NotFound):
        await parts.bulk_imports.status(job.id)


async def test_a_text_that_the_model_refuses_fails_alone(
    parts: DocumentParts, ledger: Ledger, moody: Moody
) -> None:
    moody.bitter = "number 7."
    await parts.bulk_imports.submit(postings(2 * BATCH_SIZE))

    job, tally = await ended(parts, ledger)

    assert (job.status, dict(tally.by_status)) == ("partial", {"created": 39, "failed": 1})
    assert [(at, failure.message) for at, failure in tally.failures] == [
        (7, "The model refused a text")
    ]


async def test_texts_that_are_refused_for_what_they_are_are_no_outage(
    parts: DocumentParts, ledger: Ledger, moody: Moody
) -> None:
    moody.poison = "Text number"
    await parts.bulk_imports.submit(postings(BATCH_SIZE))

    job, tally = await ended(parts, ledger)

    assert (job.status, dict(tally.by_status)) == ("partial", {"failed": BATCH_SIZE})


async def test_a_service_that_asks_to_wait_is_waited_for(
    parts: DocumentParts, ledger: Ledger, moody: Moody
) -> None:
    moody.asks_to_wait = 1
    await parts.bulk_imports.submit(postings(5))

    job, tally = await ended(parts, ledger)

    assert (job.status, dict(tally.by_status)) == ("completed", {"created": 5})


async def test_a_load_is_no_job_of_a_book(
    parts: DocumentParts, ledger: Ledger, store: MemoryStore, moody: Moody
) -> None:
    job = await parts.bulk_imports.submit(postings(1))
    book_jobs = assemble_book(ledger, store, EmbeddingModels([moody]), BookConfig()).book_jobs

    with pytest.raises(NotFound):
        await book_jobs.job(job.id)
    with pytest.raises(NotFound):
        await book_jobs.cancel(job.id)
    assert await book_jobs.recent(10) == []
