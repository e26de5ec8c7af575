"""What operators see on /metrics: answers, searches, jobs, sizes and queues; never a text."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.core.jobs import JobRequest
from sourcebook.core.ports import Ledger, Reranker
from sourcebook.core.statistics import IndexSize, QueueLength, ServiceStatistics
from sourcebook.core.vectors import IndexQuery, ScoredPoint
from sourcebook.service.http.app import create_app
from sourcebook.service.http.metrics import Metrics
from sourcebook.service.wiring.storage import Storage
from sourcebook.service.wiring.use_cases import build_use_cases
from sourcebook.surfaces.admin_key import AccessRule
from tests.fakes import FakeReranker
from tests.memory_store import MemoryStore

SECRET = "zebra"
DOCUMENT = {
    "text": "A node is one process of a robot.",
    "title": SECRET,
    "source": "notes",
    "path": f"{SECRET}.md",
}


class BrokenStore(MemoryStore):
    """Fails when it is searched."""

    broken = False

    async def search(self, index_id: str, query: IndexQuery) -> list[ScoredPoint]:
        if self.broken:
            raise RetrievalUnavailable("The store is away")
        return await super().search(index_id, query)


@asynccontextmanager
async def service(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels, reranker: Reranker | None = None
) -> AsyncIterator[httpx2.AsyncClient]:
    metrics = Metrics()
    use_cases = build_use_cases(Storage(ledger, store), models, reranker, meter=metrics)
    app = create_app(use_cases, AccessRule(None), [], metrics=metrics)
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield client


async def values(client: httpx2.AsyncClient, name: str) -> dict[str, float]:
    """The values of a metric, by their labels."""
    text = (await client.get("/metrics")).text
    found = re.findall(rf"^{name}(?:{{(.*)}})? (\S+)$", text, re.MULTILINE)
    return {labels.replace('"', ""): float(value) for labels, value in found}


async def test_answers_are_counted_by_how_they_ended(
    ledger: Ledger, models: EmbeddingModels
) -> None:
    store = BrokenStore()
    async with service(ledger, store, models) as client:
        await client.post("/api/rag/ingest", json=DOCUMENT)
        for path in ("/chat", "/chat/stream"):
            await client.post(path, json={"query": "What is a node of a robot?"})
            await client.post(path, json={"query": f"{SECRET} {SECRET}?"})
        await client.post("/chat", json={"query": ""})
        store.broken = True
        await client.post("/chat", json={"query": "What is a process?"})

        answers = await values(client, "sourcebook_answers_total")
        text = (await client.get("/metrics")).text

    assert {labels: count for labels, count in answers.items() if count} == {
        "outcome=answered,surface=chat": 2,
        "outcome=refused,surface=chat": 2,
        "outcome=error,surface=chat": 1,
    }
    assert len(answers) == 10
    assert SECRET not in text


async def test_the_chat_of_the_other_contract_is_counted_as_its_own(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels
) -> None:
    async with service(ledger, store, models) as client:
        await client.post("/api/rag/ingest", json=DOCUMENT)
        for message in ("What is a node of a robot?", "Who painted the ceiling?"):
            asked = {"messages": [{"role": "user", "content": message}], "useRag": True}
            assert (await client.post("/api/chat", json=asked)).status_code == 200

        answers = await values(client, "sourcebook_answers_total")

    assert answers["outcome=answered,surface=api_chat"] == 1
    assert answers["outcome=refused,surface=api_chat"] == 1


async def test_each_stage_of_an_answer_is_measured(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels
) -> None:
    async with service(ledger, store, models, FakeReranker()) as client:
        await client.post("/api/rag/ingest", json=DOCUMENT)
        await client.post("/chat", json={"query": "What is a node of a robot?"})

        answer = await values(client, "sourcebook_answer_seconds_count")
        search = await values(client, "sourcebook_search_seconds_count")
        spent = await values(client, "sourcebook_answer_seconds_sum")

    # Quotes are chosen, not generated.
    stages = ("retrieval", "checks", "total")
    assert answer == {f"stage={stage},surface=chat": 1 for stage in stages}
    assert search == {f"stage={stage}": 1 for stage in ("embedding", "index", "ledger", "rerank")}
    parts = [spent[f"stage={stage},surface=chat"] for stage in stages]
    assert 0 < sum(parts[:-1]) <= parts[-1]


async def test_the_index_and_the_queue_of_jobs_have_a_size(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels
) -> None:
    await ledger.jobs.enqueue(JobRequest("robotics"))
    async with service(ledger, store, models) as client:
        await client.post("/api/rag/ingest", json=DOCUMENT)

        sizes = [await values(client, f"sourcebook_{of}") for of in ("collections", "documents")]
        jobs = await values(client, "sourcebook_jobs")

    assert sizes == [{"": 1}, {"": 1}]
    assert {labels: count for labels, count in jobs.items() if count} == {
        "kind=book,status=queued": 1
    }
    assert len(jobs) == 6


async def test_without_the_ledger_the_other_metrics_are_there(
    ledger: Ledger,
    store: MemoryStore,
    models: EmbeddingModels,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def away() -> IndexSize:
        raise RetrievalUnavailable("The ledger is away")

    monkeypatch.setattr(type(ledger), "size", lambda self: away())
    async with service(ledger, store, models) as client:
        reply = await client.get("/metrics")

    assert reply.status_code == 200
    assert "sourcebook_documents" not in reply.text
    assert "sourcebook_answers_total" in reply.text


def test_what_is_known_becomes_gauges_and_what_is_not_has_no_series() -> None:
    known = ServiceStatistics(
        IndexSize(collections=2, documents=30, chunks=400),
        {("reindex", "running"): 1},
        {"databases": 5_000, "index": 6_000},
        {"minilm": QueueLength(waiting_queries=7, waiting_documents=8, running=9)},
    )

    text = Metrics().render(known)[0].decode()
    nothing = Metrics().render(ServiceStatistics())[0].decode()

    for line in (
        "sourcebook_chunks 400.0",
        'sourcebook_jobs{kind="reindex",status="running"} 1.0',
        'sourcebook_disk_bytes{part="index"} 6000.0',
        'sourcebook_model_queue_texts{model="minilm",state="waiting_queries"} 7.0',
        'sourcebook_model_queue_texts{model="minilm",state="waiting_documents"} 8.0',
        'sourcebook_model_queue_texts{model="minilm",state="running"} 9.0',
    ):
        assert f"\n{line}\n" in text
    for name in ("chunks", "jobs{", "disk_bytes", "model_queue"):
        assert f"sourcebook_{name}" not in nothing
    assert "sourcebook_build_info{version=" in nothing


def test_jobs_that_ended_are_counted_by_kind_and_status() -> None:
    metrics = Metrics()
    metrics.job("book", "completed", 3.0)
    metrics.job("book", "failed", 400.0)

    text = metrics.render(ServiceStatistics())[0].decode()

    assert 'sourcebook_job_seconds_count{kind="book",status="completed"} 1.0' in text
    assert 'sourcebook_job_seconds_bucket{kind="book",le="300.0",status="failed"} 0.0' in text
    assert 'sourcebook_job_seconds_bucket{kind="book",le="900.0",status="failed"} 1.0' in text
