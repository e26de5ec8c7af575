"""Declares the reranker that uses Cohere."""

import httpx2
from pydantic import BaseModel, ConfigDict, Field

from sourcebook.core.ports import Reranker
from sourcebook.providers.declaration import Probed, Provider
from sourcebook.providers.embedders.cohere_provider import COHERE_URL
from sourcebook.providers.embedders.remote.connection import fetch_json
from sourcebook.providers.embedders.remote.settings import (
    MODEL_ALIASES,
    BaseUrl,
    Key,
)


class CohereRerankerSettings(BaseModel):
    """How to reach Cohere."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    path: str = Field(
        "rerank-v3.5",
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
    max_tokens: int = Field(
        4_096, ge=64, le=1_000_000, description="How many tokens the model reads at once"
    )
    timeout_s: float = Field(
        3.0, gt=0, le=60, title="Timeout", description="Seconds for all texts of a search"
    )


async def _probe(settings: CohereRerankerSettings, client: httpx2.AsyncClient) -> Probed:
    # One line of the list of models costs nothing, and needs the key.
    url = f"{settings.base_url}/v1/models?page_size=1"
    await fetch_json(client, url, settings.api_key)
    return Probed({"model": settings.path})


PROVIDER: Provider[CohereRerankerSettings, Reranker] = Provider(
    CohereRerankerSettings, "sourcebook.providers.rerankers.cohere:open_cohere_reranker", _probe
)
