"""Turns the API of any embedding service into an embedder."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass
from itertools import chain

from sourcebook.core.documents import TokenSpans
from sourcebook.core.errors import EmbeddingFailed, PoisonText
from sourcebook.core.health import HealthTimer, ServiceHealth
from sourcebook.core.vectors import Embedding, Vector
from sourcebook.providers.declaration import Opening
from sourcebook.providers.embedders.model_description import (
    DescribedModel,
    ModelDescription,
    revision_digest,
)
from sourcebook.providers.embedders.remote.client import (
    PROBE_TEXT,
    EmbeddingApi,
    EmbeddingClient,
    Result,
)
from sourcebook.providers.embedders.remote.document_batches import BatchLimits, DocumentBatcher
from sourcebook.providers.embedders.remote.errors import ErrorTranslator
from sourcebook.providers.embedders.remote.query_batches import QueryBatcher
from sourcebook.providers.embedders.remote.settings import ServiceSettings
from sourcebook.providers.embedders.remote.token_estimate import ESTIMATE_VERSION, token_spans
from sourcebook.providers.inference.errors import foreign_errors_as
from sourcebook.providers.inference.prompts import Prompts
from sourcebook.providers.inference.weights import FloatArray
from sourcebook.providers.inference.windows import (
    WINDOWING_VERSION,
    TextWindow,
    average,
    cut_text,
    join_all,
    regroup,
)
from sourcebook.providers.outbound.json_server import CallFailed, StatusRefused

# Services add a token before and after every text.
SPECIAL_TOKENS = 2
PING_TIMEOUT_S = 2.0
# Longer texts are cut in a thread, so that cutting holds up nobody else.
MAX_INLINE_CHARACTERS = 5_000
MAX_NAMED_TEXTS = 5
# A server may lack the route of the health check, and embed all the same.
_NO_SUCH_ROUTE = frozenset({404, 405, 501})


class RemoteEmbedder(DescribedModel):
    """Cuts texts by an estimate of their tokens, and gives unit vectors, as local models do."""

    def __init__(
        self,
        description: ModelDescription,
        client: EmbeddingClient,
        limits: BatchLimits,
        query_timeout_s: float,
    ) -> None:
        super().__init__(description)
        self._client = client
        self._max_request_texts = limits.max_texts
        self._query_timeout_s = query_timeout_s
        self._documents = DocumentBatcher(client, limits)
        # Apart from the documents: a query must not wait for them.
        self._queries = QueryBatcher(client, limits.max_texts, query_timeout_s)
        self._closed = False

    async def embed_documents(self, texts: Sequence[str]) -> list[Embedding]:
        """Embed a batch, in order. A retry goes on where a failed call stopped."""
        if not texts:
            return []
        with self._translated_errors():
            per_text = await asyncio.to_thread(self._cut_all, texts)
            results = await self._documents.embed(list(chain.from_iterable(per_text)), "document")
            return await asyncio.to_thread(_joined, texts, per_text, results)

    async def embed_query(self, text: str) -> Vector:
        """Embed one query as one vector, however long it is."""
        with self._translated_errors():
            prompt = self._client.prompts.query
            short = len(text) <= MAX_INLINE_CHARACTERS
            windows = (
                self._cut(text, prompt)
                if short
                else await asyncio.to_thread(self._cut, text, prompt)
            )
            # A query as long as a book waits with the books.
            long = len(windows) > self._max_request_texts
            results = await (
                self._documents.embed(windows, "query") if long else self._ask(windows)
            )
            return average(_usable([text], [windows], results), [one.weight for one in windows])

    async def tokenize(self, texts: Sequence[str]) -> list[TokenSpans]:
        """Return the estimated tokens of each text."""
        return await asyncio.to_thread(lambda: [token_spans(text) for text in texts])

    async def check(self) -> ServiceHealth:
        """Ping the service at no cost; degraded if it is there but the last call failed."""
        if self._closed:
            return ServiceHealth("down", message="The model is closed")
        timer = HealthTimer()
        down = await self._ping_failure()
        last = self._client.last_failure
        return timer.report(
            "down" if down else "degraded" if last else "up",
            down or (last.message if last else None),
        )

    async def close(self) -> None:
        """Refuse new texts, and cancel the queries under way."""
        self._closed = True
        await self._queries.close()

    async def _ask(self, windows: Sequence[TextWindow]) -> list[Result]:
        try:
            async with asyncio.timeout(self._query_timeout_s):
                return await self._queries.embed([window.text for window in windows])
        except TimeoutError:
            late = CallFailed(f"took longer than {self._query_timeout_s:g} s: try again")
            self._client.last_failure = self._client.errors.translate(late)
            raise self._client.last_failure from None

    async def _ping_failure(self) -> str | None:
        try:
            await self._client.api.ping(PING_TIMEOUT_S)
        except CallFailed as error:
            if isinstance(error, StatusRefused) and error.status in _NO_SUCH_ROUTE:
                return None
            return self._client.errors.translate(error).message
        return None

    def _cut_all(self, texts: Sequence[str]) -> list[list[TextWindow]]:
        return [self._cut(text, self._client.prompts.document) for text in texts]

    def _cut(self, text: str, prompt: str) -> list[TextWindow]:
        room = self.max_tokens - SPECIAL_TOKENS - len(token_spans(prompt))
        return cut_text(text, room, token_spans)

    def _translated_errors(self) -> AbstractContextManager[None]:
        if self._closed:
            raise EmbeddingFailed(f"The model {self.id!r} is closed")
        return foreign_errors_as(EmbeddingFailed, f"Embedding with {self.id!r} failed")


@dataclass(frozen=True, slots=True)
class RemoteModel:
    """What is known of a service's model before it is asked for vectors.

    Without `dimensions` the service is asked for one vector. `identity` tells it from other
    models: vectors are kept under it.
    """

    provider: str
    identity: Mapping[str, object]
    dimensions: int | None
    max_tokens: int
    prompts: Prompts
    max_request_tokens: int

    def revision(self, dimensions: int) -> str:
        """Return a name that changes whenever the same text would get another vector."""
        parts = {
            **self.identity,
            "dimensions": dimensions,
            "max_tokens": self.max_tokens,
            "provider": self.provider,
            "prompts": [self.prompts.query, self.prompts.document],
            "windowing": [WINDOWING_VERSION, ESTIMATE_VERSION],
        }
        return f"{self.provider}-{revision_digest(parts)}"


@asynccontextmanager
async def open_remote_embedder(
    settings: ServiceSettings,
    opening: Opening,
    api: EmbeddingApi,
    errors: ErrorTranslator,
    model: RemoteModel,
) -> AsyncIterator[RemoteEmbedder]:
    """Hold an embedder while the context lasts."""
    dimensions = model.dimensions or await _ask_dimensions(api, errors, settings.timeout_s)
    description = ModelDescription(
        opening.id, settings.path, dimensions, model.max_tokens, model.revision(dimensions)
    )
    client = EmbeddingClient(api, errors, model.prompts, dimensions)
    limits = BatchLimits(settings.batch_size, model.max_request_tokens, settings.timeout_s)
    embedder = RemoteEmbedder(description, client, limits, settings.query_timeout_s)
    try:
        yield embedder
    finally:
        await embedder.close()


async def _ask_dimensions(api: EmbeddingApi, errors: ErrorTranslator, timeout_s: float) -> int:
    try:
        vectors = await api.vectors([PROBE_TEXT], "query", timeout_s)
    except CallFailed as error:
        raise errors.translate(error) from None
    if len(vectors) != 1 or not len(vectors[0]):
        raise errors.translate(CallFailed("gave no vector"))
    return len(vectors[0])


def _joined(
    texts: Sequence[str], per_text: Sequence[Sequence[TextWindow]], results: Sequence[Result]
) -> list[Embedding]:
    return join_all(_usable(texts, per_text, results), per_text)


def _usable(
    texts: Sequence[str], per_text: Sequence[Sequence[TextWindow]], results: Sequence[Result]
) -> list[FloatArray]:
    """Return the vectors of all windows; PoisonText if some were refused."""
    groups = regroup(results, [len(windows) for windows in per_text])
    refused = {
        position: one.status
        for position, group in enumerate(groups)
        for one in group
        if isinstance(one, StatusRefused)
    }
    if refused:
        raise _poison_text(texts, refused)
    return [one for one in results if not isinstance(one, StatusRefused)]


def _poison_text(texts: Sequence[str], refused: Mapping[int, int]) -> PoisonText:
    # A text is named by its place and its length: what it says is its owner's business.
    named = [
        f"number {position} ({len(texts[position])} characters, status {status})"
        for position, status in list(refused.items())[:MAX_NAMED_TEXTS]
    ]
    more = ", …" if len(refused) > MAX_NAMED_TEXTS else ""
    return PoisonText(
        f"The embedding service refused {len(refused)} of {len(texts)} texts: {', '.join(named)}"
        f"{more}. Change them, or leave them out",
        list(refused),
    )
