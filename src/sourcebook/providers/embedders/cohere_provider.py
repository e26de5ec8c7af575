"""Declares the embedder that uses Cohere."""

import httpx2
from pydantic import Field

from sourcebook.core.ports import Embedder
from sourcebook.providers.declaration import Probed, Provider
from sourcebook.providers.embedders.remote.connection import fetch_json
from sourcebook.providers.embedders.remote.settings import (
    MODEL_ALIASES,
    BaseUrl,
    Key,
    RemoteSettings,
)

COHERE_URL = "https://api.cohere.com"


class CohereEmbedderSettings(RemoteSettings):
    """How to reach Cohere."""

    path: str = Field(
        "embed-english-v3.0",
        min_length=1,
        validation_alias=MODEL_ALIASES,
        title="Model",
        description="The model's name",
    )
    api_key: Key = Field(title="API key", description="COHERE_API_KEY, if it is not given here")
    base_url: BaseUrl = Field(
        COHERE_URL,
        title="URL",
        description="Another address, such as that of a gateway in front of Cohere",
        json_schema_extra={"format": "uri"},
    )
    batch_size: int = Field(96, ge=1, le=96, description="How many texts a request holds")


async def _probe(settings: CohereEmbedderSettings, client: httpx2.AsyncClient) -> Probed:
    # One line of the list of models costs nothing, and needs the key.
    url = f"{settings.base_url}/v1/models?page_size=1"
    await fetch_json(client, url, settings.api_key)
    return Probed({"model": settings.path})


PROVIDER: Provider[CohereEmbedderSettings, Embedder] = Provider(
    CohereEmbedderSettings, "sourcebook.providers.embedders.cohere:open_cohere_embedder", _probe
)
