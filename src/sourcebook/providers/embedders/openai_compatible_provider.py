"""Any server that speaks OpenAI's embedding route, as a provider."""

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


class OpenAiCompatibleSettings(RemoteSettings):
    """How to reach a server that does as OpenAI does: vLLM, llama.cpp, LM Studio and others."""

    path: str = Field(
        min_length=1, validation_alias=NAME, title="Model", description="The model's name there"
    )
    base_url: BaseUrl = Field(
        title="URL",
        description="Where its routes begin, for example http://localhost:8080/v1",
        json_schema_extra={"format": "uri"},
    )
    api_key: Key | None = Field(None, title="API key", description="If the server wants one")
    batch_size: int = Field(20, ge=1, le=256, description="How many texts a request holds")


def _open(
    settings: OpenAiCompatibleSettings, opening: Opening
) -> AbstractAsyncContextManager[Embedder]:
    # Imported here: it loads numpy, which listing providers must not wait for.
    from sourcebook.providers.embedders.openai import (  # noqa: PLC0415
        open_openai_compatible_embedder,
    )

    return open_openai_compatible_embedder(settings, opening.id)


async def _probe(settings: OpenAiCompatibleSettings, client: httpx2.AsyncClient) -> Probed:
    """Ask for the list of models. A server that has none is there all the same."""
    url = f"{settings.base_url}/models"
    listed = await fetch(client, url, bearer(settings.api_key), may_miss=True)
    return Probed({"model": settings.path, "lists_models": listed is not None})


PROVIDER = Provider(OpenAiCompatibleSettings, _open, _probe)
