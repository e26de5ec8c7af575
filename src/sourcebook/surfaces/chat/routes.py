"""Routes of the chat contract."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Annotated, get_args

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from pydantic import TypeAdapter

from sourcebook.core.answers import AnswerEvent, Question
from sourcebook.surfaces.cancellation import Deadline, answer_deadline, cancel_on_disconnect
from sourcebook.surfaces.chat import schemas
from sourcebook.surfaces.chat.errors import BODY, InvalidSession, errors
from sourcebook.surfaces.chat.parsing import parse_question
from sourcebook.surfaces.chat.results import answer_out, conversation_out
from sourcebook.surfaces.chat.streaming import AnswerStream
from sourcebook.surfaces.rate_limits import rate_limits_of
from sourcebook.surfaces.route_classes import JsonRoute
from sourcebook.surfaces.use_cases import Using

PREFIXES = ("/chat", "/conversations")

_EVENTS = "Server-Sent Events: each line `data: ` brings one of these as JSON"


def _stream_content() -> dict[str, dict[str, object]]:
    """Describe the events of a stream in the way of OpenAPI 3.2 and FastAPI."""
    schema = TypeAdapter[schemas.Event](schemas.Event).json_schema(
        mode="serialization", ref_template="#/components/schemas/{model}"
    )
    kinds = [schema["$defs"][kind.__name__] for kind in get_args(schemas.Event)]
    data = {
        "type": "string",
        "contentMediaType": "application/json",
        "contentSchema": {"oneOf": kinds},
    }
    event = {"type": "object", "properties": {"data": data}, "required": ["data"]}
    return {AnswerStream.media_type: {"itemSchema": event}}


routes = APIRouter(tags=["chat"], route_class=JsonRoute)


async def parse_session_id(
    session_id: Annotated[
        str,
        Path(description="A UUID of version 4", json_schema_extra={"format": "uuid"}),
    ],
) -> str:
    """Check the session id in the path. Async, or FastAPI would use a thread."""
    if not schemas.is_session_id(session_id):
        raise InvalidSession("The session id must be a UUID of version 4 (36 characters)")
    return session_id.lower()


@dataclass(frozen=True, slots=True)
class AdmittedChat:
    """A question that passed the limits, the events of its answer, and when it must be over."""

    question: Question
    streamed: bool
    events: AsyncIterator[AnswerEvent]
    deadline: Deadline


async def admit(request: Request, body: schemas.ChatIn, use: Using) -> AsyncIterator[AdmittedChat]:
    """Check, count and start a chat. However it ends, its slot is freed and its events closed."""
    question = parse_question(body)
    limits = rate_limits_of(request)
    await limits.count_chat(request)
    deadline = Deadline.after(use.sessions.timeout_s)
    async with AsyncExitStack() as stack:
        async with cancel_on_disconnect(request), answer_deadline(deadline):
            await stack.enter_async_context(limits.chat_slots.slot(deadline.timeout_s))
            events = await use.sessions.ask(question, deadline.at_s)
        if isinstance(events, AsyncGenerator):
            stack.push_async_callback(events.aclose)
        yield AdmittedChat(question, body.stream, events, deadline)


SessionId = Annotated[str, Depends(parse_session_id)]
Admitted = Annotated[AdmittedChat, Depends(admit)]


@routes.post(
    "/chat",
    response_model=schemas.ChatOut,
    response_model_exclude_unset=True,
    responses={
        200: {
            "description": f"The answer; with `stream`: {_EVENTS}",
            "content": _stream_content(),
        },
        **errors(*BODY, 404, 429, 503),
    },
)
async def chat(request: Request, admitted: Admitted) -> schemas.ChatOut | Response:
    """Answer a question from the documentation, or from a selection, and cite what was used."""
    if admitted.streamed:
        return AnswerStream(admitted.events, admitted.deadline)
    async with cancel_on_disconnect(request), answer_deadline(admitted.deadline):
        return await answer_out(admitted.question, admitted.events)


@routes.post(
    "/chat/stream",
    response_class=Response,
    responses={
        200: {"description": _EVENTS, "content": _stream_content()},
        **errors(*BODY, 404, 429, 503),
    },
)
async def chat_stream(admitted: Admitted) -> Response:
    """Answer a question piece by piece. What fails before the first piece is a plain error."""
    return AnswerStream(admitted.events, admitted.deadline)


@routes.get("/conversations/{session_id}", responses=errors(400, 503))
async def read_conversation(
    session_id: SessionId,
    use: Using,
    limit: Annotated[
        int, Query(ge=1, le=schemas.MAX_EXCHANGES, description="How many questions and answers")
    ] = schemas.MAX_EXCHANGES,
) -> schemas.ConversationOut:
    """Give the newest messages of a conversation, oldest first; none if there is no such one."""
    return conversation_out(session_id, await use.sessions.conversation(session_id, limit))


@routes.delete("/conversations/{session_id}", responses=errors(400, 503))
async def forget_conversation(session_id: SessionId, use: Using) -> schemas.ForgottenOut:
    """Delete a conversation."""
    return schemas.ForgottenOut(
        session_id=session_id, deleted=await use.sessions.forget(session_id)
    )
