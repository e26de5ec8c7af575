"""Health for the clients of every contract."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Any

import httpx2
import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.core.health import ServiceHealth
from sourcebook.core.ports import Ledger
from sourcebook.core.vectors import IndexQuery, ScoredPoint
from sourcebook.service.wiring.storage import Storage
from sourcebook.service.wiring.use_cases import build_use_cases
from sourcebook.surfaces.use_cases import UseCases
from tests.conftest import open_client
from tests.fakes import FakeEmbedder, FakeReranker
from tests.memory_store import MemoryStore

Health = Callable[[EmbeddingModels, FakeReranker | None], Awaitable[dict[str, Any]]]
NONE = EmbeddingModels([])


@pytest.fixture
def health(ledger: Ledger, store: MemoryStore) -> Health:
    async def ask(models: EmbeddingModels, reranker: FakeReranker | None) -> dict[str, Any]:
        use_cases = build_use_cases(Storage(ledger, store), models, reranker)
        async with open_client(use_cases) as client:
            reply = await client.get("/health")
        assert reply.status_code == 200
        found: dict[str, Any] = reply.json()
        return found

    return ask


@pytest.mark.spec("001 Health check includes embedding models")
@pytest.mark.spec("001 Node.js provider detects embedding capabilities")
@pytest.mark.spec("001 Health check with only embedding models")
async def test_loaded_models_are_listed(health: Health, models: EmbeddingModels) -> None:
    found = await health(models, None)

    assert found["status"] == "healthy"
    assert found["embedding_models"] == [
        {"id": "minilm", "name": "fakes/minilm", "status": "loaded", "dimensions": 64},
        {"id": "mxbai-large", "name": "fakes/mxbai-large", "status": "loaded", "dimensions": 96},
    ]
    assert "cross_encoder" not in found


@pytest.mark.spec("001 Health check without embedding models")
@pytest.mark.spec("001 Health check with only cross-encoder")
async def test_a_cross_encoder_alone_is_healthy(health: Health) -> None:
    found = await health(NONE, FakeReranker())

    assert found["status"] == "healthy"
    assert found["cross_encoder"] == {"model": "fakes/reranker", "status": "loaded"}
    assert "embedding_models" not in found


@pytest.mark.spec("001 Health check with both models loaded")
async def test_both_kinds_of_models_are_discoverable(
    health: Health, models: EmbeddingModels
) -> None:
    found = await health(models, FakeReranker())

    assert {"embedding_models", "cross_encoder"} <= found.keys()


async def test_the_words_of_every_contract_are_there(
    health: Health, models: EmbeddingModels
) -> None:
    found = await health(models, None)

    assert found["timestamp"].endswith("Z")
    assert found["collections_count"] == 0
    assert (found["qdrant"], found["collection"]) == ("connected", "green")
    statuses = {name: service["status"] for name, service in found["services"].items()}
    assert statuses == {
        "qdrant": "up",
        "cohere": "up",
        "gemini": "up",
        "database": "up",
        "embedder:mxbai-large": "up",
    }
    assert all(
        service.keys() == {"status", "latency_ms", "message", "provider"}
        for service in found["services"].values()
    )


@pytest.mark.spec("004 FR-009")
async def test_without_a_language_model_quotations_stand_in_its_role(
    health: Health, models: EmbeddingModels
) -> None:
    found = await health(models, None)

    assert found["status"] == "healthy"
    assert found["services"]["gemini"] == {
        "status": "up",
        "latency_ms": None,
        "message": "A language model is not configured: answers are quotations from the documents",
        "provider": "extractive",
    }


async def test_a_role_that_nothing_fills_is_not_configured_and_harms_nothing(
    health: Health,
) -> None:
    found = await health(NONE, FakeReranker())

    assert found["status"] == "healthy"
    assert (found["services"]["cohere"]["status"], found["services"]["cohere"]["message"]) == (
        "down",
        "not configured",
    )


@pytest.mark.spec("004 FR-009")
@pytest.mark.spec("004 SC-007")
async def test_a_store_that_only_fails_when_it_is_searched_is_not_up(
    ledger: Ledger, models: EmbeddingModels
) -> None:
    class Refusing(MemoryStore):
        async def search(self, index_id: str, query: IndexQuery) -> list[ScoredPoint]:
            raise RetrievalUnavailable(f"The store failed: searching index {index_id!r}")

    store = Refusing()
    async with open_client(build_use_cases(Storage(ledger, store), models, None)) as client:
        created = {"name": "robotics", "embedding_model": "minilm"}
        await client.post("/collections", json=created)
        documents = {"documents": [{"text": "A node is a process."}]}
        await client.post("/collections/robotics/documents", json=documents)
        asked = {"collection": "robotics", "query": "What is a node?"}
        failed = await client.post("/query", json=asked)
        found = (await client.get("/health")).json()

    (index_id,) = await store.indexes()
    assert failed.status_code == 503
    assert index_id not in str(found)
    assert found["status"] == found["services"]["qdrant"]["status"] == "degraded"
    assert "the last call failed" in found["services"]["qdrant"]["message"]
    assert (found["qdrant"], found["collection"]) == (
        "error",
        found["services"]["qdrant"]["message"],
    )


async def test_a_part_that_is_down_degrades_the_service(health: Health) -> None:
    broken = FakeEmbedder("minilm")
    broken.health = ServiceHealth("down", message="out of order")

    found = await health(EmbeddingModels([broken]), None)

    assert found["status"] == "degraded"
    assert found["services"]["cohere"]["message"] == "out of order"


class _BrokenCatalog:
    async def all(self) -> list[object]:
        raise RetrievalUnavailable("The ledger is not available")


@pytest.fixture
async def broken(use_cases: UseCases) -> AsyncIterator[httpx2.AsyncClient]:
    without_ledger = replace(use_cases, catalog=_BrokenCatalog())  # type: ignore[arg-type]
    async with open_client(without_ledger) as client:
        yield client


async def test_without_the_ledger_nothing_can_be_served(broken: httpx2.AsyncClient) -> None:
    health, ready, live = [await broken.get(p) for p in ("/health", "/readyz", "/livez")]

    assert (health.status_code, health.json()["status"]) == (503, "unhealthy")
    assert "error" in health.json()
    assert ready.status_code == 503
    assert live.status_code == 200


async def test_probes_for_orchestrators(client: httpx2.AsyncClient) -> None:
    assert (await client.get("/livez")).json() == {"status": "alive"}
    assert (await client.get("/readyz")).json() == {"status": "ready"}


async def test_metrics_count_requests_by_route(client: httpx2.AsyncClient) -> None:
    await client.get("/collections/some-name")
    await client.get("/nowhere")

    metrics = (await client.get("/metrics")).text

    route = 'method="GET",route="/collections/{name}",status="404"'
    assert f"sourcebook_requests_total{{{route}}} 1.0" in metrics
    assert "some-name" not in metrics
    assert 'route="none",status="404"' in metrics
