"""The route of the RAG contract's chat."""

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import SkipValidation

from sourcebook.surfaces.cancellation import Deadline, answer_deadline, cancel_on_disconnect
from sourcebook.surfaces.dependencies import Using
from sourcebook.surfaces.rag_v3.chat_errors import chat_errors
from sourcebook.surfaces.rag_v3.chat_parsing import parse_chat
from sourcebook.surfaces.rag_v3.chat_results import reply_out
from sourcebook.surfaces.rag_v3.chat_schemas import RagChatIn, RagChatOut
from sourcebook.surfaces.rag_v3.errors import BODY
from sourcebook.surfaces.rate_limits import rate_limits_of
from sourcebook.surfaces.route_classes import JsonRoute

PREFIX = "/api/chat"
PREFIXES = (PREFIX,)

routes = APIRouter(tags=["chat"], route_class=JsonRoute)

# Documented as this schema, and handed over as plain JSON: `chat_parsing` validates it.
ChatBody = Annotated[RagChatIn, SkipValidation]


@routes.post(PREFIX, responses=chat_errors(*BODY, 404, 429, 503), response_model_exclude_none=True)
async def reply_to_chat(request: Request, body: ChatBody, use: Using) -> RagChatOut:
    """Reply to a message; with `useRag`, on what the posted documents say."""
    chat = parse_chat(body, use.chats.choose_model)
    limits = rate_limits_of(request)
    await limits.count_chat(request)
    deadline = Deadline.after(use.chats.timeout_s)
    async with (
        cancel_on_disconnect(request),
        answer_deadline(deadline),
        limits.chat_slots.slot(deadline.timeout_s),
    ):
        return reply_out(await use.chats.reply(chat, deadline.at_s))
