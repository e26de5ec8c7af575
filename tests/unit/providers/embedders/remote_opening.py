"""Opening embedders on a server of ours, in few words."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest

from sourcebook.providers.embedders.cohere import open_cohere_embedder
from sourcebook.providers.embedders.cohere_provider import CohereSettings
from sourcebook.providers.embedders.ollama import open_ollama_embedder
from sourcebook.providers.embedders.ollama_provider import OllamaSettings
from sourcebook.providers.embedders.openai import (
    open_openai_compatible_embedder,
    open_openai_embedder,
)
from sourcebook.providers.embedders.openai_compatible_provider import OpenAiCompatibleSettings
from sourcebook.providers.embedders.openai_provider import OpenAiSettings
from sourcebook.providers.embedders.remote_embedder import RemoteEmbedder
from tests.embedding_server import EmbeddingServer

KEY = "sk-canary-key"
Opened = AbstractAsyncContextManager[RemoteEmbedder]

Open = Callable[..., Opened]


def openai(server: EmbeddingServer, **more: object) -> Opened:
    """OpenAI, with as many dimensions as the server gives."""
    config = {"api_key": KEY, "base_url": f"{server.url}/v1", "dimensions": server.dimensions}
    return open_openai_embedder(OpenAiSettings.model_validate({**config, **more}), "mine")


def compatible(server: EmbeddingServer, **more: object) -> Opened:
    """A server that speaks as OpenAI does."""
    config = {"path": "bge-small", "base_url": f"{server.url}/v1"}
    settings = OpenAiCompatibleSettings.model_validate({**config, **more})
    return open_openai_compatible_embedder(settings, "mine")


def cohere(server: EmbeddingServer, **more: object) -> Opened:
    """Cohere, with a model that it is asked about nothing for."""
    config = {"api_key": KEY, "base_url": server.url, "dimensions": server.dimensions}
    settings = CohereSettings.model_validate({**config, "path": "embed-future", **more})
    return open_cohere_embedder(settings, "mine")


def ollama(server: EmbeddingServer, **more: object) -> Opened:
    """Ollama with its usual model."""
    settings = OllamaSettings.model_validate({"base_url": server.url, **more})
    return open_ollama_embedder(settings, "mine")


EVERY = pytest.mark.parametrize("opened", [openai, cohere, ollama])
