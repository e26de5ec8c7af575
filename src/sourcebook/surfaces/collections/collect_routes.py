"""The routes for several collections at once, and for the topic that follow-ups are about."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from fastapi import APIRouter, Depends, Request

from sourcebook.answering.topic_request import Remark
from sourcebook.search.query_text import choose_query_text, strategy_for
from sourcebook.surfaces.admission import admission_of, admit_search
from sourcebook.surfaces.collections.collect_results import harvest_out
from sourcebook.surfaces.collections.collect_schemas import (
    CollectIn,
    CollectOut,
    RemarkIn,
    TopicIn,
    TopicOut,
)
from sourcebook.surfaces.collections.errors import BODY, errors
from sourcebook.surfaces.presence import while_here
from sourcebook.surfaces.routing import JsonRoute
from sourcebook.surfaces.use_cases import UseCases, Using

reads = APIRouter(tags=["collections"], route_class=JsonRoute)


@reads.post(
    "/collect",
    responses=errors(*BODY, 404, 429, 503),
    response_model_exclude_unset=True,
    dependencies=[Depends(admit_search)],
)
async def collect(body: CollectIn, use: Using) -> CollectOut:
    """Ask several collections: a match of the first that has one, else what comes near."""
    query = choose_query_text(body.user_message, body.current_topic or "", body.topic or "")
    names = [named.name for named in body.collections]
    return harvest_out(query, await use.collector.collect(query.text, names, body.top_k))


@reads.post("/topic", responses=errors(*BODY, 429, 503))
async def detect_topic(request: Request, body: TopicIn, use: Using) -> TopicOut:
    """Tell what a conversation is about after a message, to search with and to go on from."""
    current = body.current_topic or ""
    async with _admitted(request, use):
        topic = await use.topics.find(_remarks(body.messages), body.user_message, current)
    return TopicOut(
        topic=topic.text,
        topic_status=topic.status,
        topic_summary=topic.summary,
        normalized=topic.normalised,
        strategy=strategy_for(current),
        method=topic.method,
    )


@asynccontextmanager
async def _admitted(request: Request, use: UseCases) -> AsyncIterator[None]:
    """A topic that a language model finds costs what a chat costs; else it is like a search."""
    if not use.topics.asks_a_model:
        await admit_search(request)
        yield
        return
    rules = admission_of(request)
    await rules.chats.let_in(rules.clients.of(request))
    async with while_here(request), rules.chat_slots.one():
        yield


def _remarks(messages: Sequence[RemarkIn]) -> list[Remark]:
    return [
        Remark("user" if said.speaker == "user" else "assistant", said.text, said.topic or "")
        for said in messages
        if said.speaker != "system"
    ]
