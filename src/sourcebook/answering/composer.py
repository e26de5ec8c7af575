"""Composes an answer from a question and its evidence, and checks every sentence of it."""

import asyncio
import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

from sourcebook.answering.answer_checker import AnswerChecker
from sourcebook.answering.evidence import Passage
from sourcebook.answering.evidence_judge import Evidence, EvidenceJudge, Judgement
from sourcebook.answering.extractive import ExtractiveWriter, best_blocks
from sourcebook.answering.places import closest_places, further_places
from sourcebook.answering.quotation import Quotation
from sourcebook.answering.refusal import refusal_text
from sourcebook.answering.statements import read_statements
from sourcebook.answering.writers import Brief, Found, Search, Writer
from sourcebook.core.answers import (
    Citation,
    ClosestPlace,
    Question,
    SentenceCounts,
    SourceField,
    Turn,
)
from sourcebook.core.errors import SourcebookError

MAX_RESULTS = 20
# What the reader finds less likely answered is foreign to the documents, and no model is asked. Of
# 190 questions that have an answer none is below, of 150 that have none every second one.
FOREIGN_THRESHOLD = 0.05

# Searches again for a question, with other words.
Find: TypeAlias = Callable[[Question, str], Awaitable[tuple[Passage, ...]]]


@dataclass(frozen=True, slots=True)
class AnswerContext:
    """A question, as it reads in its conversation, and the evidence for it.

    `find` looks for more; a selection has none, so nothing can leave it. The answer must be
    written by `deadline_s`, by the event loop's clock. With `marks_unproven`, sentences that cannot
    be proven for their language leave all the same.
    """

    question: Question
    understood: str
    passages: tuple[Passage, ...]
    earlier: tuple[Turn, ...] = ()
    find: Find | None = None
    deadline_s: float = math.inf
    marks_unproven: bool = False
    lets_cited: bool = False


class Composer(Protocol):
    """Composes one answer."""

    @property
    def answered(self) -> bool:
        """Whether the pieces that are out are an answer, not a refusal."""
        ...

    @property
    def failure(self) -> SourcebookError | None:
        """Why the writer was replaced by the fallback, if it was."""
        ...

    @property
    def citations(self) -> tuple[Citation, ...]:
        """What the pieces that are out stand on."""
        ...

    @property
    def considered(self) -> int:
        """How many chunks were considered."""
        ...

    @property
    def sentences(self) -> SentenceCounts:
        """What became of the sentences that were written so far."""
        ...

    @property
    def probability(self) -> float | None:
        """How likely the evidence answers, if a reader has read it."""
        ...

    @property
    def closest(self) -> tuple[ClosestPlace, ...]:
        """The places nearest to a question that was refused."""
        ...

    @property
    def further(self) -> tuple[ClosestPlace, ...]:
        """Where else the evidence answers."""
        ...

    def pieces(self) -> AsyncGenerator[str]:
        """Its text."""
        ...


class GreetingComposer:
    """Replies to small talk, in words of our own: what a model says could not be checked."""

    def __init__(self, reply: str) -> None:
        self._reply = reply
        self.citations: tuple[Citation, ...] = ()
        self.answered = True
        self.failure: SourcebookError | None = None
        self.considered = 0
        self.sentences = SentenceCounts()
        self.probability: float | None = None
        self.closest: tuple[ClosestPlace, ...] = ()
        self.further: tuple[ClosestPlace, ...] = ()

    async def pieces(self) -> AsyncGenerator[str]:
        """The reply."""
        yield self._reply


class AnswerComposer:
    """Answers from evidence.

    If nothing that was written passes the check, `quoting` writes instead, unless the evidence is
    too weak or the first writer said that it does not hold the answer; then it is a refusal.
    """

    def __init__(
        self,
        context: AnswerContext,
        writer: Writer,
        judge: EvidenceJudge,
        quoting: Writer | None = None,
    ) -> None:
        self._context = context
        self._quoting = quoting
        self._writer = writer
        self._judge = judge
        self._passages = context.passages
        self._checker: AnswerChecker | None = None
        self._quotation: Quotation | None = None
        # Made for the first writer, and good for the second.
        self._evidence: Evidence | None = None
        self._further: tuple[ClosestPlace, ...] = ()
        self.answered = False
        self.failure: SourcebookError | None = None

    def go_on_from(self, other: "AnswerComposer") -> None:
        """Take over what another has made of the same evidence, which took its time."""
        self._evidence = other._evidence

    @property
    def probability(self) -> float | None:
        """How likely the evidence answers, if a reader has read it."""
        judgement = None if self._evidence is None else self._evidence.judgement
        return None if judgement is None else judgement.probability

    @property
    def closest(self) -> tuple[ClosestPlace, ...]:
        """The places nearest to a question that was refused; perhaps with a block that helps."""
        if self.answered or self._evidence is None:
            return ()
        return closest_places(self._context.question, self._evidence)

    @property
    def further(self) -> tuple[ClosestPlace, ...]:
        """Where else the evidence answers a question that was answered with quotes."""
        return self._further

    @property
    def citations(self) -> tuple[Citation, ...]:
        """What the sentences that are out stand on."""
        source = self._quotation or self._checker
        return () if source is None else source.sources.citations()

    @property
    def considered(self) -> int:
        """How many chunks were considered; none for a selection."""
        return 0 if self._context.question.selection is not None else len(self._passages)

    @property
    def sentences(self) -> SentenceCounts:
        """What became of the sentences that were written so far."""
        counts = SentenceCounts() if self._checker is None else self._checker.counts
        if self._quotation is not None:
            counts = replace(counts, quoted=counts.quoted + self._quotation.count)
        return counts

    async def pieces(self) -> AsyncGenerator[str]:
        """The sentences that pass the check; a refusal if there are none."""
        written = self._quoted() if self._writer.quotes else self._grounded()
        async with aclosing(written) as sentences:
            async for sentence in sentences:
                self.answered = True
                yield sentence
        if not self.answered and self._quoting is not None and self._is_worth_quoting():
            async with aclosing(self._quoted()) as sentences:
                async for sentence in sentences:
                    self.answered = True
                    yield sentence
        if not self.answered:
            yield refusal_text(self._context.question, self._passages)

    async def _grounded(self) -> AsyncGenerator[str]:
        context = self._context
        brief = await self._brief(self._writer)
        if brief is None:
            return
        self._checker = checker = AnswerChecker(
            brief.passages,
            brief.quotable,
            embedder=self._judge.embedder,
            marks_unproven=context.marks_unproven,
            lets_cited=context.lets_cited,
            judge=self._judge.claims,
        )
        if context.find is not None:
            brief = replace(brief, search=self._search(checker, context.find))
        released = checker.released(self._writer.write(brief))
        async with aclosing(released) as sentences:
            async for sentence in sentences:
                yield sentence

    def _is_worth_quoting(self) -> bool:
        """Whether something was written, and only the check kept it back."""
        checker = self._checker
        return (
            checker is not None
            and bool(checker.counts.dropped)
            and not (checker.says_it_is_missing)
        )

    async def _quoted(self) -> AsyncGenerator[str]:
        """The blocks of the evidence that answer best, if they answer the question."""
        brief = await self._brief(ExtractiveWriter())
        if brief is None:
            return
        blocks = await asyncio.to_thread(best_blocks, brief)
        self._quotation = Quotation(brief.passages)
        for text in self._quotation.text_of(brief.quotable, blocks):
            yield text
        self._further = further_places(brief, blocks)

    async def _brief(self, writer: Writer) -> Brief | None:
        """What a writer gets; None if the evidence does not answer the question."""
        context = self._context
        if not context.passages:
            return None
        is_judged = self._evidence is not None and self._evidence.judgement is not None
        if self._evidence is None or not (is_judged or writer.refuses):
            self._evidence = await self._judge.evidence(
                context.question,
                context.understood,
                context.passages,
                only_by_reading=writer.refuses,
                deadline_s=context.deadline_s,
            )
        evidence, judgement = self._evidence, self._evidence.judgement
        self._passages = evidence.passages
        if judgement is not None and not _is_worth_asking(writer, judgement):
            return None
        return Brief(
            context.understood,
            context.question.mode,
            evidence.passages,
            evidence.quotable,
            ranks=() if judgement is None else judgement.ranks,
            asked=context.question.text,
            earlier=context.earlier,
            deadline_s=context.deadline_s,
            on_page=context.question.on_page,
            probability=None if judgement is None else judgement.probability,
        )

    def _search(self, checker: AnswerChecker, find: Find) -> Search:
        """A search tool for the writer, bound to the book and the tier of the question."""

        async def search(
            text: str, top_k: int | None, sources: Mapping[SourceField, tuple[str, ...]]
        ) -> Found:
            question = narrowed(self._context.question, top_k, sources)
            found = () if question is None else await find(question, text)
            known = {passage.source.chunk_id for passage in self._passages}
            new = [passage for passage in found if passage.source.chunk_id not in known]
            first = len(self._passages) + 1
            numbered = tuple(
                replace(passage, number=number) for number, passage in enumerate(new, first)
            )
            self._passages += numbered
            quotable = await asyncio.to_thread(read_statements, numbered)
            checker.add(numbered, quotable)
            return numbered, quotable

        return search


def _is_worth_asking(writer: Writer, judgement: Judgement) -> bool:
    """Whether the evidence is enough; of a writer that refuses, whether it is not foreign."""
    if judgement.is_enough or judgement.probability is None:
        return judgement.is_enough
    return writer.refuses and judgement.probability >= FOREIGN_THRESHOLD


def narrowed(
    question: Question, top_k: int | None, sources: Mapping[SourceField, tuple[str, ...]]
) -> Question | None:
    """Narrow a question to fewer sources, never to others; None if none are left."""
    wanted = dict(question.sources)
    for field, values in sources.items():
        allowed = wanted.get(field)
        wanted[field] = tuple(one for one in values if allowed is None or one in allowed)
        if not wanted[field]:
            return None
    count = question.top_k if top_k is None else min(max(1, top_k), MAX_RESULTS)
    return replace(question, top_k=count, sources=wanted)
