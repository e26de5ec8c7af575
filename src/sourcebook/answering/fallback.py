"""Quotes the evidence when the language model fails before any of its text is out."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from sourcebook.answering.composer import AnswerComposer, AnswerContext
from sourcebook.answering.evidence_judge import EvidenceJudge
from sourcebook.answering.extractive import ExtractiveWriter
from sourcebook.answering.writers import Writer
from sourcebook.core.answers import AnswerFacts, Citation, ClosestPlace, SentenceCounts
from sourcebook.core.errors import AgentTimeout, AgentUnavailable, ReplyCutOff, SourcebookError

log = logging.getLogger(__name__)

# Kept for quoting at the end of an answer's time. On a busy machine, embedding the sentences of
# twenty passages takes a second or two.
QUOTING_TIME_S = 3.0
# A model is told to stop this much earlier than we stop waiting for it: health counts a timeout
# that the model reports, but not a call that we cancel.
STOPPING_TIME_S = 1.0
WITHOUT_IT = "This reply was made without it and only quotes the documents."


class FallbackComposer:
    """Has an answer written, and quotes instead if the writer fails before its first sentence."""

    def __init__(self, context: AnswerContext, writer: Writer, judge: EvidenceJudge) -> None:
        self._give_up_at_s = context.deadline_s - QUOTING_TIME_S
        hurried = replace(context, deadline_s=self._give_up_at_s - STOPPING_TIME_S)
        self._model = writer.model
        self._current = AnswerComposer(hurried, writer, judge, ExtractiveWriter())
        self._quoting = AnswerComposer(context, ExtractiveWriter(), judge)
        self.failure: SourcebookError | None = None

    @property
    def answered(self) -> bool:
        """Whether what is out is an answer, written or quoted."""
        return self._current.answered

    @property
    def citations(self) -> tuple[Citation, ...]:
        """What the sentences that are out stand on."""
        return self._current.citations

    @property
    def considered(self) -> int:
        """How many chunks were considered."""
        return self._current.considered

    @property
    def sentences(self) -> SentenceCounts:
        """What became of the sentences that were written so far."""
        return self._current.sentences

    @property
    def probability(self) -> float | None:
        """How likely the evidence answers, if a reader has read it."""
        return self._current.probability

    @property
    def closest(self) -> tuple[ClosestPlace, ...]:
        """The places nearest to a question that was refused."""
        return self._current.closest

    @property
    def further(self) -> tuple[ClosestPlace, ...]:
        """Where else the evidence answers."""
        return self._current.further

    async def pieces(self) -> AsyncGenerator[str]:
        """The writer's sentences, else quotes; a refusal if there are neither."""
        async with aclosing(self._current.pieces()) as written:
            try:
                first = await self._first_of(written)
            except (AgentUnavailable, ReplyCutOff) as error:
                self._fall_back(error)
            else:
                if first is not None:
                    yield first
                async for piece in written:
                    yield piece
                return
        async with aclosing(self._current.pieces()) as quoted:
            async for piece in quoted:
                yield piece

    async def _first_of(self, pieces: AsyncGenerator[str]) -> str | None:
        """The first piece; AgentTimeout if it comes too late for quoting instead."""
        try:
            async with asyncio.timeout_at(self._give_up_at_s):
                return await anext(pieces, None)
        except TimeoutError:
            raise AgentTimeout("The language model took too long: try again in a while") from None

    def _fall_back(self, error: SourcebookError) -> None:
        log.warning("answer_fell_back", extra={"model": self._model, "reason": error.message})
        self.failure = error
        self._quoting.go_on_from(self._current)
        self._current = self._quoting


def marked_as_fallback(facts: AnswerFacts, failure: SourcebookError) -> AnswerFacts:
    """Say who answered instead of the language model, and why."""
    return replace(
        facts,
        model=ExtractiveWriter.model,
        fallback="extractive",
        warning=f"{failure.public_message.rstrip('.')}. {WITHOUT_IT}",
        failure=f"{failure.message.rstrip('.')}. {WITHOUT_IT}",
    )
