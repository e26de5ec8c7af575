"""Large loads: recorded, worked off in the background, and followed by their number."""

from typing import Any

import httpx2
import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.jobs import JobRequest
from sourcebook.core.ports import Ledger
from sourcebook.ingestion.job_runner import LEASE_S
from sourcebook.service.wiring.ingestion import DocumentParts, assemble_documents
from sourcebook.service.wiring.storage import Storage
from sourcebook.service.wiring.use_cases import build_use_cases
from sourcebook.surfaces.use_cases import UseCases
from tests.fakes import FakeEmbedder
from tests.memory_store import MemoryStore
from tests.surfaces.rag_v3.postings import DOCUMENTS, JOBS, invalid, posting, without

JOB_KEYS = [
    "jobId",
    "status",
    "total",
    "processed",
    "created",
    "updated",
    "unchanged",
    "failed",
    "errors",
    "createdAt",
    "startedAt",
    "finishedAt",
    "error",
]
THEN = "1970-01-12T13:46:40Z"


@pytest.fixture
def parts(ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> DocumentParts:
    return assemble_documents(ledger, store, models)


@pytest.fixture
def use_cases(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels, parts: DocumentParts
) -> UseCases:
    return build_use_cases(Storage(ledger, store), models, reranker=None, posted=parts)


async def work_off(parts: DocumentParts, ledger: Ledger) -> None:
    while (job := await ledger.jobs.claim(LEASE_S, "documents")) is not None:
        await parts.runner.run(job)


async def order(client: httpx2.AsyncClient, documents: list[dict[str, object]]) -> int:
    reply = await client.post(JOBS, json={"documents": documents})
    assert reply.status_code == 202, reply.text
    job_id: int = reply.json()["jobId"]
    assert reply.json() == {"jobId": job_id, "status": "queued", "total": len(documents)}
    return job_id


async def follow(client: httpx2.AsyncClient, job_id: int) -> dict[str, Any]:
    reply = await client.get(f"{JOBS}/{job_id}")
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    assert list(found) == JOB_KEYS
    return found


async def test_a_load_can_be_followed_to_its_end(
    client: httpx2.AsyncClient, parts: DocumentParts, ledger: Ledger
) -> None:
    job_id = await order(client, [posting(f"/{n}") for n in range(60)])
    queued = await follow(client, job_id)
    await work_off(parts, ledger)
    ended = await follow(client, job_id)

    assert (queued["status"], queued["processed"], queued["startedAt"]) == ("queued", 0, None)
    assert ended == {
        "jobId": job_id,
        "status": "completed",
        "total": 60,
        "processed": 60,
        "created": 60,
        "updated": 0,
        "unchanged": 0,
        "failed": 0,
        "errors": [],
        "createdAt": THEN,
        "startedAt": THEN,
        "finishedAt": THEN,
        "error": None,
    }
    assert (await client.get(DOCUMENTS)).json()["total"] == 60


async def test_what_was_there_is_counted_apart(
    client: httpx2.AsyncClient, parts: DocumentParts, ledger: Ledger
) -> None:
    await client.post(DOCUMENTS, json=posting("/a"))
    await client.post(DOCUMENTS, json=posting("/b"))
    job_id = await order(client, [posting("/a"), posting("/b", title="New"), posting("/c")])

    await work_off(parts, ledger)

    ended = await follow(client, job_id)
    counts = {key: ended[key] for key in ("created", "updated", "unchanged", "failed")}
    assert counts == {"created": 1, "updated": 1, "unchanged": 1, "failed": 0}


async def test_a_service_that_is_away_is_told(
    client: httpx2.AsyncClient, parts: DocumentParts, ledger: Ledger, embedder: FakeEmbedder
) -> None:
    embedder.failing = True
    job_id = await order(client, [posting("/a")])

    await work_off(parts, ledger)

    ended = await follow(client, job_id)
    assert (ended["status"], ended["processed"]) == ("failed", 0)
    assert "told to fail" in ended["error"]


@pytest.mark.parametrize(
    ("documents", "field", "message"),
    [
        ([posting(), {}], "documents[1].source", "source is required"),
        ([posting(), 5], "documents[1]", "The body must be a JSON object with a document"),
        (
            [posting(), posting("/b"), posting("/c"), without("text")],
            "documents[3].text",
            "text is required",
        ),
        ([], "documents", "documents must be an array of 1 to 1000 documents"),
        ([{}] * 1_001, "documents", "documents must be an array of 1 to 1000 documents"),
    ],
)
async def test_one_bad_document_refuses_the_load(
    client: httpx2.AsyncClient, ledger: Ledger, documents: object, field: str, message: str
) -> None:
    reply = await client.post(JOBS, json={"documents": documents})

    assert (reply.status_code, reply.json()) == (400, invalid(field, message))
    assert await ledger.jobs.recent(5, kind="documents") == []


async def test_a_thousand_documents_are_one_load(client: httpx2.AsyncClient) -> None:
    await order(client, [posting(f"/{n}") for n in range(1_000)])


@pytest.mark.parametrize("job_id", ["0", "-1", "999", str(2**63), str(2**70)])
async def test_an_unknown_load_is_404(client: httpx2.AsyncClient, job_id: str) -> None:
    reply = await client.get(f"{JOBS}/{job_id}")

    assert reply.status_code == 404
    assert reply.json() == {"error": "Not found", "message": f"Job {job_id} not found"}


async def test_a_job_of_a_book_is_no_load(client: httpx2.AsyncClient, ledger: Ledger) -> None:
    job = await ledger.jobs.enqueue(JobRequest("book"))

    assert (await client.get(f"{JOBS}/{job.id}")).status_code == 404


@pytest.mark.parametrize("job_id", ["x", "1.5", "true", "9" * 5_000])
async def test_what_is_no_number_is_400(client: httpx2.AsyncClient, job_id: str) -> None:
    reply = await client.get(f"{JOBS}/{job_id}")

    assert reply.status_code == 400
    assert reply.json()["details"]["field"] == "job_id"
