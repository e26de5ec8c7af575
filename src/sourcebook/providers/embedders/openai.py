"""The OpenAI embedder, and one for every server that speaks as OpenAI does."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.metadata import JsonValue
from sourcebook.providers.embedders.bulk import BatchLimits
from sourcebook.providers.embedders.description import ModelDescription
from sourcebook.providers.embedders.openai_compatible_provider import OpenAiCompatibleSettings
from sourcebook.providers.embedders.openai_provider import OpenAiSettings
from sourcebook.providers.embedders.remote_calls import Purpose
from sourcebook.providers.embedders.remote_embedder import (
    Pace,
    RemoteEmbedder,
    ask_dimensions,
    open_remote_embedder,
    revision_of,
)
from sourcebook.providers.embedders.remote_settings import bearer
from sourcebook.providers.embedders.replies import read_vector, rows, table
from sourcebook.providers.embedders.wire_errors import Service
from sourcebook.providers.inference.weights import FloatArray
from sourcebook.providers.outbound.client import open_client
from sourcebook.providers.outbound.json_server import CallFailed, JsonServer

# A request may hold 300,000 tokens; our estimate may be too low for text that is no language.
TOKENS_PER_REQUEST = 150_000
MAX_TOKENS = 8_191
COMPATIBLE_MAX_TOKENS = 512


@dataclass(frozen=True, slots=True)
class _Known:
    dimensions: int
    can_shorten: bool = True


MODELS: Mapping[str, _Known] = {
    "text-embedding-3-small": _Known(1536),
    "text-embedding-3-large": _Known(3072),
    "text-embedding-ada-002": _Known(1536, can_shorten=False),
}


class OpenAiWire:
    """`POST /embeddings`. `options` go into every request as they are."""

    def __init__(self, server: JsonServer, model: str, options: Mapping[str, JsonValue]) -> None:
        self._server = server
        self._model = model
        self._options = options

    async def vectors(
        self, texts: Sequence[str], purpose: Purpose, within_s: float
    ) -> list[FloatArray]:
        """The vectors, in the order of the texts. The model knows no purposes."""
        body = {"model": self._model, "input": list(texts), **self._options}
        reply = await self._server.post("/embeddings", body, within_s)
        return _in_order(rows(table(reply).get("data")), len(texts))

    async def look(self, within_s: float) -> None:
        """Ask for the list of models."""
        await self._server.get("/models", within_s)


@asynccontextmanager
async def open_openai_embedder(
    settings: OpenAiSettings, model_id: str
) -> AsyncIterator[RemoteEmbedder]:
    """Hold connections to OpenAI. Nothing is sent yet, unless the model is one we do not know."""
    service = Service(model_id, settings.path, "api_key in its settings, or OPENAI_API_KEY")
    # Exact, and a third of the size of numbers in JSON.
    options: dict[str, JsonValue] = {"encoding_format": "base64"}
    dimensions = _known_dimensions(settings)
    if settings.dimensions is not None:
        options["dimensions"] = settings.dimensions
    async with open_client(
        timeout_s=settings.timeout_s, headers=bearer(settings.api_key)
    ) as client:
        wire = OpenAiWire(JsonServer(client, settings.base_url), settings.path, options)
        if dimensions is None:
            dimensions = await ask_dimensions(service, wire, settings.timeout_s)
        prompts = settings.prompts()
        max_tokens = settings.max_tokens or MAX_TOKENS
        parts = {"model": settings.path, "dimensions": dimensions, "max_tokens": max_tokens}
        description = ModelDescription(
            model_id, settings.path, dimensions, max_tokens, revision_of("openai", parts, prompts)
        )
        async with open_remote_embedder(
            description, service, wire, prompts, _pace(settings)
        ) as embedder:
            yield embedder


@asynccontextmanager
async def open_openai_compatible_embedder(
    settings: OpenAiCompatibleSettings, model_id: str
) -> AsyncIterator[RemoteEmbedder]:
    """Hold connections to a server. Without `dimensions` it is asked for one vector."""
    service = Service(model_id, settings.path, "api_key in its settings")
    async with open_client(
        timeout_s=settings.timeout_s, headers=bearer(settings.api_key)
    ) as client:
        wire = OpenAiWire(
            JsonServer(client, settings.base_url), settings.path, {"encoding_format": "float"}
        )
        dimensions = settings.dimensions or await ask_dimensions(service, wire, settings.timeout_s)
        prompts = settings.prompts()
        max_tokens = settings.max_tokens or COMPATIBLE_MAX_TOKENS
        parts = {
            "model": settings.path,
            "base_url": settings.base_url,
            "dimensions": dimensions,
            "max_tokens": max_tokens,
        }
        revision = revision_of("openai-compatible", parts, prompts)
        description = ModelDescription(model_id, settings.path, dimensions, max_tokens, revision)
        async with open_remote_embedder(
            description, service, wire, prompts, _pace(settings)
        ) as embedder:
            yield embedder


def _known_dimensions(settings: OpenAiSettings) -> int | None:
    """How long the vectors will be; None if only the service knows."""
    known = MODELS.get(settings.path)
    wanted = settings.dimensions
    if known is None or wanted is None:
        return wanted or (known.dimensions if known else None)
    if wanted > known.dimensions or (wanted < known.dimensions and not known.can_shorten):
        raise ConfigurationError(
            f"The model {settings.path!r} gives vectors of {known.dimensions} dimensions, not"
            f" {wanted}: leave `dimensions` out, or use a model that gives them"
        )
    return wanted


def _pace(settings: OpenAiSettings | OpenAiCompatibleSettings) -> Pace:
    limits = BatchLimits(settings.batch_size, TOKENS_PER_REQUEST, settings.timeout_s)
    return Pace(limits, settings.query_timeout_s)


def _in_order(data: Sequence[JsonValue], count: int) -> list[FloatArray]:
    """The vectors by their `index`: nothing says that they come in order."""
    by_index: dict[int, FloatArray] = {}
    for row in map(table, data):
        index = row.get("index")
        if not isinstance(index, int) or index in by_index or not 0 <= index < count:
            raise CallFailed("gave a vector with a wrong index")
        by_index[index] = read_vector(row.get("embedding"))
    if len(by_index) != count:
        raise CallFailed(f"gave {len(by_index)} vectors for {count} texts")
    return [by_index[index] for index in range(count)]
