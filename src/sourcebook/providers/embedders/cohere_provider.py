"""Cohere's embedding models, as a provider."""

from contextlib import AbstractAsyncContextManager

import httpx2
from pydantic import Field

from sourcebook.core.ports import Embedder
from sourcebook.providers.declaring import Opening, Probed, Provider
from sourcebook.providers.embedders.probing import fetch
from sourcebook.providers.embedders.remote_settings import (
    NAME,
    BaseUrl,
    Key,
    RemoteSettings,
    bearer,
)

COHERE_URL = "https://api.cohere.com"


class CohereSettings(RemoteSettings):
    """How to reach Cohere."""

    path: str = Field(
        "embed-english-v3.0",
        min_length=1,
        validation_alias=NAME,
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


def _open(settings: CohereSettings, opening: Opening) -> AbstractAsyncContextManager[Embedder]:
    # Imported here: it loads numpy, which listing providers must not wait for.
    from sourcebook.providers.embedders.cohere import open_cohere_embedder  # noqa: PLC0415

    return open_cohere_embedder(settings, opening.id)


async def _probe(settings: CohereSettings, client: httpx2.AsyncClient) -> Probed:
    """Ask for one line of the list of models: that costs nothing, and needs the key."""
    url = f"{settings.base_url}/v1/models?page_size=1"
    await fetch(client, url, bearer(settings.api_key))
    return Probed({"model": settings.path})


PROVIDER = Provider(CohereSettings, _open, _probe)
