"""Declares the embedder that uses Ollama, and reads the names of its models."""

from typing import Annotated

import httpx2
from pydantic import BeforeValidator, Field

from sourcebook.core.metadata import JsonValue
from sourcebook.core.ports import Embedder
from sourcebook.providers.declaration import Probed, ProbeFailed, Provider
from sourcebook.providers.embedders.remote.connection import fetch_json
from sourcebook.providers.embedders.remote.settings import (
    BaseUrl,
    BatchSize,
    Key,
    ModelName,
    RemoteSettings,
)
from sourcebook.providers.outbound.server_urls import OLLAMA_PORT, ollama_url


def _expand_ollama_host(value: object) -> object:
    return ollama_url(value.strip()) if isinstance(value, str) else value


class OllamaEmbedderSettings(RemoteSettings):
    """How to reach Ollama."""

    path: ModelName = Field(
        "nomic-embed-text", description="The model's name, as `ollama list` shows it"
    )
    base_url: Annotated[BaseUrl, BeforeValidator(_expand_ollama_host)] = Field(
        f"http://127.0.0.1:{OLLAMA_PORT}",
        description="OLLAMA_HOST, if it is not given here",
    )
    api_key: Key | None = Field(
        None, title="API key", description="If a proxy before Ollama wants one"
    )
    batch_size: BatchSize = 20
    # A model that was idle is loaded first.
    timeout_s: float = Field(
        120.0, gt=0, le=600, title="Timeout", description="Seconds for a batch of documents"
    )
    query_timeout_s: float = Field(
        10.0, gt=0, le=600, title="Timeout of questions", description="Seconds for a question"
    )


def full_name(model: str) -> str:
    """Return a model's name with its tag."""
    return model if ":" in model.rpartition("/")[2] else f"{model}:latest"


def model_digests(reply: JsonValue) -> dict[str, str]:
    """Return the digests of the models that `GET /api/tags` lists, by full name."""
    listed = reply.get("models") if isinstance(reply, dict) else None
    found: dict[str, str] = {}
    for entry in listed if isinstance(listed, list) else ():
        name = entry.get("name") or entry.get("model") if isinstance(entry, dict) else None
        if isinstance(entry, dict) and isinstance(name, str):
            found[full_name(name)] = str(entry.get("digest") or "")
    return found


def missing_model(model: str) -> str:
    """Say what to do about a model that is not there."""
    return f"has no model {model!r}: run `ollama pull {model}`"


async def _probe(settings: OllamaEmbedderSettings, client: httpx2.AsyncClient) -> Probed:
    reply = await fetch_json(client, f"{settings.base_url}/api/tags", settings.api_key)
    digests = model_digests(reply)
    if full_name(settings.path) not in digests:
        raise ProbeFailed("not_found", f"Ollama {missing_model(settings.path)}")
    return Probed({"model": settings.path, "models": len(digests)})


PROVIDER: Provider[OllamaEmbedderSettings, Embedder] = Provider(
    OllamaEmbedderSettings, "sourcebook.providers.embedders.ollama:open_ollama_embedder", _probe
)
