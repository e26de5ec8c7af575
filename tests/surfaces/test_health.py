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
from sourcebook.providers.vector_stores.memory import MemoryStore
from sourcebook.service.wiring.storage import Storage
from sourcebook.service.wiring.use_cases import build_use_cases
from sourcebook.surfaces.use_cases import UseCases
from tests.conftest import open_client
from tests.fakes import FakeEmbedder, FakeReranker

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
        "gemini": "down",
        "database": "up",
        "embedder:mxbai-large": "up",
    }
    assert found["services"]["gemini"]["message"] == "not configured"


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
