"""Opening and trying out a language model behind an endpoint of OpenAI's form."""

import asyncio
import importlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2

from sourcebook.core.ports import LanguageModel
from sourcebook.providers.declaring import Opening, Probed, ProbeFailed
from sourcebook.providers.language_models.endpoint import Endpoint
from sourcebook.providers.language_models.endpoint_settings import EndpointSettings

SDK = "sourcebook.providers.language_models.agents_sdk"


@asynccontextmanager
async def open_endpoint(
    settings: EndpointSettings, opening: Opening
) -> AsyncIterator[LanguageModel]:
    """Hold the connections for as long as the context lasts. Nothing is sent yet."""
    # The SDK takes seconds to import.
    sdk = await asyncio.to_thread(importlib.import_module, SDK)
    async with sdk.open_agents_model(settings.endpoint()) as model:
        yield model


async def probe_endpoint(settings: EndpointSettings, client: httpx2.AsyncClient) -> Probed:
    """Ask for the list of models, which costs nothing."""
    endpoint = settings.endpoint()
    headers = {"authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key else {}
    reply = await client.get(f"{endpoint.base_url}models", headers=headers)
    reply.raise_for_status()
    known = _model_names(reply, endpoint)
    # Gemini puts this before its names, and takes them without it.
    is_known = endpoint.model in known or f"models/{endpoint.model}" in known
    return Probed({"model": endpoint.model, "model_known": is_known, "models": len(known)})


def _model_names(reply: httpx2.Response, endpoint: Endpoint) -> set[str]:
    try:
        return {str(model["id"]) for model in reply.json()["data"]}
    except (ValueError, LookupError, TypeError):
        raise ProbeFailed(
            "unknown", f"The server at {endpoint.host!r} did not list its models: check base_url"
        ) from None
