"""The Cohere reranker, which scores each text for a query from 0 to 1."""

import asyncio
import math
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import chain

from sourcebook.core.errors import Unavailable
from sourcebook.core.health import HealthTimer, ServiceHealth
from sourcebook.core.metadata import JsonValue
from sourcebook.providers.declaration import Opening
from sourcebook.providers.embedders.remote.connection import connect
from sourcebook.providers.embedders.remote.replies import parse_indexed, parse_object
from sourcebook.providers.embedders.remote.token_estimate import token_spans
from sourcebook.providers.inference.windows import batched, cut_text, regroup
from sourcebook.providers.outbound.json_server import CallFailed, JsonServer, StatusRefused
from sourcebook.providers.rerankers.cohere_provider import CohereRerankerSettings

MAX_REQUEST_TEXTS = 1_000
MAX_REQUESTS = 4
# The tokens around the query and the text.
SPECIAL_TOKENS = 4
MIN_TEXT_TOKENS = 64
PING_TIMEOUT_S = 2.0


class CohereReranker:
    """Scores with one request if it can. A long text counts with its best window."""

    def __init__(self, settings: CohereRerankerSettings, server: JsonServer) -> None:
        self.name = settings.path
        self._settings = settings
        self._server = server
        self._slots = asyncio.Semaphore(MAX_REQUESTS)
        self._last_failure: str | None = None
        self._closed = False

    async def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return a score from 0 to 1 for each text; Unavailable, also after the timeout."""
        if not texts:
            return []
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                per_text = await asyncio.to_thread(self._cut, query, texts)
                scores = await self._scores(query, list(chain.from_iterable(per_text)))
        except TimeoutError:
            late = CallFailed(f"took longer than {self._settings.timeout_s:g} s")
            raise self._failure(late) from None
        except CallFailed as error:
            raise self._failure(error) from None
        except asyncio.CancelledError:
            # A search may give up before we do: then this is all that we learn.
            self._last_failure = self._explained(CallFailed("was given up before it answered"))
            raise
        self._last_failure = None
        return [max(group) for group in regroup(scores, [len(windows) for windows in per_text])]

    async def check(self) -> ServiceHealth:
        """Ping Cohere at no cost; degraded if it is there but the last call failed."""
        if self._closed:
            return ServiceHealth("down", message="The reranker is closed")
        timer = HealthTimer()
        down: str | None = None
        try:
            await self._server.get("/v1/models?page_size=1", PING_TIMEOUT_S)
        except CallFailed as error:
            down = self._explained(error)
        return timer.report(
            "down" if down else "degraded" if self._last_failure else "up",
            down or self._last_failure,
        )

    def close(self) -> None:
        """Refuse new texts."""
        self._closed = True

    def _cut(self, query: str, texts: Sequence[str]) -> list[list[str]]:
        taken = SPECIAL_TOKENS + len(token_spans(query))
        # Even a query as long as all that the model reads leaves the texts some room.
        room = max(self._settings.max_tokens - taken, MIN_TEXT_TOKENS)
        return [[window.text for window in cut_text(text, room, token_spans)] for text in texts]

    async def _scores(self, query: str, texts: Sequence[str]) -> list[float]:
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(self._request(query, some))
                    for some in batched(texts, MAX_REQUEST_TEXTS)
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
        async with self._slots:
            reply = await self._server.post("/v2/rerank", body, self._settings.timeout_s)
        return parse_indexed(parse_object(reply).get("results"), len(texts), "score", _parse_score)

    def _failure(self, error: CallFailed) -> Unavailable:
        self._last_failure = self._explained(error)
        return Unavailable(self._last_failure)

    def _explained(self, error: CallFailed) -> str:
        return f"The reranker {self.name!r} {_advice(error)}"


@asynccontextmanager
async def open_cohere_reranker(
    settings: CohereRerankerSettings, opening: Opening
) -> AsyncIterator[CohereReranker]:
    """Hold connections to Cohere while the context lasts. Nothing is sent yet."""
    async with connect(settings) as server:
        reranker = CohereReranker(settings, server)
        try:
            yield reranker
        finally:
            reranker.close()


def _parse_score(result: Mapping[str, JsonValue]) -> float:
    score = result.get("relevance_score")
    if not isinstance(score, int | float) or not math.isfinite(score):
        raise CallFailed("gave a score that is no number")
    return min(1.0, max(0.0, float(score)))


def _advice(error: CallFailed) -> str:
    if not isinstance(error, StatusRefused):
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
