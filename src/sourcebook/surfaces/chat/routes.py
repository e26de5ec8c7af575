"""Routes of the chat contract."""

from collections.abc import AsyncIterator
from typing import Annotated, get_args

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from pydantic import TypeAdapter

from sourcebook.surfaces.admission import AdmittedQuestion, admit_question
from sourcebook.surfaces.answer_stream import AnswerStream
from sourcebook.surfaces.cancellation import answer_deadline, cancel_on_disconnect
from sourcebook.surfaces.chat import schemas
from sourcebook.surfaces.chat.errors import BODY, InvalidSession, errors
from sourcebook.surfaces.chat.parsing import parse_question
from sourcebook.surfaces.chat.results import answer_out, conversation_out
from sourcebook.surfaces.chat.streaming import ChatFrames
from sourcebook.surfaces.dependencies import Using
from sourcebook.surfaces.route_classes import JsonRoute

PREFIXES = ("/chat", "/conversations", "/feedback")

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


async def admit(
    request: Request, body: schemas.ChatIn, use: Using
) -> AsyncIterator[AdmittedQuestion]:
    """Check and begin a chat."""
    question = parse_question(body)
    async with admit_question(request, use, question, streamed=body.stream) as admitted:
        yield admitted


SessionId = Annotated[str, Depends(parse_session_id)]
Admitted = Annotated[AdmittedQuestion, Depends(admit)]


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
        return AnswerStream(admitted.events, admitted.deadline, ChatFrames())
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
    return AnswerStream(admitted.events, admitted.deadline, ChatFrames())


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
