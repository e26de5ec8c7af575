"""From a question and its evidence to the text of an answer, every sentence of it checked."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

from sourcebook.answering.answer_checker import AnswerChecker
from sourcebook.answering.evidence import Passage
from sourcebook.answering.question_subject import asks_about_whole_text, subject_of
from sourcebook.answering.refusal import REFUSAL_THRESHOLD, sufficiency
from sourcebook.answering.sentence_embedder import SentenceEmbedder, cosine
from sourcebook.answering.statements import Quotable, embed_statements, read_statements
from sourcebook.answering.writers import Brief, Search, Writer
from sourcebook.core.answers import (
    NO_INFORMATION,
    NOTHING_FOUND,
    Citation,
    Question,
    SourceField,
    not_in_selection,
)
from sourcebook.core.vectors import Vector
from sourcebook.search.follow_ups import Turn

MAX_RESULTS = 20


# Looks for passages of a question by other words.
Find: TypeAlias = Callable[[Question, str], Awaitable[tuple[Passage, ...]]]


@dataclass(frozen=True, slots=True)
class AnswerContext:
    """A question, as it is understood in its conversation, and the evidence for it.

    `find` looks for more; a selection has none, so nothing can leave it.
    """

    question: Question
    understood: str
    passages: tuple[Passage, ...]
    earlier: tuple[Turn, ...] = ()
    find: Find | None = None


class Composer(Protocol):
    """An answer in the making. All but its pieces is final once they are out."""

    citations: tuple[Citation, ...]
    answered: bool

    @property
    def considered(self) -> int:
        """How many chunks were looked at."""
        ...

    def pieces(self) -> AsyncGenerator[str]:
        """Its text."""
        ...


class GreetingComposer:
    """An answer that needs no evidence, because it claims nothing."""

    def __init__(self, writer: Writer, text: str, reply: str) -> None:
        self._writer = writer
        self._text = text
        self._reply = reply
        self.citations: tuple[Citation, ...] = ()
        self.answered = True
        self.considered = 0

    def pieces(self) -> AsyncGenerator[str]:
        """The reply."""
        return self._writer.greet(self._text, self._reply)


class AnswerComposer:
    """An answer from evidence."""

    def __init__(self, case: AnswerContext, writer: Writer, meaning: SentenceEmbedder) -> None:
        self._case = case
        self._writer = writer
        self._meaning = meaning
        self._passages = case.passages
        self.citations: tuple[Citation, ...] = ()
        self.answered = False

    @property
    def considered(self) -> int:
        """How many chunks were looked at; of a selection, none."""
        return 0 if self._case.question.selection is not None else len(self._passages)

    async def pieces(self) -> AsyncGenerator[str]:
        """The sentences that hold; a refusal if there are none."""
        async with aclosing(self._grounded()) as sentences:
            async for sentence in sentences:
                self.answered = True
                yield sentence
        if not self.answered:
            yield self._refusal()

    async def _grounded(self) -> AsyncGenerator[str]:
        case = self._case
        brief = await self._brief() if case.passages else None
        if brief is None:
            return
        checker = AnswerChecker(case.passages, [one.statement for one in brief.quotable])
        if case.find is not None:
            brief = replace(brief, search=self._search(checker, case.find))
        async with aclosing(checker.released(self._writer.write(brief))) as sentences:
            async for sentence in sentences:
                yield sentence
        self.citations = checker.sources.citations()

    async def _brief(self) -> Brief | None:
        """What the writer gets; None if the evidence is not enough for one that cannot refuse."""
        case, vector = self._case, None
        # Twenty long passages take tens of milliseconds, in which others would have to wait.
        quotable = await asyncio.to_thread(read_statements, case.passages)
        if not self._writer.refuses:
            vector, quotable = await embed_statements(case.understood, quotable, self._meaning)
            if not self._enough(vector, quotable):
                return None
        return Brief(
            case.understood,
            vector,
            case.question.mode,
            case.passages,
            quotable,
            asked=case.question.text,
            earlier=case.earlier,
        )

    def _enough(self, vector: Vector, quotable: Sequence[Quotable]) -> bool:
        case = self._case
        statements = [one.statement for one in quotable]
        if case.question.selection is not None and asks_about_whole_text(case.understood):
            return True
        if case.question.selection is None:
            nearest = max(passage.score for passage in case.passages)
        else:
            # Nobody searched, so nothing was measured yet.
            known = [one.vector for one in statements if one.vector is not None]
            nearest = max((cosine(vector, one) for one in known), default=0.0)
        return sufficiency(case.understood, nearest, statements) >= REFUSAL_THRESHOLD

    def _search(self, checker: AnswerChecker, find: Find) -> Search:
        """Lets the writer search on. Book and tier stay what they are for the question."""

        async def search(
            text: str, top_k: int | None, sources: Mapping[SourceField, tuple[str, ...]]
        ) -> tuple[Passage, ...]:
            question = narrowed(self._case.question, top_k, sources)
            found = () if question is None else await find(question, text)
            known = {passage.source.chunk_id for passage in self._passages}
            new = [passage for passage in found if passage.source.chunk_id not in known]
            first = len(self._passages) + 1
            numbered = tuple(
                replace(passage, number=number) for number, passage in enumerate(new, first)
            )
            self._passages += numbered
            checker.add(numbered, [one.statement for one in read_statements(numbered)])
            return numbered

        return search

    def _refusal(self) -> str:
        if self._case.question.selection is not None:
            return not_in_selection(subject_of(self._case.question.text))
        return NO_INFORMATION if self._passages else NOTHING_FOUND


def narrowed(
    question: Question, top_k: int | None, sources: Mapping[SourceField, tuple[str, ...]]
) -> Question | None:
    """The question at fewer sources, never at others; None if none are left."""
    wanted = dict(question.sources)
    for field, values in sources.items():
        allowed = wanted.get(field)
        wanted[field] = tuple(one for one in values if allowed is None or one in allowed)
        if not wanted[field]:
            return None
    count = question.top_k if top_k is None else min(max(1, top_k), MAX_RESULTS)
    return replace(question, top_k=count, sources=wanted)
