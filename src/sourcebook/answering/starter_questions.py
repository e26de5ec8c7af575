"""The questions that a page offers to begin with; they stay until the book changes."""

import asyncio
from collections.abc import Sequence
from itertools import chain, islice, zip_longest
from typing import Protocol, TypeAlias

from sourcebook.answering.suggested_questions import SAMPLE_QUESTIONS, QuestionSuggester
from sourcebook.search.default_books import SAMPLE_BOOK_ID

COUNT = 4
# Questions are tried, which takes seconds for each book, and a page waits for them.
MAX_BOOKS_AT_ONCE = 2
# Whoever asks for very many books must not fill the memory.
MAX_BOOKS = 50
# The state of a book; None while nothing is indexed.
State: TypeAlias = tuple[str, int] | None


class BookState(Protocol):
    """Tells whether anything in the books has changed."""

    async def state(self) -> State:
        """Return something else after every change."""
        ...


class StarterQuestions:
    """Finds questions for a book once, however many readers open the page at the same time."""

    def __init__(self, books: BookState, suggester: QuestionSuggester) -> None:
        self._books = books
        self._suggester = suggester
        self._found: dict[str, tuple[State, list[str]]] = {}
        self._searching: dict[str, asyncio.Lock] = {}

    async def of_several(self, book_ids: Sequence[str]) -> list[str]:
        """Return a few questions of these books in turns; of more, the first ones are asked."""
        lists = [await self.questions(book_id) for book_id in book_ids[:MAX_BOOKS_AT_ONCE]]
        in_turns = chain.from_iterable(zip_longest(*lists))
        return list(islice(filter(None, in_turns), COUNT))

    async def questions(self, book_id: str) -> list[str]:
        """Return a few questions that the book answers; none if it is empty."""
        state = await self._books.state()
        if state is None:
            return []
        if book_id == SAMPLE_BOOK_ID:
            return list(SAMPLE_QUESTIONS)
        if len(self._found) >= MAX_BOOKS and book_id not in self._found:
            self._found.clear()
            self._searching.clear()
        async with self._searching.setdefault(book_id, asyncio.Lock()):
            known = self._found.get(book_id)
            if known is None or known[0] != state:
                found = await self._suggester.several(book_id, COUNT)
                known = self._found[book_id] = state, found
            return known[1]
