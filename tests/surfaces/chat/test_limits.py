"""60 questions a minute from each caller, ten at once, and a truthful word for the others."""

import asyncio
import math
from collections.abc import Iterator

import httpx2
import pytest
from fastapi import FastAPI

from sourcebook.core.answers import Finished, SourcesUsed
from sourcebook.surfaces.rate_limits import (
    ClientAddresses,
    ConcurrencyLimit,
    MemoryWindow,
    RateLimit,
    RateLimits,
)
from sourcebook.surfaces.use_cases import UseCases
from tests.fakes import FakeClock
from tests.surfaces.chat.chat_client import ASKED, SESSION, chat_app, check, client_of, until
from tests.surfaces.chat.fake_sessions import FACTS, FakeSessions

PROXY = "10.0.0.1"


@pytest.fixture
def rate_limits(clock: FakeClock) -> RateLimits:
    return RateLimits(
        clients=ClientAddresses([PROXY]),
        chats=RateLimit(60, MemoryWindow(clock)),
        chat_slots=ConcurrencyLimit(at_once=2, max_waiting=1, timeout_s=0.05),
    )


def spread(*paths: str) -> Iterator[str]:
    while True:
        yield from paths


@pytest.mark.spec("004 Edge: rate limit")
async def test_the_61st_question_of_a_minute_is_refused(
    client: httpx2.AsyncClient, sessions: FakeSessions, clock: FakeClock
) -> None:
    paths = spread("/chat", "/chat/stream")
    for _ in range(60):
        clock.now_s += 0.125
        assert (await client.post(next(paths), json=ASKED)).status_code == 200

    refused = await client.post(next(paths), json=ASKED)

    said = check(refused, 429, "rate_limited")
    # The first call was 59 eighths of a second ago.
    assert said["retry_after"] == math.ceil(60 - 59 / 8)
    assert refused.headers["retry_after"] == refused.headers["retry-after"]
    assert len(sessions.asked) == 60


async def test_after_the_time_that_was_said_a_question_passes(
    client: httpx2.AsyncClient, clock: FakeClock
) -> None:
    for _ in range(60):
        await client.post("/chat", json=ASKED)
    refused = await client.post("/chat", json=ASKED)
    clock.now_s += refused.json()["retry_after"]

    assert (await client.post("/chat", json=ASKED)).status_code == 200


async def test_what_is_not_understood_is_not_counted(
    client: httpx2.AsyncClient, clock: FakeClock
) -> None:
    for _ in range(70):
        await client.post("/chat", json={"query": ""})
        await client.post("/chat", json={**ASKED, "mode": "selected_text"})
        await client.post("/chat", content=b"{", headers={"Content-Type": "application/json"})

    assert (await client.post("/chat", json=ASKED)).status_code == 200


async def test_other_routes_are_not_limited(client: httpx2.AsyncClient) -> None:
    for _ in range(61):
        await client.post("/chat", json=ASKED)

    assert (await client.get("/health")).status_code == 200
    assert (await client.get(f"/conversations/{SESSION}")).status_code == 200
    assert (await client.post("/search", json=ASKED)).status_code == 200


async def test_callers_are_limited_one_by_one(app: FastAPI) -> None:
    async with client_of(app, "2001:db8:1:2::1") as one, client_of(app, "2001:db8:1:3::1") as other:
        for _ in range(60):
            assert (await one.post("/chat", json=ASKED)).status_code == 200
        assert (await other.post("/chat", json=ASKED)).status_code == 200
    async with client_of(app, "2001:db8:1:2:ffff::2") as neighbour:
        check(await neighbour.post("/chat", json=ASKED), 429, "rate_limited")


async def test_headers_make_nobody_another_caller(client: httpx2.AsyncClient) -> None:
    statuses = []
    for number in range(70):
        name = f"203.0.113.{number}"
        headers = {"X-Forwarded-For": name, "Forwarded": f"for={name}", "X-Real-IP": name}
        statuses.append((await client.post("/chat", json=ASKED, headers=headers)).status_code)

    assert statuses == [200] * 60 + [429] * 10


async def test_behind_a_known_proxy_each_caller_counts(app: FastAPI) -> None:
    async with client_of(app, PROXY) as proxy:
        statuses = [
            (
                await proxy.post(
                    "/chat", json=ASKED, headers={"X-Forwarded-For": f"{number}.1.1.1, 203.0.113.9"}
                )
            ).status_code
            for number in range(61)
        ]
        other = await proxy.post("/chat", json=ASKED, headers={"X-Forwarded-For": "203.0.113.8"})

    assert statuses == [200] * 60 + [429]
    assert other.status_code == 200


async def test_the_limit_can_be_turned_off(use_cases: UseCases, sessions: FakeSessions) -> None:
    async with client_of(chat_app(use_cases, sessions, RateLimits(chats=RateLimit(0)))) as client:
        for _ in range(100):
            assert (await client.post("/chat", json=ASKED)).status_code == 200


@pytest.mark.spec("004 SC-010")
async def test_ten_questions_are_answered_at_once(
    use_cases: UseCases, sessions: FakeSessions
) -> None:
    gate = asyncio.Event()
    sessions.story = [gate, SourcesUsed(()), Finished(FACTS)]
    async with client_of(chat_app(use_cases, sessions)) as client, asyncio.TaskGroup() as group:
        asking = [
            group.create_task(client.post("/chat" + suffix, json=ASKED))
            for suffix in ("", "/stream") * 5
        ]
        await until(lambda: len(sessions.streams) == 10)
        gate.set()

    assert [task.result().status_code for task in asking] == [200] * 10


@pytest.mark.parametrize("path", ["/chat", "/chat/stream"])
async def test_who_finds_no_slot_is_told_when_to_come_again(
    client: httpx2.AsyncClient, sessions: FakeSessions, rate_limits: RateLimits, path: str
) -> None:
    gate = asyncio.Event()
    sessions.story = [gate, SourcesUsed(()), Finished(FACTS)]
    async with asyncio.TaskGroup() as group:
        running = [group.create_task(client.post(path, json=ASKED)) for _ in range(2)]
        await until(lambda: len(sessions.streams) == 2)
        refused = await client.post(path, json=ASKED)
        # What is no question needs no slot, and neither does a search.
        check(await client.post(path, json={}), 400, "validation_error")
        assert (await client.post("/search", json=ASKED)).status_code == 200
        gate.set()

    said = check(refused, 429, "rate_limited")
    assert 1 <= said["retry_after"] <= 30
    assert refused.headers["retry_after"] == str(said["retry_after"])
    assert [task.result().status_code for task in running] == [200, 200]
    assert len(sessions.asked) == 2
    assert rate_limits.chat_slots.taken == 0


async def test_who_waits_a_moment_gets_the_next_slot(
    use_cases: UseCases, sessions: FakeSessions
) -> None:
    gate = asyncio.Event()
    sessions.story = [gate, SourcesUsed(()), Finished(FACTS)]
    rate_limits = RateLimits(chat_slots=ConcurrencyLimit(at_once=1, timeout_s=60.0))
    app = chat_app(use_cases, sessions, rate_limits)
    async with client_of(app) as client, asyncio.TaskGroup() as group:
        asking = [group.create_task(client.post("/chat", json=ASKED)) for _ in range(3)]
        await until(lambda: len(sessions.streams) == 1)
        gate.set()

    assert [task.result().status_code for task in asking] == [200] * 3


@pytest.mark.parametrize("failing", ["lookup", "answer"])
async def test_a_failure_gives_its_slot_back(
    client: httpx2.AsyncClient, sessions: FakeSessions, rate_limits: RateLimits, failing: str
) -> None:
    if failing == "lookup":
        sessions.refusal = RuntimeError("x")
    else:
        sessions.story = [KeyError("x")]
    for path in ("/chat", "/chat/stream") * 3:
        await client.post(path, json=ASKED)

    assert rate_limits.chat_slots.taken == 0
    assert sessions.unclosed == 0


SEARCHES = [
    ("/search", {"query": "A node?"}, ["detail"]),
    ("/query", {"query": "A node?", "collection": "robotics"}, ["detail"]),
    ("/api/rag/search", {"query": "A node?"}, ["error", "message"]),
]


@pytest.mark.parametrize(("path", "body", "keys"), SEARCHES)
async def test_searches_have_a_limit_of_their_own(
    use_cases: UseCases,
    sessions: FakeSessions,
    clock: FakeClock,
    path: str,
    body: dict[str, str],
    keys: list[str],
) -> None:
    rate_limits = RateLimits(searches=RateLimit(2, MemoryWindow(clock)))
    async with client_of(chat_app(use_cases, sessions, rate_limits)) as client:
        for _ in range(2):
            assert (await client.post(path, json=body)).status_code in {200, 404}
        refused = await client.post(path, json=body)
        chat = await client.post("/chat", json=ASKED)

    assert refused.status_code == 429
    assert list(refused.json()) == keys
    assert refused.headers["retry-after"] == refused.headers["retry_after"] == "60"
    assert chat.status_code == 200


@pytest.mark.parametrize(("path", "body", "_keys"), SEARCHES)
async def test_searches_are_not_limited_unless_asked_for(
    client: httpx2.AsyncClient, path: str, body: dict[str, str], _keys: list[str]
) -> None:
    statuses = {(await client.post(path, json=body)).status_code for _ in range(70)}

    assert 429 not in statuses
