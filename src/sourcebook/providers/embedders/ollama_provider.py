"""Embedding models that Ollama runs, as a provider."""

from contextlib import AbstractAsyncContextManager
from typing import Annotated

import httpx2
from pydantic import BeforeValidator, Field

from sourcebook.core.ports import Embedder
from sourcebook.providers.declaring import Opening, Probed, ProbeFailed, Provider
from sourcebook.providers.embedders.ollama_names import full_name, missing, model_digests
from sourcebook.providers.embedders.probing import fetch
from sourcebook.providers.embedders.remote_settings import (
    NAME,
    BaseUrl,
    Key,
    RemoteSettings,
    bearer,
)

OLLAMA_PORT = 11434


def _as_ollama_has_it(value: object) -> object:
    """OLLAMA_HOST may be a name alone, or an address to listen at."""
    if not isinstance(value, str):
        return value
    host = value.strip()
    if "://" not in host:
        name, _, port = host.rpartition(":")
        has_port = bool(name) and port.isdigit()
        host = f"http://{host}" if has_port else f"http://{host}:{OLLAMA_PORT}"
    # Where the OpenAI routes begin; ours are beside them.
    return host.replace("://0.0.0.0", "://127.0.0.1").rstrip("/").removesuffix("/v1")


class OllamaSettings(RemoteSettings):
    """How to reach Ollama."""

    path: str = Field(
        "nomic-embed-text",
        min_length=1,
        validation_alias=NAME,
        title="Model",
        description="The model's name, as `ollama list` shows it",
    )
    base_url: Annotated[BaseUrl, BeforeValidator(_as_ollama_has_it)] = Field(
        f"http://127.0.0.1:{OLLAMA_PORT}",
        title="URL",
        description="OLLAMA_HOST, if it is not given here",
        json_schema_extra={"format": "uri"},
    )
    api_key: Key | None = Field(
        None, title="API key", description="If a proxy before Ollama wants one"
    )
    batch_size: int = Field(20, ge=1, le=256, description="How many texts a request holds")
    # A model that was idle is loaded first.
    timeout_s: float = Field(
        120.0, gt=0, le=600, title="Timeout", description="Seconds for a batch of documents"
    )
    query_timeout_s: float = Field(
        10.0, gt=0, le=600, title="Timeout of questions", description="Seconds for a question"
    )


def _open(settings: OllamaSettings, opening: Opening) -> AbstractAsyncContextManager[Embedder]:
    # Imported here: it loads numpy, which listing providers must not wait for.
    from sourcebook.providers.embedders.ollama import open_ollama_embedder  # noqa: PLC0415

    return open_ollama_embedder(settings, opening.id)


async def _probe(settings: OllamaSettings, client: httpx2.AsyncClient) -> Probed:
    """Ask which models are there, and whether ours is among them."""
    reply = await fetch(client, f"{settings.base_url}/api/tags", bearer(settings.api_key))
    digests = model_digests(reply)
    if full_name(settings.path) not in digests:
        raise ProbeFailed("not_found", f"Ollama {missing(settings.path)}")
    return Probed({"model": settings.path, "models": len(digests)})


PROVIDER = Provider(OllamaSettings, _open, _probe)
