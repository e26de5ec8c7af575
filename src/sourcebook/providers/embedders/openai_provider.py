"""OpenAI's embedding models, as a provider."""

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

OPENAI_URL = "https://api.openai.com/v1"


class OpenAiSettings(RemoteSettings):
    """How to reach OpenAI."""

    path: str = Field(
        "text-embedding-3-small",
        min_length=1,
        validation_alias=NAME,
        title="Model",
        description="The model's name",
    )
    api_key: Key = Field(title="API key", description="OPENAI_API_KEY, if it is not given here")
    base_url: BaseUrl = Field(
        OPENAI_URL,
        title="URL",
        description="Another address, such as that of a gateway in front of OpenAI",
        json_schema_extra={"format": "uri"},
    )
    batch_size: int = Field(20, ge=1, le=256, description="How many texts a request holds")


def _open(settings: OpenAiSettings, opening: Opening) -> AbstractAsyncContextManager[Embedder]:
    # Imported here: it loads numpy, which listing providers must not wait for.
    from sourcebook.providers.embedders.openai import open_openai_embedder  # noqa: PLC0415

    return open_openai_embedder(settings, opening.id)


async def _probe(settings: OpenAiSettings, client: httpx2.AsyncClient) -> Probed:
    """Ask for the list of models: that costs nothing, and needs the key."""
    await fetch(client, f"{settings.base_url}/models", bearer(settings.api_key))
    return Probed({"model": settings.path})


PROVIDER = Provider(OpenAiSettings, _open, _probe)
