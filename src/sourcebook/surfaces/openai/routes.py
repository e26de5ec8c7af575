"""Routes of OpenAI's chat completions and its list of models."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from sourcebook.surfaces.admission import AdmittedQuestion, admit_question
from sourcebook.surfaces.answer_stream import AnswerStream
from sourcebook.surfaces.api_keys import API_KEY_SCHEME, Granted
from sourcebook.surfaces.cancellation import answer_deadline, cancel_on_disconnect
from sourcebook.surfaces.dependencies import Using
from sourcebook.surfaces.openai import schemas
from sourcebook.surfaces.openai.book_models import list_models, model_not_found
from sourcebook.surfaces.openai.errors import BODY, KEYED, errors
from sourcebook.surfaces.openai.parsing import parse_question
from sourcebook.surfaces.openai.results import (
    ReplyContext,
    completion_out,
    reply_context,
    whole_answer,
)
from sourcebook.surfaces.openai.streaming import STREAM_CONTENT, CompletionFrames
from sourcebook.surfaces.route_classes import ApiKeyRoute

PREFIXES = ("/v1", "/v2")

routes = APIRouter(tags=["openai"], route_class=ApiKeyRoute, dependencies=[Depends(API_KEY_SCHEME)])


@dataclass(frozen=True, slots=True)
class AdmittedCompletion:
    """A question that is being answered, and what is to be made of the answer."""

    admitted: AdmittedQuestion
    context: ReplyContext
    include_usage: bool


async def admit(
    request: Request, body: schemas.ChatCompletionIn, use: Using, grant: Granted
) -> AsyncIterator[AdmittedCompletion]:
    """Check and begin an answer."""
    question = await parse_question(body.model, body.messages, body.metadata, use, grant)
    options = body.stream_options or schemas.StreamOptionsIn(include_usage=None)
    async with admit_question(request, use, question, streamed=bool(body.stream)) as admitted:
        context = await reply_context(request, body.model, question, use)
        yield AdmittedCompletion(admitted, context, bool(options.include_usage))


Admitted = Annotated[AdmittedCompletion, Depends(admit)]


@routes.get("/v1/models", responses=errors(*KEYED, 503))
async def models(use: Using, grant: Granted) -> schemas.ModelsOut:
    """List the books that can be asked, as models."""
    return schemas.ModelsOut(data=await list_models(use, grant))


@routes.get("/v1/models/{model:path}", responses=errors(*KEYED, 404, 503))
async def model(model: str, use: Using, grant: Granted) -> schemas.ModelOut:
    """Describe a book that can be asked."""
    for one in await list_models(use, grant):
        if one.id == model:
            return one
    raise await model_not_found(model, use, grant)


@routes.post(
    "/v1/chat/completions",
    response_model=schemas.ChatCompletionOut,
    responses={
        200: {
            "description": "The answer; with `stream`: chunks as Server-Sent Events",
            "content": STREAM_CONTENT,
        },
        **errors(*BODY, *KEYED, 404, 503),
    },
)
async def complete_chat(
    request: Request, completion: Admitted
) -> schemas.ChatCompletionOut | Response:
    """Answer the last question of a conversation from a book, and cite what was used."""
    admitted, context = completion.admitted, completion.context
    if admitted.streamed:
        frames = CompletionFrames(context, include_usage=completion.include_usage)
        return AnswerStream(admitted.events, admitted.deadline, frames)
    async with cancel_on_disconnect(request), answer_deadline(admitted.deadline):
        return completion_out(await whole_answer(admitted.events), context)
