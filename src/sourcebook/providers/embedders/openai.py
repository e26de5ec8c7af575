"""The embedders of OpenAI, and of any server that speaks OpenAI's embedding route."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.metadata import JsonValue
from sourcebook.providers.declaration import Opening
from sourcebook.providers.embedders.openai_provider import (
    OpenAiCompatibleEmbedderSettings,
    OpenAiEmbedderSettings,
)
from sourcebook.providers.embedders.remote.client import Purpose
from sourcebook.providers.embedders.remote.connection import connect
from sourcebook.providers.embedders.remote.embedder import (
    RemoteEmbedder,
    RemoteModel,
    open_remote_embedder,
)
from sourcebook.providers.embedders.remote.errors import ErrorTranslator
from sourcebook.providers.embedders.remote.replies import parse_indexed, parse_object, parse_vector
from sourcebook.providers.inference.weights import FloatArray
from sourcebook.providers.outbound.json_server import JsonServer

# A request may hold 300,000 tokens; our estimate may be too low for text that is no language.
MAX_REQUEST_TOKENS = 150_000
MAX_TOKENS = 8_191
COMPATIBLE_MAX_TOKENS = 512


@dataclass(frozen=True, slots=True)
class OpenAiModel:
    """A model whose vectors we know without asking."""

    dimensions: int
    can_shorten: bool = True


MODELS: Mapping[str, OpenAiModel] = {
    "text-embedding-3-small": OpenAiModel(1536),
    "text-embedding-3-large": OpenAiModel(3072),
    "text-embedding-ada-002": OpenAiModel(1536, can_shorten=False),
}


class OpenAiApi:
    """`POST /embeddings`. `options` go into every request as they are."""

    def __init__(self, server: JsonServer, model: str, options: Mapping[str, JsonValue]) -> None:
        self._server = server
        self._model = model
        self._options = options

    async def vectors(
        self, texts: Sequence[str], purpose: Purpose, timeout_s: float
    ) -> list[FloatArray]:
        """Return the vectors, in the order of the texts. The route knows no purposes."""
        body = {"model": self._model, "input": list(texts), **self._options}
        reply = parse_object(await self._server.post("/embeddings", body, timeout_s))
        return parse_indexed(
            reply.get("data"), len(texts), "vector", lambda row: parse_vector(row.get("embedding"))
        )

    async def ping(self, timeout_s: float) -> None:
        """Fetch the list of models."""
        await self._server.get("/models", timeout_s)


@asynccontextmanager
async def open_openai_embedder(
    settings: OpenAiEmbedderSettings, opening: Opening
) -> AsyncIterator[RemoteEmbedder]:
    """Hold connections to OpenAI. Only a model that we do not know is asked for a vector."""
    errors = ErrorTranslator(
        opening.id, settings.path, "api_key in its settings, or OPENAI_API_KEY"
    )
    model = RemoteModel(
        provider="openai",
        identity={"model": settings.path},
        dimensions=_known_dimensions(settings),
        max_tokens=settings.max_tokens or MAX_TOKENS,
        prompts=settings.prompts(),
        max_request_tokens=MAX_REQUEST_TOKENS,
    )
    # Exact, and a third of the size of numbers in JSON.
    options: dict[str, JsonValue] = {"encoding_format": "base64"}
    if settings.dimensions is not None:
        options["dimensions"] = settings.dimensions
    async with connect(settings) as server:
        api = OpenAiApi(server, settings.path, options)
        async with open_remote_embedder(settings, opening, api, errors, model) as embedder:
            yield embedder


@asynccontextmanager
async def open_openai_compatible_embedder(
    settings: OpenAiCompatibleEmbedderSettings, opening: Opening
) -> AsyncIterator[RemoteEmbedder]:
    """Hold connections to a server. Without `dimensions` it is asked for one vector."""
    errors = ErrorTranslator(opening.id, settings.path, "api_key in its settings")
    model = RemoteModel(
        provider="openai-compatible",
        identity={"model": settings.path, "base_url": settings.base_url},
        dimensions=settings.dimensions,
        max_tokens=settings.max_tokens or COMPATIBLE_MAX_TOKENS,
        prompts=settings.prompts(),
        max_request_tokens=MAX_REQUEST_TOKENS,
    )
    async with connect(settings) as server:
        api = OpenAiApi(server, settings.path, {"encoding_format": "float"})
        async with open_remote_embedder(settings, opening, api, errors, model) as embedder:
            yield embedder


def _known_dimensions(settings: OpenAiEmbedderSettings) -> int | None:
    """Return the length of the vectors; None if only the service knows."""
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
