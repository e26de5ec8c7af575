"""The chat of contract 003."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import SkipValidation

from sourcebook.surfaces.admission import CHAT_WITHIN_S, admission_of
from sourcebook.surfaces.deadline import answered_by
from sourcebook.surfaces.presence import while_here
from sourcebook.surfaces.rag_v3.chat_errors import chat_errors
from sourcebook.surfaces.rag_v3.chat_parsing import parse_chat
from sourcebook.surfaces.rag_v3.chat_results import reply_out
from sourcebook.surfaces.rag_v3.chat_schemas import RagChatIn, RagChatOut
from sourcebook.surfaces.rag_v3.errors import BODY
from sourcebook.surfaces.routing import JsonRoute
from sourcebook.surfaces.use_cases import Using

PREFIX = "/api/chat"
PREFIXES = (PREFIX,)

routes = APIRouter(tags=["chat"], route_class=JsonRoute)

# Documented as this model, and handed over as the JSON that came: `chat_parsing` checks it.
ChatBody = Annotated[RagChatIn, SkipValidation]


@routes.post(PREFIX, responses=chat_errors(*BODY, 429, 503))
async def reply_to_chat(request: Request, body: ChatBody, use: Using) -> RagChatOut:
    """Reply to a message; with `useRag`, on what the posted documents say."""
    chat = parse_chat(body)
    rules = admission_of(request)
    await rules.chats.let_in(rules.clients.of(request))
    end_s = asyncio.get_running_loop().time() + CHAT_WITHIN_S
    async with while_here(request), answered_by(end_s), rules.chat_slots.one():
        return reply_out(await use.chats.reply(chat))
