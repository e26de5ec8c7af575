"""The Cohere embedder, whose models tell queries and documents apart by themselves."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.metadata import JsonValue
from sourcebook.providers.declaration import Opening
from sourcebook.providers.embedders.cohere_provider import CohereEmbedderSettings
from sourcebook.providers.embedders.remote.client import Purpose
from sourcebook.providers.embedders.remote.connection import connect
from sourcebook.providers.embedders.remote.embedder import (
    RemoteEmbedder,
    RemoteModel,
    open_remote_embedder,
)
from sourcebook.providers.embedders.remote.errors import ErrorTranslator
from sourcebook.providers.embedders.remote.replies import parse_list, parse_object, parse_vector
from sourcebook.providers.inference.weights import FloatArray
from sourcebook.providers.outbound.json_server import JsonServer

MAX_REQUEST_TOKENS = 100_000
MAX_TOKENS = 512
INPUT_TYPES: Mapping[Purpose, str] = {"query": "search_query", "document": "search_document"}


@dataclass(frozen=True, slots=True)
class CohereModel:
    """A model whose vectors we know without asking; `choices` are the lengths it offers."""

    dimensions: int
    max_tokens: int = MAX_TOKENS
    choices: tuple[int, ...] = ()


MODELS: Mapping[str, CohereModel] = {
    "embed-english-v3.0": CohereModel(1024),
    "embed-multilingual-v3.0": CohereModel(1024),
    "embed-english-light-v3.0": CohereModel(384),
    "embed-multilingual-light-v3.0": CohereModel(384),
    # It reads 128,000 tokens, but one vector for so much says little of any part of it.
    "embed-v4.0": CohereModel(1536, max_tokens=8_192, choices=(256, 512, 1024, 1536)),
}


class CohereApi:
    """`POST /v2/embed`. `options` go into every request as they are."""

    def __init__(self, server: JsonServer, model: str, options: Mapping[str, JsonValue]) -> None:
        self._server = server
        self._model = model
        self._options = options

    async def vectors(
        self, texts: Sequence[str], purpose: Purpose, timeout_s: float
    ) -> list[FloatArray]:
        """Return the vectors, in the order of the texts."""
        body = {
            "model": self._model,
            "texts": list(texts),
            "input_type": INPUT_TYPES[purpose],
            "embedding_types": ["float"],
            # Rather an error than a truncated text: an error can be dealt with.
            "truncate": "NONE",
            **self._options,
        }
        reply = parse_object(await self._server.post("/v2/embed", body, timeout_s))
        embeddings = parse_object(reply.get("embeddings"))
        return [parse_vector(vector) for vector in parse_list(embeddings.get("float"))]

    async def ping(self, timeout_s: float) -> None:
        """Fetch one line of the list of models."""
        await self._server.get("/v1/models?page_size=1", timeout_s)


@asynccontextmanager
async def open_cohere_embedder(
    settings: CohereEmbedderSettings, opening: Opening
) -> AsyncIterator[RemoteEmbedder]:
    """Hold connections to Cohere. Only a model that we do not know is asked for a vector."""
    errors = ErrorTranslator(
        opening.id, settings.path, "api_key in its settings, or COHERE_API_KEY"
    )
    known = MODELS.get(settings.path)
    _check_dimensions(settings, known)
    model = RemoteModel(
        provider="cohere",
        identity={"model": settings.path},
        dimensions=settings.dimensions or (known.dimensions if known else None),
        max_tokens=settings.max_tokens or (known.max_tokens if known else MAX_TOKENS),
        prompts=settings.prompts(),
        max_request_tokens=MAX_REQUEST_TOKENS,
    )
    options: dict[str, JsonValue] = {}
    if settings.dimensions is not None and (known is None or known.choices):
        options["output_dimension"] = settings.dimensions
    async with connect(settings) as server:
        api = CohereApi(server, settings.path, options)
        async with open_remote_embedder(settings, opening, api, errors, model) as embedder:
            yield embedder


def _check_dimensions(settings: CohereEmbedderSettings, known: CohereModel | None) -> None:
    wanted = settings.dimensions
    if known is None or wanted is None or wanted in {known.dimensions, *known.choices}:
        return
    choices = list(known.choices) or [known.dimensions]
    raise ConfigurationError(
        f"The model {settings.path!r} gives no vectors of {wanted} dimensions. Available: {choices}"
    )
