"""Lets a question in: checked, counted, given a slot, and looked up, before any reply begins."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from sourcebook.core.answers import AnswerEvent, Question
from sourcebook.surfaces.admission import CHAT_WITHIN_S, admission_of
from sourcebook.surfaces.chat.questions import question_of
from sourcebook.surfaces.chat.schemas import ChatIn
from sourcebook.surfaces.deadline import answered_by
from sourcebook.surfaces.presence import while_here
from sourcebook.surfaces.use_cases import Using


@dataclass(frozen=True, slots=True)
class Chat:
    """A question that was let in, the events of its answer, and when it must be over."""

    question: Question
    streamed: bool
    events: AsyncIterator[AnswerEvent]
    end_s: float

    @asynccontextmanager
    async def in_time(self) -> AsyncIterator[None]:
        """Raise AgentUnavailable if what is inside is not done by the end."""
        async with answered_by(self.end_s):
            yield


async def let_in(request: Request, body: ChatIn, use: Using) -> AsyncIterator[Chat]:
    """The chat. However it ends, its slot is free afterwards and its events are closed."""
    question = question_of(body)
    rules = admission_of(request)
    await rules.chats.let_in(rules.clients.of(request))
    end_s = asyncio.get_running_loop().time() + CHAT_WITHIN_S
    async with AsyncExitStack() as stack:
        async with while_here(request), answered_by(end_s):
            await stack.enter_async_context(rules.chat_slots.one())
            events = await use.sessions.ask(question)
        if isinstance(events, AsyncGenerator):
            stack.push_async_callback(events.aclose)
        yield Chat(question, body.stream, events, end_s)


Admitted = Annotated[Chat, Depends(let_in)]
