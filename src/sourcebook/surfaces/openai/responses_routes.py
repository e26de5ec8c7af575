"""The route of OpenAI's Responses API."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Annotated, get_args

from fastapi import APIRouter, Depends, Request, Response

from sourcebook.surfaces.admission import AdmittedQuestion, admit_question
from sourcebook.surfaces.answer_stream import AnswerStream
from sourcebook.surfaces.api_keys import API_KEY_SCHEME, Granted
from sourcebook.surfaces.cancellation import answer_deadline, cancel_on_disconnect
from sourcebook.surfaces.dependencies import Using
from sourcebook.surfaces.openai import responses_schemas as schemas
from sourcebook.surfaces.openai.errors import BODY, KEYED, errors
from sourcebook.surfaces.openai.parsing import parse_question
from sourcebook.surfaces.openai.responses_results import ResponseIds, response_out
from sourcebook.surfaces.openai.responses_streaming import ResponseFrames
from sourcebook.surfaces.openai.results import ReplyContext, reply_context, whole_answer
from sourcebook.surfaces.openai.schemas import MessageIn, Role
from sourcebook.surfaces.openai.streaming import STREAM_CONTENT
from sourcebook.surfaces.request_errors import InvalidField
from sourcebook.surfaces.route_classes import ApiKeyRoute

routes = APIRouter(tags=["openai"], route_class=ApiKeyRoute, dependencies=[Depends(API_KEY_SCHEME)])


@dataclass(frozen=True, slots=True)
class AdmittedResponse:
    """A question that is being answered, and what the reply needs to know."""

    admitted: AdmittedQuestion
    context: ReplyContext


async def admit(
    request: Request, body: schemas.ResponseIn, use: Using, grant: Granted
) -> AsyncIterator[AdmittedResponse]:
    """Check and begin an answer."""
    for field in ("previous_response_id", "conversation"):
        if getattr(body, field) is not None:
            raise InvalidField(
                field,
                f"'{field}' cannot be used: responses are not stored here. Send the whole"
                " conversation as 'input'",
            )
    messages = _messages(body.items)
    question = await parse_question(body.model, messages, body.metadata, use, grant, field="input")
    async with admit_question(request, use, question, streamed=bool(body.stream)) as admitted:
        yield AdmittedResponse(admitted, await reply_context(request, body.model, question, use))


@routes.post(
    "/v1/responses",
    response_model=schemas.ResponseOut,
    responses={
        200: {
            "description": "The answer; with `stream`: Server-Sent Events",
            "content": STREAM_CONTENT,
        },
        **errors(*BODY, *KEYED, 404, 503),
    },
)
async def respond(
    request: Request, response: Annotated[AdmittedResponse, Depends(admit)]
) -> schemas.ResponseOut | Response:
    """Answer the last question of a conversation from a book, and cite what was used."""
    admitted, context = response.admitted, response.context
    if admitted.streamed:
        return AnswerStream(admitted.events, admitted.deadline, ResponseFrames(context))
    async with cancel_on_disconnect(request), answer_deadline(admitted.deadline):
        return response_out(await whole_answer(admitted.events), context, ResponseIds())


def _messages(items: Sequence[schemas.ItemIn]) -> list[MessageIn]:
    roles = {str(role): role for role in get_args(Role)}
    return [
        MessageIn(role=roles[item.role], content=item.content)
        for item in items
        if item.role in roles and item.type in {None, "message"}
    ]
