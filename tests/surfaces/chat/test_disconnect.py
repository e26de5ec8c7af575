"""Whoever goes away takes their work along: no slot, answer, task or connection is left behind."""

import asyncio
import socket
import struct

import pytest
from fastapi import FastAPI

from sourcebook.core.answers import Finished, SourcesUsed, TextPiece
from sourcebook.surfaces import answer_stream
from sourcebook.surfaces.rate_limits import ConcurrencyLimit, RateLimit, RateLimits
from tests.chaos import LONG, dice
from tests.surfaces.chat.chat_client import ASKED, Running, running, until
from tests.surfaces.chat.fake_sessions import FACTS, FakeSessions

LEAVERS = 500 if LONG else 100
PATHS = ["/chat", "/chat/stream"]


@pytest.fixture
def rate_limits() -> RateLimits:
    return RateLimits(
        chats=RateLimit(0), chat_slots=ConcurrencyLimit(at_once=2, max_waiting=2, timeout_s=60.0)
    )


def reset(writer: asyncio.StreamWriter) -> None:
    """Leave without a word, as a phone in a tunnel does."""
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


@pytest.mark.parametrize("path", PATHS)
async def test_leaving_while_the_evidence_is_looked_up_ends_the_search(
    app: FastAPI, sessions: FakeSessions, rate_limits: RateLimits, path: str
) -> None:
    sessions.lookup = asyncio.Event()
    async with running(app) as server:
        _, writer = await server.begin(path)
        await until(lambda: sessions.looking_up == 1)
        reset(writer)
        await until(lambda: sessions.looking_up == 0)
        await until(lambda: rate_limits.chat_slots.taken == 0)

    assert sessions.streams == []


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("said", [[], [TextPiece("A node is")]])
async def test_leaving_in_the_middle_of_an_answer_ends_it(
    app: FastAPI, sessions: FakeSessions, rate_limits: RateLimits, path: str, said: list[TextPiece]
) -> None:
    sessions.story = [*said, asyncio.Event(), SourcesUsed(()), Finished(FACTS)]
    async with running(app) as server:
        _, writer = await server.begin(path)
        await until(lambda: len(sessions.streams) == 1)
        assert rate_limits.chat_slots.taken == 1
        reset(writer)
        await until(lambda: sessions.unclosed == 0)
        await until(lambda: rate_limits.chat_slots.taken == 0)


@pytest.mark.parametrize("path", PATHS)
async def test_leaving_politely_ends_it_as_well(
    app: FastAPI, sessions: FakeSessions, rate_limits: RateLimits, path: str
) -> None:
    sessions.story = [asyncio.Event()]
    async with running(app) as server:
        _, writer = await server.begin(path)
        await until(lambda: len(sessions.streams) == 1)
        writer.close()
        await until(lambda: sessions.unclosed == 0)
        await until(lambda: rate_limits.chat_slots.taken == 0)


async def test_leaving_the_queue_makes_room_in_it(
    app: FastAPI, sessions: FakeSessions, rate_limits: RateLimits
) -> None:
    gate = asyncio.Event()
    sessions.story = [gate, SourcesUsed(()), Finished(FACTS)]
    async with running(app) as server:
        inside = [await server.begin() for _ in range(2)]
        await until(lambda: rate_limits.chat_slots.taken == 2)
        for _ in range(5):
            waiting = [await server.begin() for _ in range(2)]
            await until(lambda: rate_limits.chat_slots.waiting == 2)
            for _, writer in waiting:
                reset(writer)
            await until(lambda: rate_limits.chat_slots.waiting == 0)
        last_reader, last = await server.begin()
        await until(lambda: rate_limits.chat_slots.waiting == 1)
        gate.set()
        assert b'"done"' in await last_reader.readuntil(b"\r\n0\r\n\r\n")
        for _, writer in (*inside, (last_reader, last)):
            writer.close()

    assert len(sessions.asked) == 3


async def test_a_slot_of_somebody_who_left_serves_the_next(
    app: FastAPI, sessions: FakeSessions
) -> None:
    sessions.story = [asyncio.Event()]
    async with running(app) as server:
        held = [await server.begin() for _ in range(2)]
        await until(lambda: len(sessions.streams) == 2)
        for _, writer in held:
            reset(writer)
        sessions.story = [SourcesUsed(()), Finished(FACTS)]
        reader, writer = await server.begin()
        assert b'"done"' in await reader.readuntil(b"\r\n0\r\n\r\n")
        writer.close()


async def test_a_reader_who_stops_reading_does_not_keep_the_slot(
    app: FastAPI, sessions: FakeSessions, rate_limits: RateLimits, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions.timeout_s = 0.3
    monkeypatch.setattr(answer_stream, "LAST_EVENT_TIMEOUT_S", 0.05)
    sessions.story = [TextPiece("x" * 1_000_000)] * 50
    async with running(app) as server:
        _, writer = await server.begin()
        await until(lambda: rate_limits.chat_slots.taken == 1)
        await until(lambda: rate_limits.chat_slots.taken == 0)
        assert sessions.unclosed == 0
        reset(writer)


async def test_any_number_may_leave_at_any_moment(
    app: FastAPI, sessions: FakeSessions, rate_limits: RateLimits
) -> None:
    chance = dice(9)
    async with running(app) as server:
        await _come_and_go(server, sessions, 0)
        await until(lambda: _idle(server, sessions, rate_limits))
        tasks = len(asyncio.all_tasks())
        for number in range(LEAVERS):
            sessions.lookup = asyncio.Event()
            asyncio.get_running_loop().call_later(chance.uniform(0.0, 0.003), sessions.lookup.set)
            await _come_and_go(server, sessions, chance.randrange(4), PATHS[number % 2])
        await until(lambda: _idle(server, sessions, rate_limits))

        assert len(asyncio.all_tasks()) == tasks
        sessions.lookup = None
        reader, writer = await server.begin()
        assert b'"done"' in await reader.readuntil(b"\r\n0\r\n\r\n")
        writer.close()


async def _come_and_go(
    server: Running, sessions: FakeSessions, milliseconds: int, path: str = PATHS[0]
) -> None:
    gate = asyncio.Event()
    sessions.story = [TextPiece("A"), TextPiece("B"), gate, SourcesUsed(()), Finished(FACTS)]
    asyncio.get_running_loop().call_later(0.002, gate.set)
    _, writer = await server.begin(path, ASKED)
    await asyncio.sleep(milliseconds / 1000)
    reset(writer)


def _idle(server: Running, sessions: FakeSessions, rate_limits: RateLimits) -> bool:
    state = server.server.server_state
    slots = rate_limits.chat_slots
    return not (
        state.connections
        or state.tasks
        or slots.taken
        or slots.waiting
        or sessions.unclosed
        or sessions.looking_up
    )
