"""The Cohere embedder: it tells questions and documents apart by itself."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.metadata import JsonValue
from sourcebook.providers.embedders.bulk import BatchLimits
from sourcebook.providers.embedders.cohere_provider import CohereSettings
from sourcebook.providers.embedders.description import ModelDescription
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
from sourcebook.providers.outbound.json_server import JsonServer

TOKENS_PER_REQUEST = 100_000
MAX_TOKENS = 512
INPUT_TYPES: Mapping[Purpose, str] = {"query": "search_query", "document": "search_document"}


@dataclass(frozen=True, slots=True)
class _Known:
    dimensions: int
    max_tokens: int = MAX_TOKENS
    choices: tuple[int, ...] = ()


MODELS: Mapping[str, _Known] = {
    "embed-english-v3.0": _Known(1024),
    "embed-multilingual-v3.0": _Known(1024),
    "embed-english-light-v3.0": _Known(384),
    "embed-multilingual-light-v3.0": _Known(384),
    # It reads 128,000 tokens, but one vector for so much says little of any part of it.
    "embed-v4.0": _Known(1536, max_tokens=8_192, choices=(256, 512, 1024, 1536)),
}


class CohereWire:
    """`POST /v2/embed`. `options` go into every request as they are."""

    def __init__(self, server: JsonServer, model: str, options: Mapping[str, JsonValue]) -> None:
        self._server = server
        self._model = model
        self._options = options

    async def vectors(
        self, texts: Sequence[str], purpose: Purpose, within_s: float
    ) -> list[FloatArray]:
        """The vectors, in the order of the texts."""
        body = {
            "model": self._model,
            "texts": list(texts),
            "input_type": INPUT_TYPES[purpose],
            "embedding_types": ["float"],
            # Rather an error than a text that was cut: an error can be dealt with.
            "truncate": "NONE",
            **self._options,
        }
        reply = await self._server.post("/v2/embed", body, within_s)
        return [
            read_vector(one) for one in rows(table(table(reply).get("embeddings")).get("float"))
        ]

    async def look(self, within_s: float) -> None:
        """Ask for one line of the list of models."""
        await self._server.get("/v1/models?page_size=1", within_s)


@asynccontextmanager
async def open_cohere_embedder(
    settings: CohereSettings, model_id: str
) -> AsyncIterator[RemoteEmbedder]:
    """Hold connections to Cohere. Nothing is sent yet, unless the model is one we do not know."""
    service = Service(model_id, settings.path, "api_key in its settings, or COHERE_API_KEY")
    known = MODELS.get(settings.path)
    _check_dimensions(settings, known)
    options: dict[str, JsonValue] = {}
    if settings.dimensions is not None and (known is None or known.choices):
        options["output_dimension"] = settings.dimensions
    async with open_client(
        timeout_s=settings.timeout_s, headers=bearer(settings.api_key)
    ) as client:
        wire = CohereWire(JsonServer(client, settings.base_url), settings.path, options)
        dimensions = settings.dimensions or (known.dimensions if known else None)
        if dimensions is None:
            dimensions = await ask_dimensions(service, wire, settings.timeout_s)
        prompts = settings.prompts()
        max_tokens = settings.max_tokens or (known.max_tokens if known else MAX_TOKENS)
        parts = {"model": settings.path, "dimensions": dimensions, "max_tokens": max_tokens}
        description = ModelDescription(
            model_id, settings.path, dimensions, max_tokens, revision_of("cohere", parts, prompts)
        )
        limits = BatchLimits(settings.batch_size, TOKENS_PER_REQUEST, settings.timeout_s)
        pace = Pace(limits, settings.query_timeout_s)
        async with open_remote_embedder(description, service, wire, prompts, pace) as embedder:
            yield embedder


def _check_dimensions(settings: CohereSettings, known: _Known | None) -> None:
    wanted = settings.dimensions
    if known is None or wanted is None or wanted in {known.dimensions, *known.choices}:
        return
    choices = list(known.choices) or [known.dimensions]
    raise ConfigurationError(
        f"The model {settings.path!r} gives no vectors of {wanted} dimensions. Available: {choices}"
    )
