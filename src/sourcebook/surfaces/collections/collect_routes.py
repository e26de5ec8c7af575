"""Routes that search several collections at once, and that detect the topic of a chat."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from fastapi import APIRouter, Depends, Request

from sourcebook.answering.topics import Remark
from sourcebook.search.query_text import choose_query_text, strategy_for
from sourcebook.surfaces.cancellation import cancel_on_disconnect
from sourcebook.surfaces.collections.collect_results import harvest_out
from sourcebook.surfaces.collections.collect_schemas import (
    CollectIn,
    CollectOut,
    RemarkIn,
    TopicIn,
    TopicOut,
)
from sourcebook.surfaces.collections.errors import BODY, errors
from sourcebook.surfaces.dependencies import Using
from sourcebook.surfaces.rate_limits import limit_searches, rate_limits_of
from sourcebook.surfaces.route_classes import JsonRoute
from sourcebook.surfaces.use_cases import UseCases

reads = APIRouter(tags=["collections"], route_class=JsonRoute)


@reads.post(
    "/collect",
    responses=errors(*BODY, 404, 429, 503),
    response_model_exclude_unset=True,
    dependencies=[Depends(limit_searches)],
)
async def collect(body: CollectIn, use: Using) -> CollectOut:
    """Ask several collections: a match of the first that has one, else what comes near."""
    query = choose_query_text(body.user_message, body.current_topic or "", body.topic or "")
    names = [named.name for named in body.collections]
    found = await use.collector.collect(
        query.text, names, body.top_k, previous=query.previous, mode=body.mode
    )
    return harvest_out(query, found, explained=body.explain)


@reads.post("/topic", responses=errors(*BODY, 429, 503))
async def detect_topic(request: Request, body: TopicIn, use: Using) -> TopicOut:
    """Tell what a conversation is about after a message, to search with and to go on from."""
    current = body.current_topic or ""
    async with _limited(request, use):
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
async def _limited(request: Request, use: UseCases) -> AsyncIterator[None]:
    """Limit a topic that a language model detects like a chat, and any other like a search."""
    if not use.topics.asks_a_model:
        await limit_searches(request)
        yield
        return
    limits = rate_limits_of(request)
    await limits.count_chat(request)
    async with cancel_on_disconnect(request), limits.chat_slots.slot():
        yield


def _remarks(messages: Sequence[RemarkIn]) -> list[Remark]:
    return [
        Remark("user" if said.speaker == "user" else "assistant", said.text, said.topic or "")
        for said in messages
        if said.speaker != "system"
    ]
