"""Maps answers, events and conversations to the schemas of the chat contract."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict
from functools import cache
from typing import assert_never

from pydantic import TypeAdapter

from sourcebook.answering.answer_events import AnswerGatherer
from sourcebook.answering.citations import citation_json
from sourcebook.core.answers import (
    AnswerEvent,
    AnswerFacts,
    Citation,
    Finished,
    Mode,
    PlacesFound,
    Question,
    SourcesUsed,
    TextPiece,
)
from sourcebook.core.conversations import Exchange
from sourcebook.surfaces.chat import schemas
from sourcebook.surfaces.schema_types import utc_time


class Unfinished(Exception):
    """The events ended before the answer did."""


async def answer_out(question: Question, events: AsyncIterator[AnswerEvent]) -> schemas.ChatOut:
    """Gather the events of an answer."""
    gatherer = AnswerGatherer()
    async for event in events:
        if (answer := gatherer.add(event)) is not None:
            reply = schemas.ChatOut(
                answer=answer.text,
                sources=[citation_out(citation) for citation in answer.citations],
                mode=answer.facts.mode,
                metadata=_metadata_out(answer.facts),
            )
            if question.session_id is not None:
                reply.session_id = question.session_id
            return reply
    raise Unfinished


def event_out(event: AnswerEvent) -> schemas.Event:
    match event:
        case PlacesFound(places):
            return schemas.FoundEvent(
                places=[schemas.ClosestPlaceOut(**asdict(place)) for place in places]
            )
        case TextPiece():
            return schemas.ChunkEvent(**asdict(event))
        case SourcesUsed(citations):
            return schemas.SourcesEvent(sources=[citation_out(citation) for citation in citations])
        case Finished(facts):
            return schemas.DoneEvent(metadata=_metadata_out(facts))
        case _:
            assert_never(event)


def citation_out(citation: Citation) -> schemas.CitationOut:
    return _citations().validate_python(citation_json(citation))


@cache
def _citations() -> TypeAdapter[schemas.CitationOut]:
    return TypeAdapter(schemas.CitationOut)


def conversation_out(session_id: str, exchanges: Sequence[Exchange]) -> schemas.ConversationOut:
    """Map each exchange to two messages, oldest first."""
    messages = [message for exchange in exchanges for message in _messages(exchange)]
    return schemas.ConversationOut(session_id=session_id, messages=messages)


def _messages(exchange: Exchange) -> tuple[schemas.MessageOut, schemas.MessageOut]:
    created_at = utc_time(exchange.created_at_s)
    # Contract 003 has other modes, but no conversation that can be asked for here.
    mode: Mode = "selected_text" if exchange.mode == "selected_text" else "general"
    asked = schemas.MessageOut(
        id=f"{exchange.id}-user",
        role="user",
        content=exchange.query,
        sources=None,
        mode=mode,
        created_at=created_at,
    )
    answered = schemas.MessageOut(
        id=f"{exchange.id}-assistant",
        role="assistant",
        content=exchange.response,
        sources=[dict(source) for source in exchange.sources],
        mode=mode,
        created_at=created_at,
    )
    return asked, answered


def _metadata_out(facts: AnswerFacts) -> schemas.ChatMetadataOut:
    return schemas.ChatMetadataOut(
        query_time_ms=facts.query_time_ms,
        chunks_retrieved=facts.chunks_retrieved,
        model=facts.model,
        query_strategy=facts.query_strategy,
        history=facts.history,
        answered=facts.answered,
        cut_off=facts.cut_off,
        collections=list(facts.collections),
        fallback=facts.fallback,
        warning=facts.warning,
        search_mode=facts.search_mode,
        sentences=schemas.SentenceCountsOut(**asdict(facts.sentences)),
        answer_probability=_rounded(facts.answer_probability),
        closest=[schemas.ClosestPlaceOut(**asdict(one)) for one in facts.closest],
        further=[schemas.ClosestPlaceOut(**asdict(one)) for one in facts.further],
        corrected_question=facts.corrected_question,
    )


def _rounded(probability: float | None) -> float | None:
    return None if probability is None else round(probability, 3)
