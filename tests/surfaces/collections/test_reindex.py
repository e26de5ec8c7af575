"""Changing the model of a collection over HTTP."""

from collections.abc import AsyncIterator
from dataclasses import replace

import httpx2
import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.jobs import IngestJob, JobRequest, Progress
from sourcebook.core.ports import Ledger
from sourcebook.service.wiring.ingestion import ReindexParts, assemble_reindexing
from sourcebook.service.wiring.storage import Storage
from sourcebook.service.wiring.use_cases import build_use_cases
from sourcebook.surfaces.collections.reindex_results import eta_s
from tests.conftest import open_client
from tests.contract.lease_contract import claimed
from tests.fakes import FakeEmbedder
from tests.memory_store import MemoryStore

PATH = "/collections/robotics/reindex"
BOTH = "['minilm', 'mxbai-large']"


@pytest.fixture
def parts(ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> ReindexParts:
    return assemble_reindexing(ledger, store, models)


@pytest.fixture
async def client(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels, parts: ReindexParts
) -> AsyncIterator[httpx2.AsyncClient]:
    use_cases = build_use_cases(Storage(ledger, store), models, reranker=None)
    async with open_client(replace(use_cases, reindex_jobs=parts.jobs)) as client:
        body = {"name": "robotics", "embedding_model": "minilm"}
        assert (await client.post("/collections", json=body)).status_code == 200
        documents = [{"id": id_, "text": f"words of {id_}"} for id_ in "abc"]
        added = await client.post("/collections/robotics/documents", json={"documents": documents})
        assert added.status_code == 200
        yield client


async def change(client: httpx2.AsyncClient, model: str = "mxbai-large") -> httpx2.Response:
    return await client.post(PATH, json={"embedding_model": model})


async def work(ledger: Ledger, parts: ReindexParts) -> None:
    await parts.runner.run(await claimed(ledger, "reindex"))


async def found(client: httpx2.AsyncClient) -> list[str]:
    asked = {"collection": "robotics", "query": "words", "top_k": 9}
    reply = await client.post("/query", json=asked)
    assert reply.status_code == 200
    return sorted(result["id"] for result in reply.json()["results"])


async def test_a_change_is_ordered_done_and_described(
    client: httpx2.AsyncClient, ledger: Ledger, parts: ReindexParts
) -> None:
    ordered = await change(client)
    waiting = (await client.get(PATH)).json()
    await work(ledger, parts)
    done = (await client.get(PATH)).json()

    assert ordered.status_code == 202
    assert ordered.json() == {
        "job_id": 1,
        "status": "queued",
        "collection": "robotics",
        "embedding_model": "mxbai-large",
    }
    assert (waiting["status"], waiting["embedding_model"]) == ("queued", "minilm")
    assert (waiting["rollback_to"], waiting["progress"]["chunks_total"]) == (None, 0)
    assert (done["status"], done["embedding_model"]) == ("completed", "mxbai-large")
    assert (done["job_id"], done["target_model"], done["error"]) == (1, "mxbai-large", None)
    assert (done["rollback_to"], done["is_rollback"]) == ("minilm", False)
    assert (done["recall"], done["reindex_required"]) == (None, False)
    assert done["progress"] == {
        "chunks_done": 3,
        "chunks_total": 3,
        "chunks_embedded": 3,
        "chunks_reused": 0,
        "eta_seconds": None,
    }
    assert await found(client) == ["a", "b", "c"]


async def test_the_way_back(
    client: httpx2.AsyncClient, ledger: Ledger, parts: ReindexParts
) -> None:
    await change(client)
    await work(ledger, parts)

    ordered = await client.post(f"{PATH}/rollback")
    await work(ledger, parts)
    done = (await client.get(PATH)).json()

    assert (ordered.status_code, ordered.json()["embedding_model"]) == (202, "minilm")
    assert (done["status"], done["is_rollback"], done["embedding_model"]) == (
        "completed",
        True,
        "minilm",
    )
    assert done["rollback_to"] == "mxbai-large"
    assert await found(client) == ["a", "b", "c"]


async def test_the_metadata_name_the_model_where_the_body_does_not(
    client: httpx2.AsyncClient, ledger: Ledger, parts: ReindexParts
) -> None:
    wish = {"metadata": {"embedding_model": "mxbai-large"}}
    put = await client.put("/collections/robotics/metadata", json=wish)
    assert put.json()["reindex_required"] is True
    assert (await client.get(PATH)).json()["reindex_required"] is True

    for ordered in (await client.post(PATH), await client.post(PATH, json={})):
        assert (ordered.status_code, ordered.json()["job_id"]) == (202, 1)
    await work(ledger, parts)

    described = (await client.get("/collections/robotics")).json()
    assert described["reindex_required"] is False


async def test_recall_is_reported(
    client: httpx2.AsyncClient, ledger: Ledger, parts: ReindexParts
) -> None:
    saved = {"metadata": {"saved_questions": ["words of a", "words of b"]}}
    await client.put("/collections/robotics/metadata?merge=true", json=saved)

    await change(client)
    await work(ledger, parts)

    recall = (await client.get(PATH)).json()["recall"]
    assert recall == {"questions": 2, "k": 10, "mean": 1.0, "worst": 1.0}


async def test_the_model_in_use_needs_no_job(client: httpx2.AsyncClient) -> None:
    reply = await change(client, "minilm")

    assert reply.status_code == 200
    assert reply.json() == {
        "job_id": None,
        "status": "unchanged",
        "collection": "robotics",
        "embedding_model": "minilm",
    }
    described = (await client.get(PATH)).json()
    assert (described["status"], described["job_id"]) == ("none", None)


async def test_a_second_order_joins_or_is_refused(client: httpx2.AsyncClient) -> None:
    first = await change(client)

    same, other = await change(client), await change(client, "minilm")

    assert (same.status_code, same.json()) == (202, first.json())
    assert other.status_code == 409
    assert "Job 1 changes the collection to model 'mxbai-large' (queued)" in other.json()["detail"]


async def test_a_waiting_job_can_be_cancelled(client: httpx2.AsyncClient) -> None:
    await change(client)

    cancelled = await client.post(f"{PATH}/cancel")
    again = await client.post(f"{PATH}/cancel")

    assert (cancelled.status_code, cancelled.json()["status"]) == (202, "cancelled")
    assert again.status_code == 409
    assert (await client.get(PATH)).json()["status"] == "cancelled"


async def test_a_model_that_is_not_loaded_is_refused_with_the_list(
    client: httpx2.AsyncClient,
) -> None:
    reply = await change(client, "third")

    assert reply.status_code == 400
    assert reply.json() == {"detail": f"Model 'third' not loaded. Available: {BOTH}"}


@pytest.mark.parametrize("body", [{"embedding_model": 7}, {"embedding_model": ""}, [], "x"])
async def test_a_body_that_cannot_be_used_is_refused(
    client: httpx2.AsyncClient, body: object
) -> None:
    reply = await client.post(PATH, json=body)

    assert (reply.status_code, list(reply.json())) == (400, ["detail"])


@pytest.mark.parametrize(
    ("method", "rest"),
    [("GET", ""), ("POST", ""), ("POST", "/rollback"), ("POST", "/cancel")],
)
async def test_an_unknown_collection_is_not_found(
    client: httpx2.AsyncClient, method: str, rest: str
) -> None:
    reply = await client.request(method, f"/collections/nonexistent/reindex{rest}")

    assert reply.status_code == 404
    assert reply.json() == {"detail": "Collection 'nonexistent' not found"}


async def test_there_is_no_rollback_before_a_change(client: httpx2.AsyncClient) -> None:
    reply = await client.post(f"{PATH}/rollback")

    assert reply.status_code == 409
    assert "no earlier index" in reply.json()["detail"]


async def test_a_rollback_needs_the_model_it_goes_back_to(
    client: httpx2.AsyncClient, ledger: Ledger, store: MemoryStore, parts: ReindexParts
) -> None:
    await change(client)
    await work(ledger, parts)
    only = EmbeddingModels([FakeEmbedder("mxbai-large", dimensions=96, revision="big")])
    use_cases = build_use_cases(Storage(ledger, store), only, reranker=None)
    reindexer = assemble_reindexing(ledger, store, only).jobs

    async with open_client(replace(use_cases, reindex_jobs=reindexer)) as poorer:
        reply = await poorer.post(f"{PATH}/rollback")
        described = (await poorer.get(PATH)).json()

    assert reply.status_code == 503
    assert "'minilm'" in reply.json()["detail"]
    assert described["rollback_to"] is None


RUNNING = IngestJob(
    id=1,
    request=JobRequest("collections/1", model="newer"),
    status="running",
    token=1,
    attempts=1,
    created_at_s=0.0,
    started_at_s=100.0,
    progress=Progress(chunks_found=40, chunks_created=10, chunks_embedded=6, chunks_reused=4),
    kind="reindex",
)


@pytest.mark.parametrize(
    ("job", "left_s"),
    [
        (RUNNING, 60.0),
        (replace(RUNNING, progress=Progress(chunks_found=40)), None),
        (replace(RUNNING, progress=replace(RUNNING.progress, chunks_found=5)), 0.0),
        # A rollback to an index that holds 30 of 60, and got 10 more.
        (
            replace(
                RUNNING,
                progress=Progress(chunks_found=60, chunks_created=40, chunks_embedded=10),
            ),
            40.0,
        ),
        (replace(RUNNING, progress=Progress(chunks_found=60, chunks_created=30)), None),
        (replace(RUNNING, status="completed"), None),
        (replace(RUNNING, started_at_s=None), None),
    ],
)
def test_the_time_left_follows_the_pace_so_far(job: IngestJob, left_s: float | None) -> None:
    assert eta_s(job, now_s=120.0) == left_s
