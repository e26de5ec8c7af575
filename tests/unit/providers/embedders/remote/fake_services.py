"""Opens the embedders of HTTP services on a fake server."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

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
from sourcebook.providers.embedders.remote.embedder import RemoteEmbedder
from tests.embedding_server import EmbeddingServer

OPENING = Opening("mine", data_dir=Path("data"), models_dir=Path("models"))
KEY = "sk-canary-key"
Opened = AbstractAsyncContextManager[RemoteEmbedder]

Open = Callable[..., Opened]


def openai(server: EmbeddingServer, **more: object) -> Opened:
    """OpenAI, with as many dimensions as the server gives."""
    config = {"api_key": KEY, "base_url": f"{server.url}/v1", "dimensions": server.dimensions}
    return open_openai_embedder(OpenAiEmbedderSettings.model_validate({**config, **more}), OPENING)


def compatible(server: EmbeddingServer, **more: object) -> Opened:
    """A server that speaks as OpenAI does."""
    config = {"path": "bge-small", "base_url": f"{server.url}/v1"}
    settings = OpenAiCompatibleEmbedderSettings.model_validate({**config, **more})
    return open_openai_compatible_embedder(settings, OPENING)


def cohere(server: EmbeddingServer, **more: object) -> Opened:
    """Cohere, with a model that it is asked about nothing for."""
    config = {"api_key": KEY, "base_url": server.url, "dimensions": server.dimensions}
    settings = CohereEmbedderSettings.model_validate({**config, "path": "embed-future", **more})
    return open_cohere_embedder(settings, OPENING)


def ollama(server: EmbeddingServer, **more: object) -> Opened:
    """Ollama with its usual model."""
    settings = OllamaEmbedderSettings.model_validate({"base_url": server.url, **more})
    return open_ollama_embedder(settings, OPENING)


EVERY = pytest.mark.parametrize("opened", [openai, cohere, ollama])
