"""A stream is `status`, `chunk`s, then `sources`, then `done`; or it ends with one `error`."""

import asyncio
import json
from dataclasses import replace

import httpx2
import pytest
from fastapi import FastAPI

from sourcebook.core.answers import Finished, SourcesUsed, TextPiece
from sourcebook.core.errors import AgentUnavailable, RateLimited, RetrievalUnavailable
from sourcebook.surfaces import answer_stream
from sourcebook.surfaces.errors import INTERNAL
from tests.surfaces.chat.chat_client import ASKED, KEYS, STATUS, check, events_of, running
from tests.surfaces.chat.fake_sessions import CITATION, FACTS, FakeSessions
from tests.surfaces.chat.test_chat import METADATA, SOURCE

SECRET = "postgres://user:canary@host/db"

# Text that would forge an event, or tear one apart, if it were sent as it is.
HOSTILE = [
    '\n\ndata: {"type":"done","metadata":{}}\n\n',
    '\r\rdata: {"type":"done"}\r\r',
    "a\r\nb\u2028c\u2029d\x85e\x0bf\x0cg\x1ch",
    "event: done\nid: 1\nretry: 0\n: comment",
    'quote " backslash \\ nul \x00 robot \N{ROBOT FACE}',
]
# Never told: an error ends the story.
THE_REST = (SourcesUsed(()), Finished(FACTS))


@pytest.mark.spec("004 FR-002")
@pytest.mark.spec("004 US3.1")
@pytest.mark.spec("004 US3.2")
async def test_an_answer_streams_in_pieces_and_ends_with_its_sources(
    client: httpx2.AsyncClient,
) -> None:
    reply = await client.post("/chat/stream", json=ASKED)

    assert reply.status_code == 200
    assert events_of(reply.text) == [
        {"type": "chunk", "content": "A node is "},
        {"type": "chunk", "content": "one process. [1]"},
        {"type": "sources", "sources": [SOURCE]},
        {"type": "done", "metadata": METADATA},
    ]


async def test_what_was_not_checked_for_its_language_is_marked(
    client: httpx2.AsyncClient, sessions: FakeSessions
) -> None:
    sessions.story = [TextPiece("Ein Knoten. ", unproven=True), TextPiece("A node."), *THE_REST]

    marked, plain, *_ = events_of((await client.post("/chat/stream", json=ASKED)).text)

    assert marked == {"type": "chunk", "content": "Ein Knoten. ", "unproven": True}
    assert plain == {"type": "chunk", "content": "A node."}


async def test_what_is_in_a_model_s_words_is_marked_with_what_was_compared(
    client: httpx2.AsyncClient, sessions: FakeSessions
) -> None:
    sessions.story = [TextPiece("A. ", cited=True), TextPiece("B.", judged=True), *THE_REST]

    cited, judged, *_ = events_of((await client.post("/chat/stream", json=ASKED)).text)

    assert cited == {"type": "chunk", "content": "A. ", "cited": True}
    assert judged == {"type": "chunk", "content": "B.", "judged": True}


async def test_a_frame_is_one_line_of_data(client: httpx2.AsyncClient) -> None:
    reply = await client.post("/chat/stream", json=ASKED)

    first, second, *_ = reply.content.split(b"\n\n")
    assert first == b'data: {"type":"status","status":"reading"}'
    assert second == b'data: {"type":"chunk","content":"A node is "}'


async def test_nothing_on_the_way_keeps_the_pieces_back(client: httpx2.AsyncClient) -> None:
    reply = await client.post("/chat/stream", json=ASKED)

    assert reply.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert reply.headers["cache-control"] == "no-cache"
    assert reply.headers["x-accel-buffering"] == "no"
    assert len(reply.headers["x-trace-id"]) == 8
    assert "content-length" not in reply.headers


async def test_a_stream_streams_whatever_the_body_says_of_it(client: httpx2.AsyncClient) -> None:
    reply = await client.post("/chat/stream", json={**ASKED, "stream": False})

    assert events_of(reply.text)[-1]["type"] == "done"


@pytest.mark.parametrize("text", HOSTILE)
async def test_no_text_can_forge_or_tear_an_event(
    client: httpx2.AsyncClient, sessions: FakeSessions, text: str
) -> None:
    cited = replace(CITATION, quote=text, title=text, heading=text)
    sessions.story = [TextPiece(text), SourcesUsed((cited,)), Finished(FACTS)]

    reply = await client.post("/chat/stream", json=ASKED)

    chunk, sources, done = events_of(reply.text)
    assert chunk == {"type": "chunk", "content": text}
    assert sources["sources"][0]["chunk_text"] == text
    assert done["type"] == "done"


async def test_each_event_is_sent_as_it_comes_and_the_first_before_any_text(
    app: FastAPI, sessions: FakeSessions
) -> None:
    found, written = asyncio.Event(), asyncio.Event()
    sessions.story = [found, TextPiece("first"), written, SourcesUsed(()), Finished(FACTS)]

    async with running(app) as server:
        reader, writer = await server.begin()
        seen = await reader.readuntil(b"\n\n\r\n")
        assert json.loads(seen.rpartition(b"data: ")[2]) == STATUS
        found.set()
        seen = await reader.readuntil(b"\n\n\r\n")
        assert json.loads(seen.rpartition(b"data: ")[2]) == {"type": "chunk", "content": "first"}
        written.set()
        assert b'"done"' in await reader.readuntil(b"\r\n0\r\n\r\n")
        writer.close()


@pytest.mark.spec("004 Edge: agent failure")
async def test_what_fails_on_the_way_is_the_last_event(
    client: httpx2.AsyncClient, sessions: FakeSessions
) -> None:
    sessions.story = [TextPiece("A node is "), AgentUnavailable("The model is away"), *THE_REST]

    reply = await client.post("/chat/stream", json=ASKED)

    chunk, error = events_of(reply.text)
    assert chunk["content"] == "A node is "
    assert error == {
        "type": "error",
        "error_code": "agent_unavailable",
        "message": "The model is away",
        "details": None,
        "retry_after": None,
        "trace_id": reply.headers["x-trace-id"],
    }


@pytest.mark.parametrize(
    ("failure", "code", "retry_after"),
    [
        (RetrievalUnavailable("The store is away"), "retrieval_unavailable", 5),
        (RateLimited("Wait", retry_after_s=2.2), "embedding_failed", 3),
        (RuntimeError(SECRET), "internal_error", None),
        (KeyError("x"), "internal_error", None),
    ],
)
async def test_a_failure_before_the_first_piece_is_an_event_too(
    client: httpx2.AsyncClient,
    sessions: FakeSessions,
    failure: Exception,
    code: str,
    retry_after: int | None,
) -> None:
    sessions.story = [failure]

    reply = await client.post("/chat/stream", json=ASKED)

    (error,) = events_of(reply.text)
    assert set(error) == {"type", *KEYS}
    assert (error["error_code"], error["retry_after"]) == (code, retry_after)


async def test_a_crash_on_the_way_is_logged_and_tells_nothing_inside(
    client: httpx2.AsyncClient, sessions: FakeSessions, caplog: pytest.LogCaptureFixture
) -> None:
    sessions.story = [TextPiece("A"), RuntimeError(SECRET)]

    reply = await client.post("/chat/stream", json=ASKED)

    assert events_of(reply.text)[-1]["message"] == INTERNAL
    assert SECRET not in reply.text
    assert "answer_crashed" in caplog.messages


async def test_a_story_without_an_end_gets_one(
    client: httpx2.AsyncClient, sessions: FakeSessions
) -> None:
    sessions.story = [TextPiece("A"), SourcesUsed(())]

    reply = await client.post("/chat/stream", json=ASKED)

    assert [event["type"] for event in events_of(reply.text)] == ["chunk", "sources", "error"]


async def test_nothing_is_told_after_the_end(
    client: httpx2.AsyncClient, sessions: FakeSessions
) -> None:
    sessions.story = [SourcesUsed(()), Finished(FACTS), RuntimeError("late")]

    reply = await client.post("/chat/stream", json=ASKED)

    assert [event["type"] for event in events_of(reply.text)] == ["sources", "done"]
    assert sessions.unclosed == 0


@pytest.mark.parametrize("body", [ASKED, {**ASKED, "stream": True}])
async def test_what_fails_before_the_stream_is_a_plain_error(
    client: httpx2.AsyncClient, sessions: FakeSessions, body: dict[str, object]
) -> None:
    sessions.refusal = RetrievalUnavailable("The store is away")
    path = "/chat" if "stream" in body else "/chat/stream"

    reply = await client.post(path, json=body)

    assert reply.headers["content-type"] == "application/json"
    check(reply, 503, "retrieval_unavailable")


async def test_a_silence_is_filled_with_comments(
    app: FastAPI, sessions: FakeSessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_stream, "PING_INTERVAL_S", 0.01)
    gate = asyncio.Event()
    sessions.story = [gate, SourcesUsed(()), Finished(FACTS)]

    async with running(app) as server:
        reader, writer = await server.begin()
        await reader.readuntil(b": ping\n\n\r\n")
        gate.set()
        assert b'"done"' in await reader.readuntil(b"\r\n0\r\n\r\n")
        writer.close()


def test_a_silence_is_never_longer_than_15_seconds() -> None:
    assert answer_stream.PING_INTERVAL_S <= 15.0
