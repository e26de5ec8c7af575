"""Finds the passages that an answer may stand on, on all shelves together."""

import asyncio
from collections.abc import Sequence

from sourcebook.answering.evidence import Passage
from sourcebook.answering.retrying import Persistence
from sourcebook.answering.shelves import Shelf
from sourcebook.core.answers import Question
from sourcebook.core.documents import Hit
from sourcebook.core.errors import NotFound, RetrievalUnavailable
from sourcebook.search.searcher import Searcher

RETRIEVAL_S = 5.0


class Retriever:
    """Searches the shelves at once and takes the nearest of all."""

    def __init__(
        self,
        searcher: Searcher,
        shelves: Sequence[Shelf],
        within_s: float = RETRIEVAL_S,
        persistence: Persistence | None = None,
    ) -> None:
        self._searcher = searcher
        self._shelves = tuple(shelves)
        self._within_s = within_s
        self._persistence = persistence or Persistence()

    async def find(self, question: Question, text: str) -> tuple[Passage, ...]:
        """The passages nearest to the text, numbered from 1, that the question may see."""
        try:
            async with asyncio.timeout(self._within_s):
                found = await self._persistence.call(lambda: self._search_all(question, text))
        except TimeoutError:
            raise RetrievalUnavailable(
                f"The search took longer than {self._within_s:g} s; try again in a moment"
            ) from None
        nearest = sorted(found, key=lambda pair: (-pair[0].cosine, pair[0].chunk.id))
        return tuple(
            Passage(number, hit.chunk.text, shelf.source(hit.chunk), hit.score, hit.chunk.extent)
            for number, (hit, shelf) in enumerate(nearest[: question.top_k], 1)
        )

    async def _search_all(self, question: Question, text: str) -> list[tuple[Hit, Shelf]]:
        """The hits of all shelves. If one fails, the others are given up."""
        try:
            async with asyncio.TaskGroup() as group:
                searches = [
                    group.create_task(self._search(shelf, question, text))
                    for shelf in self._shelves
                ]
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return [pair for search in searches for pair in search.result()]

    async def _search(self, shelf: Shelf, question: Question, text: str) -> list[tuple[Hit, Shelf]]:
        try:
            found = await self._searcher.search(
                shelf.collection, text, question.top_k, shelf.scope(question)
            )
        except NotFound:
            # Nothing was put there yet.
            return []
        least = question.least_score or 0.0
        return [(hit, shelf) for hit in found.hits if hit.score >= least]
