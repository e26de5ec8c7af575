"""The Ollama embedder: models on a server of one's own."""

import asyncio
import re
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from sourcebook.core.metadata import JsonValue
from sourcebook.providers.declaration import Opening
from sourcebook.providers.embedders.ollama_provider import (
    OllamaEmbedderSettings,
    full_name,
    missing_model,
    model_digests,
)
from sourcebook.providers.embedders.remote.client import Purpose
from sourcebook.providers.embedders.remote.connection import connect
from sourcebook.providers.embedders.remote.embedder import (
    RemoteEmbedder,
    RemoteModel,
    open_remote_embedder,
)
from sourcebook.providers.embedders.remote.errors import ErrorTranslator
from sourcebook.providers.embedders.remote.replies import parse_list, parse_object, parse_vector
from sourcebook.providers.inference.prompts import Prompts
from sourcebook.providers.inference.weights import FloatArray
from sourcebook.providers.outbound.json_server import (
    CallFailed,
    JsonServer,
    StatusRefused,
    WrongSetting,
)

MAX_REQUEST_TOKENS = 20_000
# The context that Ollama gives a model by default, however much the model could read.
MAX_TOKENS = 2_048
UNKNOWN_MAX_TOKENS = 512
MAX_SINGLE_REQUESTS = 4
DESCRIBE_TIMEOUT_S = 10.0

_MODEL_MISSING = re.compile(r"model.*not found", re.IGNORECASE | re.DOTALL)
_PASSAGE_QUERY = "Represent this sentence for searching relevant passages: "
# The prompts that these models were trained with. Ollama adds none by itself.
PROMPTS: Mapping[str, Prompts] = {
    "nomic-embed-text": Prompts("search_query: ", "search_document: "),
    "mxbai-embed-large": Prompts(query=_PASSAGE_QUERY),
    "snowflake-arctic-embed": Prompts(query=_PASSAGE_QUERY),
    "snowflake-arctic-embed2": Prompts(query="query: "),
    "embeddinggemma": Prompts("task: search result | query: ", "title: none | text: "),
}


class OllamaApi:
    """`POST /api/embed`; for servers too old to have it, `/api/embeddings` text by text."""

    def __init__(self, server: JsonServer, model: str) -> None:
        self._server = server
        self._model = model
        self._is_old = False
        # Apart from one another: a query must not wait for documents.
        self._slots: Mapping[Purpose, asyncio.Semaphore] = {
            "query": asyncio.Semaphore(MAX_SINGLE_REQUESTS),
            "document": asyncio.Semaphore(MAX_SINGLE_REQUESTS),
        }

    async def vectors(
        self, texts: Sequence[str], purpose: Purpose, timeout_s: float
    ) -> list[FloatArray]:
        """Return the vectors, in the order of the texts. Prompts say what they are for."""
        if not self._is_old:
            try:
                return await self._together(texts, timeout_s)
            except StatusRefused as error:
                # The model is missing elsewhere: here it is the route.
                if error.status not in {404, 405}:
                    raise
                self._is_old = True
        return await self._one_by_one(texts, purpose, timeout_s)

    async def ping(self, timeout_s: float) -> None:
        """Fetch the list of models."""
        await self._server.get("/api/tags", timeout_s)

    async def _together(self, texts: Sequence[str], timeout_s: float) -> list[FloatArray]:
        body = {"model": self._model, "input": list(texts), "truncate": False}
        reply = await self._post("/api/embed", body, timeout_s)
        return [parse_vector(one) for one in parse_list(parse_object(reply).get("embeddings"))]

    async def _one_by_one(
        self, texts: Sequence[str], purpose: Purpose, timeout_s: float
    ) -> list[FloatArray]:
        async def embed(text: str) -> FloatArray:
            async with self._slots[purpose]:
                body = {"model": self._model, "prompt": text}
                reply = await self._post("/api/embeddings", body, timeout_s)
                return parse_vector(parse_object(reply).get("embedding"))

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(embed(text)) for text in texts]
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return [task.result() for task in tasks]

    async def _post(self, route: str, body: Mapping[str, object], timeout_s: float) -> JsonValue:
        try:
            return await self._server.post(route, body, timeout_s)
        except StatusRefused as error:
            raise _explained(error, self._model) from None


@dataclass(frozen=True, slots=True)
class OllamaModel:
    """What Ollama says of a model, as far as it does."""

    dimensions: int | None
    context_tokens: int | None
    digest: str | None


@asynccontextmanager
async def open_ollama_embedder(
    settings: OllamaEmbedderSettings, opening: Opening
) -> AsyncIterator[RemoteEmbedder]:
    """Ask Ollama what the model is, and hold connections. It must be running, with the model."""
    errors = ErrorTranslator(opening.id, settings.path, "api_key in its settings")
    async with connect(settings) as server:
        try:
            found = await _describe(server, settings.path)
        except CallFailed as error:
            raise errors.translate(error) from None
        context_tokens = min(found.context_tokens or UNKNOWN_MAX_TOKENS, MAX_TOKENS)
        model = RemoteModel(
            provider="ollama",
            identity={
                "model": full_name(settings.path),
                # Without a digest, a model of the same name elsewhere might be another.
                "weights": found.digest or settings.base_url,
            },
            dimensions=settings.dimensions or found.dimensions,
            max_tokens=settings.max_tokens or context_tokens,
            prompts=settings.prompts(known_prompts(settings.path)),
            max_request_tokens=MAX_REQUEST_TOKENS,
        )
        api = OllamaApi(server, settings.path)
        async with open_remote_embedder(settings, opening, api, errors, model) as embedder:
            yield embedder


def known_prompts(model: str) -> Prompts:
    """Return the prompts of a model by its name, whatever its owner and its tag are."""
    return PROMPTS.get(model.rpartition("/")[2].partition(":")[0], Prompts())


async def _describe(server: JsonServer, model: str) -> OllamaModel:
    # The name goes twice: older servers know it by the first.
    asked = {"name": model, "model": model}
    shown = await _if_there(server.post("/api/show", asked, DESCRIBE_TIMEOUT_S), model)
    listed = await _if_there(server.get("/api/tags", DESCRIBE_TIMEOUT_S), model)
    information = shown.get("model_info") if isinstance(shown, dict) else None
    return OllamaModel(
        dimensions=_number(information, ".embedding_length"),
        context_tokens=_number(information, ".context_length"),
        digest=model_digests(listed).get(full_name(model)) or None,
    )


async def _if_there(call: Coroutine[None, None, JsonValue], model: str) -> JsonValue:
    """Return the reply of a route; None if the server has no such route."""
    try:
        return await call
    except StatusRefused as error:
        explained = _explained(error, model)
        if isinstance(explained, StatusRefused) and error.status in {404, 405}:
            return None
        raise explained from None


def _explained(error: StatusRefused, model: str) -> CallFailed:
    """Tell a missing model from a missing route: both are 404."""
    if error.status == 404 and _MODEL_MISSING.search(error.said):
        return WrongSetting(missing_model(model))
    return error


def _number(information: JsonValue, ending: str) -> int | None:
    """Return a number whose key begins with the model's kind: `bert.embedding_length`."""
    if not isinstance(information, dict):
        return None
    found = (value for name, value in information.items() if name.endswith(ending))
    return next((value for value in found if isinstance(value, int) and value > 0), None)
