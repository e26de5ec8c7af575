"""When the service stops, what can end soon does; of the rest, nothing is cut in half."""

import asyncio
import json
from typing import Any

import pytest
from fastapi import FastAPI

from sourcebook.core.answers import Finished, SourcesUsed, TextPiece
from sourcebook.surfaces.rate_limits import RateLimits
from tests.surfaces.chat.chat_client import running
from tests.surfaces.chat.fake_sessions import FACTS, FakeSessions


def events_in(reply: bytes) -> list[dict[str, Any]]:
    """The events of a chunked reply, each of which must be whole."""
    assert reply.endswith(b"0\r\n\r\n")
    lines = [line for line in reply.split(b"\n") if line.startswith(b"data: ")]
    return [json.loads(line.removeprefix(b"data: ")) for line in lines]


@pytest.mark.parametrize("said", [[], [TextPiece("A node is")]])
async def test_an_answer_that_does_not_end_in_time_ends_with_an_error(
    app: FastAPI, sessions: FakeSessions, rate_limits: RateLimits, said: list[TextPiece]
) -> None:
    sessions.story = [*said, asyncio.Event()]
    async with running(app, graceful_s=0) as server:
        reader, writer = await server.begin()
        await until_begun(reader)
        server.server.should_exit = True
        reply = await reader.read()
        writer.close()

    _, *pieces, last = events_in(reply)
    assert len(pieces) <= len(said)
    assert (last["type"], last["error_code"]) == ("error", "agent_unavailable")
    assert rate_limits.chat_slots.taken == 0
    assert sessions.unclosed == 0


async def test_an_answer_that_is_nearly_done_is_finished(
    app: FastAPI, sessions: FakeSessions
) -> None:
    gate = asyncio.Event()
    sessions.story = [gate, TextPiece("A"), SourcesUsed(()), Finished(FACTS)]
    async with running(app, graceful_s=30) as server:
        reader, writer = await server.begin()
        await until_begun(reader)
        server.server.should_exit = True
        gate.set()
        reply = await reader.read()
        writer.close()

    assert [event["type"] for event in events_in(reply)] == [
        "status",
        "chunk",
        "sources",
        "done",
    ]


@pytest.mark.parametrize("path", ["/chat", "/chat/stream"])
async def test_what_has_not_begun_is_refused_in_the_dialect(
    app: FastAPI, sessions: FakeSessions, rate_limits: RateLimits, path: str
) -> None:
    sessions.lookup = asyncio.Event()
    async with running(app, graceful_s=0) as server:
        reader, writer = await server.begin(path)
        async with asyncio.timeout(5):
            while sessions.looking_up == 0:  # noqa: ASYNC110 - the fake does not tell
                await asyncio.sleep(0.005)
        server.server.should_exit = True
        reply = await reader.read()
        writer.close()

    assert reply.startswith(b"HTTP/1.1 503 ")
    assert json.loads(reply.partition(b"\r\n\r\n")[2])["error_code"] == "agent_unavailable"
    assert rate_limits.chat_slots.taken == 0


async def until_begun(reader: asyncio.StreamReader) -> None:
    """Wait for the headers of the reply."""
    async with asyncio.timeout(5):
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
