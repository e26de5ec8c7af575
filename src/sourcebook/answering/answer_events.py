"""Gathers the events of an answer into the whole answer."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from sourcebook.core.answers import (
    Answer,
    AnswerEvent,
    Citation,
    Finished,
    SourcesUsed,
    TextPiece,
)
from sourcebook.core.errors import AgentUnavailable


class AnswerGatherer:
    """Takes the events of one answer in, one by one."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._citations: tuple[Citation, ...] = ()

    def add(self, event: AnswerEvent) -> Answer | None:
        """Return the whole answer once the last event is in."""
        match event:
            case TextPiece(content):
                self._pieces.append(content)
            case SourcesUsed(citations):
                # The last ones are all of them.
                self._citations = citations
            case Finished(facts):
                return Answer("".join(self._pieces).rstrip(), self._citations, facts)
        return None


async def gather_answer(events: AsyncGenerator[AnswerEvent]) -> Answer:
    """Read a stream of events to its end, and close it."""
    gatherer = AnswerGatherer()
    async with aclosing(events):
        async for event in events:
            if (answer := gatherer.add(event)) is not None:
                return answer
    raise AgentUnavailable("The answer broke off; try again in a moment")
