"""The Ollama embedder: models on a machine of one's own."""

import asyncio
import re
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from sourcebook.core.metadata import JsonValue
from sourcebook.providers.embedders.bulk import BatchLimits
from sourcebook.providers.embedders.description import ModelDescription
from sourcebook.providers.embedders.ollama_names import full_name, missing, model_digests
from sourcebook.providers.embedders.ollama_provider import OllamaSettings
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
from sourcebook.providers.inference.prompts import Prompts
from sourcebook.providers.inference.weights import FloatArray
from sourcebook.providers.outbound.client import open_client
from sourcebook.providers.outbound.json_server import CallFailed, JsonServer, Refused, WrongSetting

TOKENS_PER_REQUEST = 20_000
# So much Ollama gives a model by default, however much the model could read.
MAX_TOKENS = 2_048
UNKNOWN_MAX_TOKENS = 512
ONE_BY_ONE_AT_ONCE = 4
DESCRIBED_WITHIN_S = 10.0

_MODEL_MISSING = re.compile(r"model.*not found", re.IGNORECASE | re.DOTALL)
_PASSAGES = "Represent this sentence for searching relevant passages: "
# What the makers of these models want. Ollama adds nothing by itself.
PROMPTS: Mapping[str, Prompts] = {
    "nomic-embed-text": Prompts("search_query: ", "search_document: "),
    "mxbai-embed-large": Prompts(query=_PASSAGES),
    "snowflake-arctic-embed": Prompts(query=_PASSAGES),
    "snowflake-arctic-embed2": Prompts(query="query: "),
    "embeddinggemma": Prompts("task: search result | query: ", "title: none | text: "),
}


class OllamaWire:
    """`POST /api/embed`; for servers too old to have it, `/api/embeddings` text by text."""

    def __init__(self, server: JsonServer, model: str) -> None:
        self._server = server
        self._model = model
        self._is_old = False
        # Apart from one another: a question must not wait behind documents.
        self._turns: Mapping[Purpose, asyncio.Semaphore] = {
            "query": asyncio.Semaphore(ONE_BY_ONE_AT_ONCE),
            "document": asyncio.Semaphore(ONE_BY_ONE_AT_ONCE),
        }

    async def vectors(
        self, texts: Sequence[str], purpose: Purpose, within_s: float
    ) -> list[FloatArray]:
        """The vectors, in the order of the texts. Prompts say what they are for."""
        if not self._is_old:
            try:
                return await self._together(texts, within_s)
            except Refused as error:
                # The model is missing elsewhere: here it is the route.
                if error.status not in {404, 405}:
                    raise
                self._is_old = True
        return await self._one_by_one(texts, purpose, within_s)

    async def look(self, within_s: float) -> None:
        """Ask which models are there."""
        await self._server.get("/api/tags", within_s)

    async def _together(self, texts: Sequence[str], within_s: float) -> list[FloatArray]:
        body = {"model": self._model, "input": list(texts), "truncate": False}
        reply = await self._post("/api/embed", body, within_s)
        return [read_vector(one) for one in rows(table(reply).get("embeddings"))]

    async def _one_by_one(
        self, texts: Sequence[str], purpose: Purpose, within_s: float
    ) -> list[FloatArray]:
        async def embed(text: str) -> FloatArray:
            async with self._turns[purpose]:
                body = {"model": self._model, "prompt": text}
                reply = await self._post("/api/embeddings", body, within_s)
                return read_vector(table(reply).get("embedding"))

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(embed(text)) for text in texts]
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return [task.result() for task in tasks]

    async def _post(self, route: str, body: Mapping[str, object], within_s: float) -> JsonValue:
        try:
            return await self._server.post(route, body, within_s)
        except Refused as error:
            raise _explained(error, self._model) from None


@dataclass(frozen=True, slots=True)
class _Found:
    """What Ollama says of a model, as far as it does."""

    dimensions: int | None
    context: int | None
    digest: str | None


@asynccontextmanager
async def open_ollama_embedder(
    settings: OllamaSettings, model_id: str
) -> AsyncIterator[RemoteEmbedder]:
    """Ask Ollama what the model is, and hold connections. It must be running, with the model."""
    service = Service(model_id, settings.path, "api_key in its settings")
    async with open_client(
        timeout_s=settings.timeout_s, headers=bearer(settings.api_key)
    ) as client:
        server = JsonServer(client, settings.base_url)
        wire = OllamaWire(server, settings.path)
        try:
            found = await _find(server, settings.path)
        except CallFailed as error:
            raise service.failure(error) from None
        dimensions = settings.dimensions or found.dimensions
        if dimensions is None:
            dimensions = await ask_dimensions(service, wire, settings.timeout_s)
        context = min(found.context or UNKNOWN_MAX_TOKENS, MAX_TOKENS)
        max_tokens = settings.max_tokens or context
        prompts = settings.prompts(known_prompts(settings.path))
        parts = {
            "model": full_name(settings.path),
            # Without a digest, a model of the same name elsewhere might be another.
            "weights": found.digest or settings.base_url,
            "dimensions": dimensions,
            "max_tokens": max_tokens,
        }
        description = ModelDescription(
            model_id, settings.path, dimensions, max_tokens, revision_of("ollama", parts, prompts)
        )
        limits = BatchLimits(settings.batch_size, TOKENS_PER_REQUEST, settings.timeout_s)
        pace = Pace(limits, settings.query_timeout_s)
        async with open_remote_embedder(description, service, wire, prompts, pace) as embedder:
            yield embedder


def known_prompts(model: str) -> Prompts:
    """The prompts of a model by its name, whoever keeps it and whatever its tag is."""
    return PROMPTS.get(model.rpartition("/")[2].partition(":")[0], Prompts())


async def _find(server: JsonServer, model: str) -> _Found:
    # The name goes twice: older servers know it by the first.
    asked = {"name": model, "model": model}
    shown = await _if_there(server.post("/api/show", asked, DESCRIBED_WITHIN_S), model)
    listed = await _if_there(server.get("/api/tags", DESCRIBED_WITHIN_S), model)
    information = shown.get("model_info") if isinstance(shown, dict) else None
    return _Found(
        dimensions=_number(information, ".embedding_length"),
        context=_number(information, ".context_length"),
        digest=model_digests(listed).get(full_name(model)) or None,
    )


async def _if_there(call: Coroutine[None, None, JsonValue], model: str) -> JsonValue:
    """What a route replies; None if the server has no such route."""
    try:
        return await call
    except Refused as error:
        explained = _explained(error, model)
        if isinstance(explained, Refused) and error.status in {404, 405}:
            return None
        raise explained from None


def _explained(error: Refused, model: str) -> CallFailed:
    """Tell a missing model from a missing route: both are 404."""
    if error.status == 404 and _MODEL_MISSING.search(error.said):
        return WrongSetting(missing(model))
    return error


def _number(information: JsonValue, ending: str) -> int | None:
    """A number that the model's kind comes before: `bert.embedding_length`."""
    if not isinstance(information, dict):
        return None
    found = (value for name, value in information.items() if name.endswith(ending))
    return next((value for value in found if isinstance(value, int) and value > 0), None)
