"""Answers questions in conversations: from a question to a stream of events."""

import asyncio
import logging
import time
import uuid
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from sourcebook.answering.answer_clock import AnswerClock, TimedWriter, outcome_of
from sourcebook.answering.citations import citation_json
from sourcebook.answering.composer import AnswerComposer, AnswerContext, Composer, GreetingComposer
from sourcebook.answering.evidence import Passage, selection_evidence
from sourcebook.answering.evidence_judge import ANSWER_THRESHOLD, EvidenceJudge
from sourcebook.answering.extractive import ExtractiveWriter
from sourcebook.answering.fallback import FallbackComposer, marked_as_fallback
from sourcebook.answering.feedback import Feedback
from sourcebook.answering.history import SAVE_TIMEOUT_S, ConversationHistory
from sourcebook.answering.page_hints import find_on_page
from sourcebook.answering.retriever import Retriever
from sourcebook.answering.sentence_embedder import SentenceEmbedder
from sourcebook.answering.small_talk import (
    is_assent,
    reply_in_conversation,
    reply_to_small_talk,
    strip_courtesies,
)
from sourcebook.answering.writers import Writer
from sourcebook.core.answers import (
    OFFER,
    Answer,
    AnswerEvent,
    AnswerFacts,
    Citation,
    ClosestPlace,
    Finished,
    Grounding,
    History,
    PlacesFound,
    Question,
    SentenceCounts,
    SourcesUsed,
    TextPiece,
    Turn,
)
from sourcebook.core.conversations import Exchange
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import AgentTimeout, InvalidInput, ModelNotLoaded, ReplyCutOff
from sourcebook.core.meters import Meter, NoMeter
from sourcebook.core.ports import ConversationStore, Judge, Reader
from sourcebook.core.search_modes import SearchMode
from sourcebook.search.follow_ups import contextualized_topic
from sourcebook.search.query_text import QueryText, Strategy, choose_query_text

log = logging.getLogger(__name__)

ANSWER_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question on its way, and what was found out about it so far.

    Its answer must be written by `deadline_s`, by the event loop's clock.
    """

    question: Question
    started_s: float
    deadline_s: float
    clock: AnswerClock
    strategy: Strategy | None = None
    history: History = "none"
    collections: tuple[str, ...] = ()
    search_mode: SearchMode | None = None
    corrected: str | None = None


class Sessions:
    """Retrieves evidence, has the answer written and checked, and saves the exchange.

    With `falls_back`, a writer that fails before any text is out is replaced by quotes. With
    `marks_unproven`, sentences that cannot be proven for their language leave marked as such. With
    the `grounding` `cited`, so do those in a model's own words that pass the guard; with a `judge`,
    those that it finds borne.
    `feedback` is told of questions that were refused.
    """

    def __init__(
        self,
        models: EmbeddingModels,
        retriever: Retriever,
        writer: Writer,
        conversations: ConversationStore,
        *,
        messages: int = 10,
        timeout_s: float = ANSWER_TIMEOUT_S,
        falls_back: bool = False,
        reader: Reader | None = None,
        threshold: float = ANSWER_THRESHOLD,
        marks_unproven: bool = False,
        grounding: Grounding = "strict",
        judge: Judge | None = None,
        feedback: Feedback | None = None,
        meter: Meter | None = None,
        now_s: Callable[[], float] = time.time,
    ) -> None:
        self._models = models
        self._retriever = retriever
        self._writer = writer
        self._conversations = conversations
        self._history = ConversationHistory(conversations, messages)
        self.timeout_s = timeout_s
        self._falls_back = falls_back
        self._reader = reader
        self._threshold = threshold
        self._marks_unproven = marks_unproven
        self._grounding = grounding
        self._judge = judge
        self._feedback = feedback
        self._meter = meter or NoMeter()
        self._now_s = now_s

    @property
    def model(self) -> str:
        """The name of what writes the answers."""
        return self._writer.model

    async def ask(
        self, question: Question, deadline_s: float | None = None
    ) -> AsyncGenerator[AnswerEvent]:
        """Look everything up, then give the answer piece by piece.

        What fails while it is searched for is raised here, before there is a stream; what fails
        later is raised by the stream. All of it ends by `deadline_s`, by the event loop's clock;
        without one, `timeout_s` from now.
        """
        if deadline_s is None:
            deadline_s = asyncio.get_running_loop().time() + self.timeout_s
        clock = AnswerClock(self._meter, "chat")
        # The last of the time is for saving the exchange.
        asked = _Asked(question, time.monotonic(), deadline_s - SAVE_TIMEOUT_S, clock)
        with clock.counting_failures():
            return await self._begin(asked)

    async def _begin(self, asked: _Asked) -> AsyncGenerator[AnswerEvent]:
        question = asked.question
        if question.grounding == "cited" != self._grounding:
            raise InvalidInput(
                "This service lets only what is proven or quoted leave: ask with grounding"
                " 'strict', or without it. SOURCEBOOK_GROUNDING=cited allows more"
            )
        reply = await reply_in_conversation(
            question.text, lambda: self._is_about_something(question)
        )
        if reply is not None:
            return self._events(asked, GreetingComposer(reply))
        judge = EvidenceJudge(self._embedder(), self._reader, self._threshold, self._judge)
        if question.selection is None:
            return await self._looked_up(asked, judge)
        asking = strip_courtesies(question.text)
        evidence = selection_evidence(question.selection)
        context = AnswerContext(
            question,
            asking,
            evidence,
            deadline_s=asked.deadline_s,
            marks_unproven=self._marks_unproven,
            lets_cited=self._lets_cited(question),
        )
        return self._events(asked, self._composer(context, judge, asked.clock))

    @property
    def grounding(self) -> Grounding:
        """What may leave at most: without a language model, quotes alone."""
        return "strict" if self._writer.quotes else self._grounding

    async def conversation(self, session_id: str, limit: int) -> list[Exchange]:
        """The newest exchanges of a session, oldest first; HistoryUnavailable."""
        return await self._conversations.latest(session_id, limit)

    async def forget(self, session_id: str) -> int:
        """Remove a session; how many exchanges it had. HistoryUnavailable."""
        return await self._conversations.forget(session_id)

    def _lets_cited(self, question: Question) -> bool:
        return "cited" in (self._grounding, question.grounding) and question.grounding != "strict"

    async def _is_about_something(self, question: Question) -> bool:
        if question.selection is not None:
            return True
        return bool(_without_small_talk(await self._earlier(question) or ()))

    async def _earlier(self, question: Question) -> Sequence[Exchange] | None:
        """The conversation so far; None if it cannot be read."""
        if question.earlier:
            return self._history.told(question.earlier)
        return await self._history.recent(question.session_id)

    async def _looked_up(self, asked: _Asked, judge: EvidenceJudge) -> AsyncGenerator[AnswerEvent]:
        """Search for the evidence; the stream reads it."""
        question = asked.question
        earlier = await self._earlier(question)
        query, said = _understood(question.text, earlier or ())
        with asked.clock.stage("retrieval"):
            asking = replace(question, previous=query.previous)
            on_page = await find_on_page(self._retriever, asking, query.text)
            found = on_page or await self._retriever.retrieve(asking, query.text)
        question = replace(question, on_page=on_page is not None)
        asked = replace(
            asked,
            strategy=query.strategy,
            history="unavailable" if earlier is None else "none",
            collections=found.collections,
            search_mode=found.mode,
            corrected=found.corrected,
        )
        if question.is_bound and not question.earlier:
            # What was answered under other bounds is nothing for this question's writer; what the
            # asker tells of, the asker has.
            said = [replace(one, answer="") for one in said]
        context = AnswerContext(
            question,
            found.corrected or query.text,
            found.passages,
            tuple(said),
            self._retriever.find,
            asked.deadline_s,
            self._marks_unproven,
            self._lets_cited(question),
        )
        return self._read(asked, context, judge)

    async def _read(
        self, asked: _Asked, context: AnswerContext, judge: EvidenceJudge
    ) -> AsyncGenerator[AnswerEvent]:
        """Tell what was found, and give the answer."""
        if asked.question.progress and context.passages:
            yield PlacesFound(_places(context.passages))
        composer = self._composer(context, judge, asked.clock)
        async with aclosing(self._events(asked, composer)) as events:
            async for event in events:
                yield event

    async def _events(self, asked: _Asked, text: Composer) -> AsyncGenerator[AnswerEvent]:
        """Give the events, and count the answer however it ends."""
        with asked.clock.counting_failures():
            async with aclosing(self._answer(asked, text)) as events:
                async for event in events:
                    if isinstance(event, Finished):
                        asked.clock.end(outcome_of(event.facts))
                        self._meter.sentences(event.facts.sentences)
                        await self._note(asked.question, event.facts)
                    yield event

    async def _note(self, question: Question, facts: AnswerFacts) -> None:
        """Let the author know of a question that was not answered, if somebody keeps those."""
        if self._feedback is not None and not facts.answered:
            # An author knows what stands there.
            places = tuple(replace(place, text="") for place in facts.closest)
            await self._feedback.note_unanswered(question, places)

    async def _answer(self, asked: _Asked, text: Composer) -> AsyncGenerator[AnswerEvent]:
        said, cut_off, known_counts = [], False, SentenceCounts()
        known: tuple[Citation, ...] = ()
        async with aclosing(text.pieces()) as pieces:
            try:
                while (piece := await self._next(pieces, asked)) is not None:
                    said.append(piece)
                    if asked.question.progress and text.citations != known:
                        known = text.citations
                        yield SourcesUsed(known)
                    counts = text.sentences
                    yield TextPiece(
                        piece,
                        unproven=counts.unproven > known_counts.unproven,
                        cited=counts.cited > known_counts.cited,
                        judged=counts.judged > known_counts.judged,
                    )
                    known_counts = counts
            except (AgentTimeout, ReplyCutOff) as error:
                # Every sentence that is out was checked: that is worth more than an error.
                if not said:
                    raise
                cut_off = True
                after_s = round(_ms_since(asked.started_s) / 1000, 1)
                log.warning("answer_cut_off", extra={"reason": error.message, "after_s": after_s})
        citations = text.citations
        yield SourcesUsed(citations)
        facts = AnswerFacts(
            mode=asked.question.mode,
            model=self._writer.model,
            query_time_ms=_ms_since(asked.started_s),
            chunks_retrieved=text.considered,
            answered=text.answered,
            query_strategy=asked.strategy,
            history=asked.history,
            cut_off=cut_off,
            collections=asked.collections,
            search_mode=asked.search_mode,
            corrected_question=asked.corrected,
            sentences=text.sentences,
            answer_probability=text.probability,
            closest=text.closest,
            further=text.further,
        )
        if text.failure is not None:
            facts = marked_as_fallback(facts, text.failure)
        answer = Answer("".join(said).rstrip(), citations, facts)
        yield Finished(await self._kept(asked.question, answer))

    async def _next(self, pieces: AsyncGenerator[str], asked: _Asked) -> str | None:
        """The next piece of text, None at the end; AgentTimeout when the time is over."""
        try:
            # In this task, not in one of its own: a writer may hold what belongs to its task.
            async with asyncio.timeout_at(asked.deadline_s):
                # All but the writing is checking: reading the evidence, and every sentence.
                with asked.clock.stage("checks"):
                    return await anext(pieces, None)
        except TimeoutError:
            raise AgentTimeout(
                f"The answer took longer than {self.timeout_s:g} s; try again in a moment"
            ) from None

    async def _kept(self, question: Question, answer: Answer) -> AnswerFacts:
        """Keep the exchange, if it belongs to a session."""
        if question.session_id is None:
            return answer.facts
        history = await self._history.save(
            Exchange(
                id=str(uuid.uuid4()),
                session_id=question.session_id,
                query=question.text,
                response=answer.text,
                sources=[citation_json(citation) for citation in answer.citations],
                mode=question.mode,
                selected_text=question.selection,
                chunks_retrieved=answer.facts.chunks_retrieved,
                latency_ms=answer.facts.query_time_ms,
                created_at_s=self._now_s(),
            )
        )
        if answer.facts.history == "unavailable":
            # What came before could not be read, and that is what the reader should know.
            return answer.facts
        return replace(answer.facts, history=history)

    def _composer(
        self, context: AnswerContext, judge: EvidenceJudge, clock: AnswerClock
    ) -> Composer:
        writer = TimedWriter(self._writer, clock)
        if self._falls_back:
            return FallbackComposer(context, writer, judge)
        return AnswerComposer(context, writer, judge, ExtractiveWriter())

    def _embedder(self) -> SentenceEmbedder:
        for embedder in self._models:
            return SentenceEmbedder(embedder)
        raise ModelNotLoaded(
            "No embedding model is loaded, so nothing can be looked up; configure one in"
            " embeddings.yml"
        )


def _understood(text: str, earlier: Sequence[Exchange]) -> tuple[QueryText, list[Turn]]:
    """What to search with, and what was said before that bears on it."""
    said = [Turn(one.query, one.response) for one in _without_small_talk(earlier)]
    current = said[-1].question if said else ""
    if said and said[-1].answer.endswith(OFFER) and is_assent(text):
        # Yes, the full documentation shall be searched.
        return choose_query_text(text, current, current), said
    asking = strip_courtesies(text)
    return choose_query_text(asking, current, contextualized_topic(said, asking)), said


def _places(passages: Sequence[Passage]) -> tuple[ClosestPlace, ...]:
    sources = (passage.source for passage in passages)
    places = (ClosestPlace(one.title, one.heading, one.url) for one in sources)
    return tuple(dict.fromkeys(places))


def _without_small_talk(earlier: Sequence[Exchange]) -> list[Exchange]:
    """The exchanges in which something was asked."""
    asked: list[Exchange] = []
    for one in earlier:
        about_something = bool(asked) or one.selected_text is not None
        if reply_to_small_talk(one.query, about_something=about_something) is None:
            asked.append(one)
    return asked


def _ms_since(started_s: float) -> float:
    return (time.monotonic() - started_s) * 1000
