"""Admits a question: counts it, waits for a slot, and begins its answer."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from starlette.requests import Request

from sourcebook.core.answers import AnswerEvent, Question
from sourcebook.surfaces.cancellation import Deadline, answer_deadline, cancel_on_disconnect
from sourcebook.surfaces.rate_limits import rate_limits_of
from sourcebook.surfaces.use_cases import UseCases


@dataclass(frozen=True, slots=True)
class AdmittedQuestion:
    """A question that passed the limits, the events of its answer, and when it must be over."""

    question: Question
    streamed: bool
    events: AsyncIterator[AnswerEvent]
    deadline: Deadline


@asynccontextmanager
async def admit_question(
    request: Request, use: UseCases, question: Question, *, streamed: bool
) -> AsyncIterator[AdmittedQuestion]:
    """Count and begin an answer. However it ends, its slot is freed and its events closed."""
    limits = rate_limits_of(request)
    await limits.count_chat(request)
    deadline = Deadline.after(use.sessions.timeout_s)
    async with AsyncExitStack() as stack:
        async with cancel_on_disconnect(request), answer_deadline(deadline):
            await stack.enter_async_context(limits.chat_slots.slot(deadline.timeout_s))
            events = await use.sessions.ask(question, deadline.at_s)
        if isinstance(events, AsyncGenerator):
            stack.push_async_callback(events.aclose)
        yield AdmittedQuestion(question, streamed, events, deadline)
