"""The Cohere reranker: it reads a question and each text together, and scores from 0 to 1."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import chain

from sourcebook.core.errors import Unavailable
from sourcebook.core.health import ServiceHealth
from sourcebook.core.metadata import JsonValue
from sourcebook.providers.embedders.approximate_tokens import token_spans
from sourcebook.providers.embedders.remote_settings import bearer
from sourcebook.providers.embedders.replies import rows, table
from sourcebook.providers.inference.batching import batched, regrouped
from sourcebook.providers.inference.text_pieces import cut_text
from sourcebook.providers.outbound.client import open_client
from sourcebook.providers.outbound.json_server import CallFailed, JsonServer, Refused
from sourcebook.providers.rerankers.cohere_provider import CohereRerankSettings

TEXTS_PER_REQUEST = 1_000
REQUESTS_AT_ONCE = 4
# What stands around the question and the text.
SPECIAL_TOKENS = 4
LEAST_ROOM_TOKENS = 64
PROBE_WITHIN_S = 2.0


class CohereReranker:
    """Scores with one request, mostly. A long text is read in parts, and its best one counts."""

    def __init__(self, settings: CohereRerankSettings, server: JsonServer) -> None:
        self.name = settings.path
        self._settings = settings
        self._server = server
        self._turns = asyncio.Semaphore(REQUESTS_AT_ONCE)
        self._last_failure: str | None = None
        self._closed = False

    async def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score for each text, from 0 to 1; Unavailable, also when it takes too long."""
        if not texts:
            return []
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                per_text = await asyncio.to_thread(self._pieces, query, texts)
                scores = await self._scores(query, list(chain.from_iterable(per_text)))
        except TimeoutError:
            late = CallFailed(f"took longer than {self._settings.timeout_s:g} s")
            raise self._failure(late) from None
        except CallFailed as error:
            raise self._failure(error) from None
        except asyncio.CancelledError:
            # A search waits for less long than we do: then this is all that we learn.
            self._last_failure = self._explained(CallFailed("was given up before it answered"))
            raise
        self._last_failure = None
        return [max(group) for group in regrouped(scores, [len(pieces) for pieces in per_text])]

    async def check(self) -> ServiceHealth:
        """See whether Cohere is there and takes the key, at no cost, and how the last call went."""
        if self._closed:
            return ServiceHealth("down", message="The reranker is closed")
        begun_s = time.perf_counter()
        down: str | None = None
        try:
            await self._server.get("/v1/models?page_size=1", PROBE_WITHIN_S)
        except CallFailed as error:
            down = self._explained(error)
        return ServiceHealth(
            "down" if down else "degraded" if self._last_failure else "up",
            latency_ms=(time.perf_counter() - begun_s) * 1000,
            message=down or self._last_failure,
        )

    def close(self) -> None:
        """Take no more."""
        self._closed = True

    def _pieces(self, query: str, texts: Sequence[str]) -> list[list[str]]:
        taken = SPECIAL_TOKENS + len(token_spans(query))
        # A question as long as all the model reads leaves the texts some room all the same.
        room = max(self._settings.max_tokens - taken, LEAST_ROOM_TOKENS)
        return [[piece.text for piece in cut_text(text, room, token_spans)] for text in texts]

    async def _scores(self, query: str, texts: Sequence[str]) -> list[float]:
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(self._request(query, some))
                    for some in batched(texts, TEXTS_PER_REQUEST)
                ]
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return list(chain.from_iterable(task.result() for task in tasks))

    async def _request(self, query: str, texts: Sequence[str]) -> list[float]:
        if self._closed:
            raise CallFailed("is closed")
        body = {
            "model": self._settings.path,
            "query": query,
            "documents": list(texts),
            "max_tokens_per_doc": self._settings.max_tokens,
        }
        async with self._turns:
            reply = await self._server.post("/v2/rerank", body, self._settings.timeout_s)
        return _in_order(rows(table(reply).get("results")), len(texts))

    def _failure(self, error: CallFailed) -> Unavailable:
        self._last_failure = self._explained(error)
        return Unavailable(self._last_failure)

    def _explained(self, error: CallFailed) -> str:
        return f"The reranker {self.name!r} {_advice(error)}"


@asynccontextmanager
async def open_cohere_reranker(settings: CohereRerankSettings) -> AsyncIterator[CohereReranker]:
    """Hold connections to Cohere for as long as the context lasts. Nothing is sent yet."""
    async with open_client(
        timeout_s=settings.timeout_s, headers=bearer(settings.api_key)
    ) as client:
        reranker = CohereReranker(settings, JsonServer(client, settings.base_url))
        try:
            yield reranker
        finally:
            reranker.close()


def _in_order(results: Sequence[JsonValue], count: int) -> list[float]:
    """The scores by their `index`: they come best first."""
    by_index: dict[int, float] = {}
    for row in map(table, results):
        index, score = row.get("index"), row.get("relevance_score")
        if not isinstance(index, int) or index in by_index or not 0 <= index < count:
            raise CallFailed("gave a score with a wrong index")
        if not isinstance(score, int | float) or not math.isfinite(score):
            raise CallFailed("gave a score that is no number")
        by_index[index] = min(1.0, max(0.0, float(score)))
    if len(by_index) != count:
        raise CallFailed(f"gave {len(by_index)} scores for {count} texts")
    return [by_index[index] for index in range(count)]


def _advice(error: CallFailed) -> str:
    if not isinstance(error, Refused):
        return error.message
    if error.status in {401, 403}:
        return (
            f"is refused the key (status {error.status}): check api_key in its settings, or"
            " COHERE_API_KEY"
        )
    if error.status == 404:
        return "is not known at this address: check path and base_url in its settings"
    if error.status == 429:
        return "takes no more for now: try again in a while"
    return f"failed (status {error.status})"
