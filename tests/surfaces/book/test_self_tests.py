"""What administrators read of self-tests: in a job, in a book, and in the metrics."""

from dataclasses import replace
from typing import Any

import httpx2
import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.jobs import JobRequest
from sourcebook.core.ports import Ledger
from sourcebook.search.searcher import Searcher
from sourcebook.service.wiring.ingestion import BookConfig, assemble_book
from tests.books import MemorySource
from tests.memory_store import MemoryStore
from tests.surfaces.book.sample_book import ADMIN, BOOK, JOINTS, Library, id_of

QUESTION = "What are Joint Limits?"


@pytest.fixture
async def library(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels, config: BookConfig
) -> Library:
    return library_of(ledger, store, models, config)


def library_of(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels, config: BookConfig
) -> Library:
    searcher = Searcher(ledger, store, models)
    parts = assemble_book(ledger, store, models, config, searcher=searcher)
    assert isinstance(config.source, MemorySource)
    return Library(config.source, parts, ledger)


async def get(client: httpx2.AsyncClient, path: str) -> Any:
    reply = await client.get(path, headers=ADMIN)
    assert reply.status_code == 200, reply.text
    return reply.json()


async def push(library: Library, commit: str) -> None:
    library.source.commit = commit
    await library.parts.book_jobs.submit(JobRequest(BOOK))
    await library.work_off()


async def bury(library: Library) -> None:
    """Add lessons that are nearer to the question than the one that answers it."""
    await push(library, "c1")
    for number in range(6):
        path = f"module-1-ros2/chapter-5-decoys/{number:02}-decoy.md"
        library.source.write(path, f"{QUESTION} " * 30)
    await push(library, "c2")


async def test_a_job_names_the_questions_that_its_run_lost_with_the_commit(
    client: httpx2.AsyncClient, library: Library
) -> None:
    await bury(library)

    latest, first = await get(client, "/ingestion/status")

    test = latest["self_test"]
    assert (first["self_test"]["commit"], first["self_test"]["lost"]) == ("c1", 0)
    assert first["self_test"]["found"] > 0
    assert (test["commit"], test["lost"], test["still_lost"]) == ("c2", len(test["newly_lost"]), [])
    lost = {probe["question"]: probe for probe in test["newly_lost"]}[QUESTION]
    assert (lost["path"], lost["parent_doc_id"]) == (JOINTS, id_of(JOINTS))
    assert (lost["found_commit"], lost["lost_commit"]) == ("c1", "c2")
    assert await get(client, f"/ingestion/status/{latest['job_id']}") == latest


async def test_a_book_names_its_lost_questions_also_after_a_run_that_changed_nothing(
    client: httpx2.AsyncClient, library: Library
) -> None:
    await bury(library)
    await push(library, "c3")

    (latest, *_), book = await get(client, "/ingestion/status"), await get(client, f"/books/{BOOK}")

    assert latest["self_test"] is None
    assert QUESTION in [probe["question"] for probe in book["self_test"]["newly_lost"]]


async def test_lost_questions_are_counted_in_the_metrics_and_never_named(
    client: httpx2.AsyncClient, library: Library
) -> None:
    await bury(library)

    metrics = (await client.get("/metrics")).text

    (lost,) = [line for line in metrics.splitlines() if 'probes{state="lost"}' in line]
    assert float(lost.split()[-1]) > 0
    assert "Joint" not in metrics


async def test_nothing_is_asked_when_the_setting_says_so(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels, config: BookConfig
) -> None:
    library = library_of(ledger, store, models, replace(config, max_probes=0))

    await push(library, "c1")

    (job,) = await ledger.jobs.recent(1)
    assert (job.status, job.self_test) == ("completed", None)
    assert await ledger.self_tests.get("book", BOOK) is None
