"""The chat's contract as the command speaks it: every way in which it can end has words."""

import asyncio
import json
from collections.abc import Callable

import httpx2
import pytest

from sourcebook.cli.app_transport import AppTransport
from sourcebook.cli.chat_clients import ChatClient
from sourcebook.core.errors import SourcebookError
from sourcebook.surfaces.chat.schemas import ChatIn, Event
from sourcebook.surfaces.use_cases import UseCases
from tests.surfaces.chat.chat_client import chat_app
from tests.surfaces.chat.fake_sessions import ANSWER, FakeSessions

METADATA = {
    "query_time_ms": 12.5,
    "chunks_retrieved": 5,
    "model": "extractive",
    "query_strategy": None,
    "history": "none",
    "cut_off": False,
    "answered": True,
}
CHUNK = {"type": "chunk", "content": "A node is one process."}
DONE = {"type": "done", "metadata": METADATA}
FAILED = {
    "error_code": "agent_unavailable",
    "message": "The answer took too long",
    "details": None,
    "retry_after": None,
    "trace_id": "0a1b2c3d",
}
QUESTION = ChatIn.model_validate({"query": "What is a node?", "hardware_tier": 2})

Answer = Callable[[httpx2.Request], httpx2.Response]


def client_of(answer: Answer) -> ChatClient:
    transport = httpx2.MockTransport(answer)
    return ChatClient(httpx2.AsyncClient(transport=transport, base_url="http://book"))


def streaming(*events: object, rest: str = "") -> Answer:
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + rest
    headers = {"content-type": "text/event-stream; charset=utf-8"}
    return lambda _: httpx2.Response(200, headers=headers, text=body)


async def events_of(answer: Answer) -> list[Event]:
    return [event async for event in client_of(answer).stream(QUESTION)]


async def test_the_events_come_in_their_order_up_to_the_end() -> None:
    events = await events_of(
        streaming(CHUNK, {"type": "sources", "sources": []}, DONE, rest=": ping\n\n")
    )

    assert [event.type for event in events] == ["chunk", "sources", "done"]


async def test_only_what_was_asked_is_sent() -> None:
    bodies = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        bodies.append((request.url.path, json.loads(request.content)))
        return streaming(DONE)(request)

    await events_of(answer)

    ((path, body),) = bodies
    assert path == "/chat/stream"
    assert (body["query"], body["hardware_tier"], body["mode"]) == ("What is a node?", 2, "general")
    assert not {"session_id", "selected_text", "filters", "book_id"} & body.keys()


async def test_the_whole_answer_is_one_reply() -> None:
    reply = {"answer": "Yes.", "sources": [], "mode": "general", "metadata": METADATA}

    answer = await client_of(lambda _: httpx2.Response(200, json=reply)).ask(QUESTION)

    assert (answer.answer, answer.metadata.answered) == ("Yes.", True)


async def test_an_error_in_the_stream_is_said_in_its_own_words() -> None:
    with pytest.raises(SourcebookError, match="The answer took too long"):
        await events_of(streaming(CHUNK, {"type": "error", **FAILED}))


async def test_an_answer_that_breaks_off_is_not_taken_for_a_whole_one() -> None:
    with pytest.raises(SourcebookError, match="broke off"):
        await events_of(streaming(CHUNK))


async def test_a_refusal_says_why_and_when_there_is_room() -> None:
    refusal = {**FAILED, "message": "Only 60 requests a minute are allowed", "retry_after": 12}
    client = client_of(lambda _: httpx2.Response(429, json=refusal))
    says = r"Only 60 requests .* in 12 s"

    with pytest.raises(SourcebookError, match=says):
        await client.ask(QUESTION)
    with pytest.raises(SourcebookError, match=says):
        await anext(client.stream(QUESTION))


@pytest.mark.parametrize("status", [404, 502])
async def test_an_error_of_another_kind_is_told_by_its_status(status: int) -> None:
    with pytest.raises(SourcebookError, match=f"status {status}"):
        await events_of(lambda _: httpx2.Response(status, text="<html>"))


@pytest.mark.parametrize(
    "answer",
    [
        lambda _: httpx2.Response(200, text="<html>"),
        lambda _: httpx2.Response(200, json={}),
        streaming({"type": "surprise"}),
        streaming({"type": "done"}),
        streaming("text"),
        streaming(rest="data: {\n\n"),
    ],
)
async def test_a_stream_of_another_kind_is_no_traceback(answer: Answer) -> None:
    with pytest.raises(SourcebookError, match="does not understand"):
        await events_of(answer)


async def test_a_service_that_is_away_is_named() -> None:
    def refuse(_: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("refused")

    with pytest.raises(SourcebookError, match="http://book does not answer"):
        await events_of(refuse)
    with pytest.raises(SourcebookError, match="http://book does not answer"):
        await client_of(refuse).ask(QUESTION)


async def test_an_app_in_this_process_is_heard_while_it_still_answers(use_cases: UseCases) -> None:
    sessions, heard = FakeSessions(), asyncio.Event()
    first, *others = ANSWER
    sessions.story = (first, heard, *others)
    transport = AppTransport(chat_app(use_cases, sessions))
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as http:
        stream = ChatClient(http).stream(QUESTION)

        begun = [await anext(stream), await anext(stream)]
        heard.set()
        kinds = [event.type for event in [*begun, *[event async for event in stream]]]

    assert kinds == ["status", "chunk", "chunk", "sources", "done"]
