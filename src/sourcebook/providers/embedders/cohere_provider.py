"""Declares the embedder that uses Cohere, and the settings that every use of Cohere shares."""

import httpx2
from pydantic import BaseModel, ConfigDict, Field

from sourcebook.core.ports import Embedder
from sourcebook.providers.declaration import Probed, Provider
from sourcebook.providers.embedders.remote.connection import fetch_json
from sourcebook.providers.embedders.remote.settings import (
    BaseUrl,
    Key,
    ModelName,
    RemoteSettings,
)

COHERE_URL = "https://api.cohere.com"


class CohereSettings(BaseModel):
    """The model, the key and the address."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    path: ModelName
    api_key: Key = Field(title="API key", description="COHERE_API_KEY, if it is not given here")
    base_url: BaseUrl = Field(
        COHERE_URL, description="Another address, such as that of a gateway in front of Cohere"
    )


class CohereEmbedderSettings(CohereSettings, RemoteSettings):
    """How to reach Cohere."""

    path: ModelName = "embed-english-v3.0"
    batch_size: int = Field(96, ge=1, le=96, description="How many texts a request holds")


async def probe_cohere(settings: CohereSettings, client: httpx2.AsyncClient) -> Probed:
    """Check that Cohere takes the key."""
    # One line of the list of models costs nothing, and needs the key.
    url = f"{settings.base_url}/v1/models?page_size=1"
    await fetch_json(client, url, settings.api_key)
    return Probed({"model": settings.path})


PROVIDER: Provider[CohereEmbedderSettings, Embedder] = Provider(
    CohereEmbedderSettings,
    "sourcebook.providers.embedders.cohere:open_cohere_embedder",
    probe_cohere,
)
