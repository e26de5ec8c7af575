"""Questions that come while others are under way go together, in one request."""

import asyncio
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from sourcebook.core.errors import EmbeddingFailed
from sourcebook.providers.embedders.remote_calls import RemoteCalls, Result


@dataclass(frozen=True, slots=True)
class _Question:
    """The pieces of one question, and where somebody waits for their vectors."""

    texts: Sequence[str]
    answer: "asyncio.Future[list[Result]]" = field(compare=False)


class Gatherer:
    """Embeds questions at once while there is room; those that must wait share a request."""

    def __init__(
        self, calls: RemoteCalls, most_texts: int, timeout_s: float, at_once: int = 4
    ) -> None:
        self._calls = calls
        self._most_texts = most_texts
        self._timeout_s = timeout_s
        self._at_once = at_once
        self._waiting: deque[_Question] = deque()
        self._requests: set[asyncio.Task[list[Result]]] = set()

    async def embed(self, texts: Sequence[str]) -> list[Result]:
        """The vectors of one question's pieces. Who stops waiting ends a request of its own."""
        answer: asyncio.Future[list[Result]] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Question(texts, answer))
        self._begin()
        return await answer

    async def close(self) -> None:
        """End all requests; those who wait are told."""
        _fail(self._waiting, _closed())
        self._waiting.clear()
        for request in self._requests:
            request.cancel()
        await asyncio.gather(*self._requests, return_exceptions=True)

    def _begin(self) -> None:
        if not self._waiting or len(self._requests) >= self._at_once:
            return
        # Filled when the task begins: those who ask in the same moment still come along.
        questions: list[_Question] = []
        request = asyncio.create_task(self._ask(questions))
        self._requests.add(request)
        request.add_done_callback(lambda done: self._end(done, questions))

    async def _ask(self, questions: list[_Question]) -> list[Result]:
        questions += self._take()
        if not questions:
            return []
        request = asyncio.current_task()

        def leave(_: object) -> None:
            if request is not None and all(question.answer.done() for question in questions):
                request.cancel()

        for question in questions:
            question.answer.add_done_callback(leave)
        texts = [text for question in questions for text in question.texts]
        return await self._calls.embed(texts, "query", self._timeout_s)

    def _take(self) -> list[_Question]:
        taken: list[_Question] = []
        room = self._most_texts
        while self._waiting and (not taken or len(self._waiting[0].texts) <= room):
            question = self._waiting.popleft()
            if not question.answer.done():
                taken.append(question)
                room -= len(question.texts)
        return taken

    def _end(self, request: asyncio.Task[list[Result]], questions: Sequence[_Question]) -> None:
        self._requests.discard(request)
        self._begin()
        if error := _closed() if request.cancelled() else request.exception():
            return _fail(questions, error)
        results = iter(request.result())
        for question in questions:
            own = list(islice(results, len(question.texts)))
            if not question.answer.done():
                question.answer.set_result(own)
        return None


def _fail(questions: Iterable[_Question], error: BaseException) -> None:
    for question in questions:
        if not question.answer.done():
            question.answer.set_exception(error)


def _closed() -> EmbeddingFailed:
    return EmbeddingFailed("The model was closed before the question was embedded")
