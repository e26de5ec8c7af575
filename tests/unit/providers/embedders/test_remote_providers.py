"""The declarations: what they take, what they open, and how they are tried out."""

import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from pydantic import BaseModel

from sourcebook.core.ports import Embedder, Reranker
from sourcebook.providers.declaration import Opening, ProbeFailed, Provider
from sourcebook.providers.embedders import cohere_provider, ollama_provider, openai_provider
from sourcebook.providers.outbound.client import open_client
from sourcebook.providers.rerankers import cohere_provider as cohere_rerank_provider
from tests.embedding_server import EmbeddingServer
from tests.unit.providers.embedders.remote.fake_services import KEY

# The provider, its settings but for the URL, the path of its URL, and the route of its probe.
CASES = [
    (openai_provider.OPENAI, {"api_key": KEY}, "/v1", "/v1/models"),
    (openai_provider.OPENAI_COMPATIBLE, {"path": "m", "dimensions": 8}, "/v1", "/v1/models"),
    (cohere_provider.PROVIDER, {"api_key": KEY}, "", "/v1/models?page_size=1"),
    (ollama_provider.PROVIDER, {}, "", "/api/tags"),
    (cohere_rerank_provider.PROVIDER, {"api_key": KEY}, "", "/v1/models?page_size=1"),
]
EVERY = pytest.mark.parametrize(("provider", "config", "base", "route"), CASES)
AnyProvider = Provider[BaseModel, Embedder | Reranker]


def _settings(provider: AnyProvider, config: dict[str, object], url: str) -> BaseModel:
    return provider.settings.model_validate({**config, "base_url": url})


@EVERY
async def test_it_opens_under_the_alias_that_collections_name(
    provider: AnyProvider, config: dict[str, object], base: str, route: str, tmp_path: Path
) -> None:
    opening = Opening("alias", tmp_path, tmp_path)
    async with EmbeddingServer() as server:
        settings = _settings(provider, config, server.url + base)
        async with provider.open(settings, opening) as part:
            assert (await part.check()).status == "up"
            assert getattr(part, "id", "alias") == "alias"
    assert server.requests == []


@EVERY
async def test_a_probe_takes_one_request_that_costs_nothing(
    provider: AnyProvider, config: dict[str, object], base: str, route: str
) -> None:
    assert provider.probe is not None
    async with EmbeddingServer() as server, open_client(timeout_s=5) as client:
        await provider.probe(_settings(provider, config, server.url + base), client)
    assert [probe.path for probe in server.probes] == [route]
    assert server.requests == []
    if "api_key" in config:
        assert server.probes[0].headers["authorization"] == f"Bearer {KEY}"


@EVERY
async def test_a_probe_fails_with_the_status_of_the_service(
    provider: AnyProvider, config: dict[str, object], base: str, route: str
) -> None:
    assert provider.probe is not None
    async with EmbeddingServer(probe_status=401) as server, open_client(timeout_s=5) as client:
        with pytest.raises(httpx2.HTTPStatusError) as caught:
            await provider.probe(_settings(provider, config, server.url + base), client)
    assert caught.value.response.status_code == 401


async def test_a_probe_of_ollama_says_if_the_model_is_not_there() -> None:
    settings = {"path": "mxbai-embed-large"}
    probe = ollama_provider.PROVIDER.probe
    assert probe is not None
    async with EmbeddingServer() as server, open_client(timeout_s=5) as client:
        config = ollama_provider.OllamaEmbedderSettings.model_validate(
            {**settings, "base_url": server.url}
        )
        with pytest.raises(ProbeFailed, match="ollama pull mxbai-embed-large") as caught:
            await probe(config, client)
    assert caught.value.error_type == "not_found"


@pytest.mark.parametrize(
    "module",
    [
        "embedders.openai_provider",
        "embedders.local_provider",
        "rerankers.local_provider",
        "embedders.cohere_provider",
        "embedders.ollama_provider",
        "rerankers.cohere_provider",
    ],
)
def test_a_declaration_loads_no_model_library(module: str) -> None:
    code = f"import sys, sourcebook.providers.{module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert {"numpy", "safetensors", "openai", "openvino"}.isdisjoint(done.stdout.split())
