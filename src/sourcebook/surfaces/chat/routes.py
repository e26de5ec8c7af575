"""The routes of the chat contract."""

from typing import Annotated, get_args

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from pydantic import TypeAdapter

from sourcebook.surfaces.chat import schemas
from sourcebook.surfaces.chat.admitting import Admitted
from sourcebook.surfaces.chat.errors import BODY, InvalidSession, errors
from sourcebook.surfaces.chat.results import answer_out, conversation_out
from sourcebook.surfaces.chat.streaming import AnswerStream
from sourcebook.surfaces.presence import while_here
from sourcebook.surfaces.routing import JsonRoute
from sourcebook.surfaces.use_cases import Using

PREFIXES = ("/chat", "/conversations")

_EVENTS = "Server-Sent Events: each line `data: ` brings one of these as JSON"


def _stream() -> dict[str, dict[str, object]]:
    """The content of a stream for the OpenAPI document, as OpenAPI 3.2 and FastAPI say it."""
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


async def named_session(
    session_id: Annotated[
        str,
        Path(description="A UUID of version 4", json_schema_extra={"format": "uuid"}),
    ],
) -> str:
    """The session that the path names. Async, or FastAPI would use a thread."""
    if not schemas.is_session_id(session_id):
        raise InvalidSession("The session id must be a UUID of version 4 (36 characters)")
    return session_id.lower()


Session = Annotated[str, Depends(named_session)]


@routes.post(
    "/chat",
    response_model=schemas.ChatOut,
    response_model_exclude_unset=True,
    responses={
        200: {
            "description": f"The answer; with `stream`: {_EVENTS}",
            "content": _stream(),
        },
        **errors(*BODY, 429, 503),
    },
)
async def chat(request: Request, admitted: Admitted) -> schemas.ChatOut | Response:
    """Answer a question from the documentation, or from a selection, and cite what was used."""
    if admitted.streamed:
        return AnswerStream(admitted)
    async with while_here(request), admitted.in_time():
        return await answer_out(admitted.question, admitted.events)


@routes.post(
    "/chat/stream",
    response_class=Response,
    responses={
        200: {"description": _EVENTS, "content": _stream()},
        **errors(*BODY, 429, 503),
    },
)
async def chat_stream(admitted: Admitted) -> Response:
    """Answer a question piece by piece. What fails before the first piece is a plain error."""
    return AnswerStream(admitted)


@routes.get("/conversations/{session_id}", responses=errors(400, 503))
async def read_conversation(
    session_id: Session,
    use: Using,
    limit: Annotated[
        int, Query(ge=1, le=schemas.MAX_EXCHANGES, description="How many questions and answers")
    ] = schemas.MAX_EXCHANGES,
) -> schemas.ConversationOut:
    """Give the newest messages of a conversation, oldest first; none if there is no such one."""
    return conversation_out(session_id, await use.sessions.conversation(session_id, limit))


@routes.delete("/conversations/{session_id}", responses=errors(400, 503))
async def forget_conversation(session_id: Session, use: Using) -> schemas.ForgottenOut:
    """Delete a conversation."""
    return schemas.ForgottenOut(
        session_id=session_id, deleted=await use.sessions.forget(session_id)
    )
