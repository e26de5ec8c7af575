"""Sessions that say what the test tells them to, and know what became of it."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from types import AsyncGeneratorType
from typing import TypeAlias

from sourcebook.core.answers import (
    AnswerEvent,
    AnswerFacts,
    Citation,
    Finished,
    Question,
    SourcesUsed,
    TextPiece,
)
from sourcebook.core.conversations import Exchange

# An event is told, an error is raised, and at an `asyncio.Event` the answer waits for the test.
Step: TypeAlias = AnswerEvent | BaseException | asyncio.Event

CITATION = Citation(
    number=1,
    url="https://book.example/nodes#what-is-a-node",
    title="Nodes",
    heading="What is a node?",
    quote="A node is one process.",
    score=0.87,
    start=120,
    end=142,
    first_line=7,
    last_line=7,
    file="module-1/nodes.md",
    chunk_id="c1",
    document_id="d1",
    collection="book",
)
FACTS = AnswerFacts(
    mode="general",
    model="extractive",
    query_time_ms=12.5,
    chunks_retrieved=5,
    answered=True,
    query_strategy="raw message",
    collections=("book",),
)
ANSWER: Sequence[Step] = (
    TextPiece("A node is "),
    TextPiece("one process. [1]"),
    SourcesUsed((CITATION,)),
    Finished(FACTS),
)


class FakeSessions:
    """Tells every question the same story."""

    def __init__(self) -> None:
        self.timeout_s = 30.0
        self.asked: list[Question] = []
        self.story: Sequence[Step] = ANSWER
        self.refusal: Exception | None = None
        # While it is set, nothing is looked up.
        self.lookup: asyncio.Event | None = None
        self.looking_up = 0
        self.streams: list[AsyncGenerator[AnswerEvent, None]] = []
        self.kept: list[Exchange] = []
        self.limits: list[int] = []

    async def ask(
        self, question: Question, deadline_s: float | None = None
    ) -> AsyncIterator[AnswerEvent]:
        """The story, unless this is refused."""
        self.asked.append(question)
        if self.lookup is not None:
            self.looking_up += 1
            try:
                await self.lookup.wait()
            finally:
                self.looking_up -= 1
        if self.refusal is not None:
            raise self.refusal
        stream = self._tell()
        self.streams.append(stream)
        return stream

    async def conversation(self, session_id: str, limit: int) -> list[Exchange]:
        """What is kept of a session."""
        if self.refusal is not None:
            raise self.refusal
        self.limits.append(limit)
        return [exchange for exchange in self.kept if exchange.session_id == session_id][-limit:]

    async def forget(self, session_id: str) -> int:
        """Forget a session."""
        if self.refusal is not None:
            raise self.refusal
        before = len(self.kept)
        self.kept = [exchange for exchange in self.kept if exchange.session_id != session_id]
        return before - len(self.kept)

    @property
    def unclosed(self) -> int:
        """How many answers were begun, or could still be, and are not closed."""
        return sum(
            isinstance(stream, AsyncGeneratorType) and stream.ag_frame is not None
            for stream in self.streams
        )

    async def _tell(self) -> AsyncGenerator[AnswerEvent, None]:
        for step in self.story:
            if isinstance(step, asyncio.Event):
                await step.wait()
            elif isinstance(step, BaseException):
                raise step
            else:
                yield step
