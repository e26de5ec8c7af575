"""From a question and its evidence to the text of an answer, every sentence of it checked."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Protocol

from sourcebook.answering.asked_about import asked_about
from sourcebook.answering.checking import Checker
from sourcebook.answering.evidence import Passage
from sourcebook.answering.meaning import Meaning, cosine
from sourcebook.answering.statements import read_statements, with_meaning
from sourcebook.answering.sufficiency import ENOUGH, sufficiency
from sourcebook.answering.writers import Brief, Writer
from sourcebook.core.answers import (
    NO_INFORMATION,
    NOTHING_FOUND,
    Citation,
    Question,
    not_in_selection,
)


@dataclass(frozen=True, slots=True)
class Case:
    """A question, as it is understood in its conversation, and the evidence for it."""

    question: Question
    understood: str
    passages: tuple[Passage, ...]


class Text(Protocol):
    """An answer in the making. `citations` and `answered` are final once all pieces are out."""

    citations: tuple[Citation, ...]
    answered: bool

    def pieces(self) -> AsyncGenerator[str]:
        """Its text."""
        ...


class FixedReply:
    """An answer that needs no evidence, because it claims nothing."""

    def __init__(self, reply: str) -> None:
        self._reply = reply
        self.citations: tuple[Citation, ...] = ()
        self.answered = True

    async def pieces(self) -> AsyncGenerator[str]:
        """The reply."""
        yield self._reply


class Composition:
    """An answer from evidence."""

    def __init__(self, case: Case, writer: Writer, meaning: Meaning) -> None:
        self._case = case
        self._writer = writer
        self._meaning = meaning
        self.citations: tuple[Citation, ...] = ()
        self.answered = False

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
        if not case.passages:
            return
        vector, quotable = await with_meaning(
            case.understood, read_statements(case.passages), self._meaning
        )
        statements = [one.statement for one in quotable]
        if case.question.selection is None:
            nearest = max(passage.score for passage in case.passages)
        else:
            # Nobody searched, so nothing was measured yet.
            known = [one.vector for one in statements if one.vector is not None]
            nearest = max((cosine(vector, one) for one in known), default=0.0)
        if sufficiency(case.understood, nearest, statements, vector) < ENOUGH:
            return
        checker = Checker(case.passages, statements)
        brief = Brief(case.understood, vector, case.question.mode, case.passages, quotable)
        async with aclosing(checker.released(self._writer.write(brief))) as sentences:
            async for sentence in sentences:
                yield sentence
        self.citations = checker.sources.citations()

    def _refusal(self) -> str:
        if self._case.question.selection is not None:
            return not_in_selection(asked_about(self._case.question.text))
        return NO_INFORMATION if self._case.passages else NOTHING_FOUND
