"""The embedders that are reached over HTTP, held to the contract against servers of ours."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sourcebook.core.ports import Embedder
from sourcebook.providers.declaration import Opening
from sourcebook.providers.embedders.cohere import open_cohere_embedder
from sourcebook.providers.embedders.cohere_provider import CohereEmbedderSettings
from sourcebook.providers.embedders.ollama import open_ollama_embedder
from sourcebook.providers.embedders.ollama_provider import OllamaEmbedderSettings
from sourcebook.providers.embedders.openai import (
    open_openai_compatible_embedder,
    open_openai_embedder,
)
from sourcebook.providers.embedders.openai_provider import (
    OpenAiCompatibleEmbedderSettings,
    OpenAiEmbedderSettings,
)
from sourcebook.testing.embedder_contract import EmbedderContract
from tests.embedding_server import EmbeddingServer


class TestOpenAi(EmbedderContract):
    @pytest.fixture
    async def embedder(self) -> AsyncIterator[Embedder]:
        async with EmbeddingServer(dimensions=64) as server:
            settings = OpenAiEmbedderSettings.model_validate(
                {"api_key": "k", "base_url": f"{server.url}/v1", "dimensions": 64}
            )
            async with open_openai_embedder(
                settings, Opening("openai", Path("data"), Path("models"))
            ) as embedder:
                yield embedder


class TestOpenAiCompatible(EmbedderContract):
    @pytest.fixture
    async def embedder(self) -> AsyncIterator[Embedder]:
        async with EmbeddingServer(dimensions=64) as server:
            settings = OpenAiCompatibleEmbedderSettings.model_validate(
                {"path": "bge-small", "base_url": f"{server.url}/v1"}
            )
            async with open_openai_compatible_embedder(
                settings, Opening("compatible", Path("data"), Path("models"))
            ) as embedder:
                yield embedder


class TestCohere(EmbedderContract):
    @pytest.fixture
    async def embedder(self) -> AsyncIterator[Embedder]:
        async with EmbeddingServer(dimensions=1024) as server:
            settings = CohereEmbedderSettings.model_validate(
                {"api_key": "k", "base_url": server.url}
            )
            async with open_cohere_embedder(
                settings, Opening("cohere", Path("data"), Path("models"))
            ) as embedder:
                yield embedder


class TestOllama(EmbedderContract):
    @pytest.fixture
    async def embedder(self) -> AsyncIterator[Embedder]:
        async with EmbeddingServer(dimensions=64) as server:
            settings = OllamaEmbedderSettings.model_validate({"base_url": server.url})
            async with open_ollama_embedder(
                settings, Opening("ollama", Path("data"), Path("models"))
            ) as embedder:
                yield embedder


class TestOldOllama(EmbedderContract):
    @pytest.fixture
    async def embedder(self) -> AsyncIterator[Embedder]:
        async with EmbeddingServer(dimensions=64, is_old=True) as server:
            settings = OllamaEmbedderSettings.model_validate({"base_url": server.url})
            async with open_ollama_embedder(
                settings, Opening("ollama", Path("data"), Path("models"))
            ) as embedder:
                yield embedder
