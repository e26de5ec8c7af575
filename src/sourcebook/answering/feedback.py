"""Keeps what readers tell an author, where the operator has switched that on."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sourcebook.core.answers import ClosestPlace, Question
from sourcebook.core.errors import NotFound, SourcebookError
from sourcebook.core.feedback import Mark, UnansweredQuestion, question_key
from sourcebook.core.ports import FeedbackLedger
from sourcebook.core.text import shorten
from sourcebook.search.default_books import DefaultBooks

log = logging.getLogger(__name__)

MAX_UNANSWERED = 1_000
MAX_MARKS = 5_000
MAX_QUESTION_LENGTH = 500
DAY_S = 86_400.0
# The answer is out by then: only its last event waits for this.
NOTE_TIMEOUT_S = 1.0


@dataclass(frozen=True, slots=True)
class FeedbackRules:
    """What is kept, and for how long."""

    keeps_unanswered: bool = False
    takes_marks: bool = False
    max_age_s: float = 90 * DAY_S


class Feedback:
    """Questions that were not answered, and readers' marks. Nothing says who they are from."""

    def __init__(
        self,
        ledger: FeedbackLedger,
        default_books: DefaultBooks,
        rules: FeedbackRules,
        now_s: Callable[[], float] = time.time,
    ) -> None:
        self._ledger = ledger
        self._default_books = default_books
        self.rules = rules
        self._now_s = now_s

    async def note_unanswered(self, question: Question, closest: Sequence[ClosestPlace]) -> None:
        """Count a question that was refused. What fails here must not fail the answer.

        A selection says nothing about the book, and named collections are no book.
        """
        if (
            not self.rules.keeps_unanswered
            or question.selection is not None
            or question.collections is not None
        ):
            return
        try:
            async with asyncio.timeout(NOTE_TIMEOUT_S):
                await self._count(question, tuple(closest))
        except (SourcebookError, TimeoutError) as error:
            log.warning("unanswered_not_noted", extra={"reason": str(error)})

    async def unanswered(self, limit: int) -> list[UnansweredQuestion]:
        """Return the questions that were asked most often, as far as they are recent."""
        oldest_s = self._oldest_s()
        kept = await self._ledger.unanswered(limit)
        return [one for one in kept if one.last_asked_at_s >= oldest_s]

    async def forget_unanswered(self, key: str | None = None) -> int:
        """Delete one question, or all; return how many."""
        return await self._ledger.forget_unanswered(key)

    async def mark(self, mark: Mark) -> None:
        """Keep a mark; NotFound where marks are not taken."""
        if not self.rules.takes_marks:
            raise NotFound(
                "Marks are not kept here; the operator can switch them on with SOURCEBOOK_MARKS"
            )
        await self._ledger.put_mark(mark, MAX_MARKS)

    async def marks(self, limit: int) -> list[Mark]:
        """Return the latest marks, as far as they are recent."""
        oldest_s = self._oldest_s()
        return [one for one in await self._ledger.marks(limit) if one.marked_at_s >= oldest_s]

    async def forget_marks(self) -> int:
        """Delete all marks; return how many."""
        return await self._ledger.forget_marks()

    async def purge(self) -> int:
        """Delete what is too old; return how much."""
        return await self._ledger.purge(self._oldest_s())

    def _oldest_s(self) -> float:
        return self._now_s() - self.rules.max_age_s

    async def _count(self, question: Question, closest: tuple[ClosestPlace, ...]) -> None:
        meant = question.book_ids or question.default_book_ids or await self._default_books.ids()
        # Of several books, the first stands for all: it is where their author looks.
        book_id, now_s = meant[0], self._now_s()
        text = shorten(" ".join(question.text.split()), MAX_QUESTION_LENGTH)
        key = question_key(book_id, question.text)
        asked = UnansweredQuestion(key, book_id, text, 1, now_s, now_s, closest)
        await self._ledger.count_unanswered(asked, MAX_UNANSWERED)
