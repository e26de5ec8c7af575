"""Declares the embedders of OpenAI, and of any server that speaks OpenAI's embedding route."""

import httpx2
from pydantic import Field

from sourcebook.core.ports import Embedder
from sourcebook.providers.declaration import Probed, Provider
from sourcebook.providers.embedders.remote.connection import fetch_json
from sourcebook.providers.embedders.remote.settings import (
    BaseUrl,
    BatchSize,
    Key,
    ModelName,
    RemoteSettings,
)

OPENAI_URL = "https://api.openai.com/v1"


class OpenAiEmbedderSettings(RemoteSettings):
    """How to reach OpenAI."""

    path: ModelName = "text-embedding-3-small"
    api_key: Key = Field(title="API key", description="OPENAI_API_KEY, if it is not given here")
    base_url: BaseUrl = Field(
        OPENAI_URL, description="Another address, such as that of a gateway in front of OpenAI"
    )
    batch_size: BatchSize = 20


class OpenAiCompatibleEmbedderSettings(RemoteSettings):
    """How to reach a server that does as OpenAI does: vLLM, llama.cpp, LM Studio and others."""

    path: ModelName = Field(description="The model's name there")
    base_url: BaseUrl = Field(
        description="Where its routes begin, for example http://localhost:8080/v1"
    )
    api_key: Key | None = Field(None, title="API key", description="If the server wants one")
    batch_size: BatchSize = 20


async def _probe_openai(settings: OpenAiEmbedderSettings, client: httpx2.AsyncClient) -> Probed:
    # The list of models costs nothing, and needs the key.
    await fetch_json(client, f"{settings.base_url}/models", settings.api_key)
    return Probed({"model": settings.path})


async def _probe_compatible(
    settings: OpenAiCompatibleEmbedderSettings, client: httpx2.AsyncClient
) -> Probed:
    # A server without a list of models can embed all the same.
    listed = await fetch_json(
        client, f"{settings.base_url}/models", settings.api_key, optional=True
    )
    return Probed({"model": settings.path, "lists_models": listed is not None})


OPENAI: Provider[OpenAiEmbedderSettings, Embedder] = Provider(
    OpenAiEmbedderSettings,
    "sourcebook.providers.embedders.openai:open_openai_embedder",
    _probe_openai,
)
OPENAI_COMPATIBLE: Provider[OpenAiCompatibleEmbedderSettings, Embedder] = Provider(
    OpenAiCompatibleEmbedderSettings,
    "sourcebook.providers.embedders.openai:open_openai_compatible_embedder",
    _probe_compatible,
)
