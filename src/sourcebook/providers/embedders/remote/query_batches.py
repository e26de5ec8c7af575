"""Micro-batches queries: those that must wait for a request share the next one."""

import asyncio
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from sourcebook.core.errors import EmbeddingFailed
from sourcebook.providers.embedders.remote.client import EmbeddingClient, Result


@dataclass(frozen=True, slots=True)
class _Query:
    """The windows of one query, and the future that its caller awaits."""

    texts: Sequence[str]
    result: "asyncio.Future[list[Result]]" = field(compare=False)


class QueryBatcher:
    """Embeds queries right away while there is room; those that must wait share a request."""

    def __init__(
        self, client: EmbeddingClient, max_texts: int, timeout_s: float, max_requests: int = 4
    ) -> None:
        self._client = client
        self._max_texts = max_texts
        self._timeout_s = timeout_s
        self._max_requests = max_requests
        self._waiting: deque[_Query] = deque()
        self._requests: set[asyncio.Task[list[Result]]] = set()

    async def embed(self, texts: Sequence[str]) -> list[Result]:
        """Embed the windows of one query. A request that nobody awaits any more is cancelled."""
        result: asyncio.Future[list[Result]] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Query(texts, result))
        self._begin()
        return await result

    async def close(self) -> None:
        """Cancel all requests; callers that still wait get an EmbeddingFailed."""
        _fail(self._waiting, _closed())
        self._waiting.clear()
        for request in self._requests:
            request.cancel()
        await asyncio.gather(*self._requests, return_exceptions=True)

    def _begin(self) -> None:
        if not self._waiting or len(self._requests) >= self._max_requests:
            return
        # Filled when the task begins: queries of the same moment still come along.
        queries: list[_Query] = []
        request = asyncio.create_task(self._ask(queries))
        self._requests.add(request)
        request.add_done_callback(lambda done: self._end(done, queries))

    async def _ask(self, queries: list[_Query]) -> list[Result]:
        queries += self._take()
        if not queries:
            return []
        request = asyncio.current_task()

        def leave(_: object) -> None:
            if request is not None and all(query.result.done() for query in queries):
                request.cancel()

        for query in queries:
            query.result.add_done_callback(leave)
        texts = [text for query in queries for text in query.texts]
        return await self._client.embed(texts, "query", self._timeout_s)

    def _take(self) -> list[_Query]:
        taken: list[_Query] = []
        room = self._max_texts
        while self._waiting and (not taken or len(self._waiting[0].texts) <= room):
            query = self._waiting.popleft()
            if not query.result.done():
                taken.append(query)
                room -= len(query.texts)
        return taken

    def _end(self, request: asyncio.Task[list[Result]], queries: Sequence[_Query]) -> None:
        self._requests.discard(request)
        self._begin()
        if error := _closed() if request.cancelled() else request.exception():
            return _fail(queries, error)
        results = iter(request.result())
        for query in queries:
            own = list(islice(results, len(query.texts)))
            if not query.result.done():
                query.result.set_result(own)
        return None


def _fail(queries: Iterable[_Query], error: BaseException) -> None:
    for query in queries:
        if not query.result.done():
            query.result.set_exception(error)


def _closed() -> EmbeddingFailed:
    return EmbeddingFailed("The model was closed before the question was embedded")
