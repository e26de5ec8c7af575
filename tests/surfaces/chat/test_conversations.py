"""Conversations can be read and forgotten by whoever knows the session's id, which is a secret."""

import logging
import uuid

import httpx2
import pytest

from sourcebook.core.conversations import Exchange
from sourcebook.core.errors import HistoryUnavailable
from tests.surfaces.chat.chat_client import ASKED, SESSION, check
from tests.surfaces.chat.fake_sessions import FakeSessions

PATH = f"/conversations/{SESSION}"
NO_SESSIONS = [
    "1",
    SESSION[:-1],
    SESSION.replace("-", ""),
    f"{SESSION}0",
    str(uuid.UUID(int=0)),
    "c232ab00-9414-11ec-b3c8-9f6bdeced846",  # version 1
    "0b8a3c1e-6f2d-1c5b-9a7e-1234567890ab",
    "0b8a3c1e-6f2d-4c5b-7a7e-1234567890ab",
    f"{SESSION}%0A",
    "%00",
    "%F0%9F%A4%96" * 9,
]


def exchange(number: int) -> Exchange:
    return Exchange(
        id=f"e{number}",
        session_id=SESSION,
        query=f"Question {number}?",
        response=f"Answer {number}. [1]",
        sources=[{"number": 1, "source_url": "https://book.example/nodes"}],
        mode="general",
        selected_text=None,
        chunks_retrieved=5,
        latency_ms=12.5,
        created_at_s=1_700_000_000.5 + number,
    )


@pytest.mark.spec("004 FR-013")
async def test_an_exchange_is_two_messages(
    client: httpx2.AsyncClient, sessions: FakeSessions
) -> None:
    sessions.kept = [exchange(1)]

    reply = await client.get(PATH)

    assert reply.status_code == 200
    assert reply.json() == {
        "session_id": SESSION,
        "messages": [
            {
                "id": "e1-user",
                "role": "user",
                "content": "Question 1?",
                "sources": None,
                "mode": "general",
                "created_at": "2023-11-14T22:13:21.500000Z",
            },
            {
                "id": "e1-assistant",
                "role": "assistant",
                "content": "Answer 1. [1]",
                "sources": [{"number": 1, "source_url": "https://book.example/nodes"}],
                "mode": "general",
                "created_at": "2023-11-14T22:13:21.500000Z",
            },
        ],
    }


async def test_the_oldest_comes_first(client: httpx2.AsyncClient, sessions: FakeSessions) -> None:
    sessions.kept = [exchange(number) for number in range(30)]

    reply = await client.get(PATH, params={"limit": 2})

    contents = [message["content"] for message in reply.json()["messages"]]
    assert contents == ["Question 28?", "Answer 28. [1]", "Question 29?", "Answer 29. [1]"]


async def test_twenty_exchanges_come_at_most(
    client: httpx2.AsyncClient, sessions: FakeSessions
) -> None:
    for limit in ({}, {"limit": 1}, {"limit": 20}):
        assert (await client.get(PATH, params=limit)).status_code == 200
    for bad in ("0", "21", "-1", "x", "1.5", "", "true", "9" * 30):
        error = check(await client.get(PATH, params={"limit": bad}), 400, "validation_error")
        assert error["details"] == {"field": "limit"}

    assert sessions.limits == [20, 1, 20]


async def test_a_session_that_is_not_known_is_empty(client: httpx2.AsyncClient) -> None:
    reply = await client.get(PATH)

    assert reply.status_code == 200
    assert reply.json() == {"session_id": SESSION, "messages": []}


async def test_capitals_make_no_other_session(
    client: httpx2.AsyncClient, sessions: FakeSessions
) -> None:
    sessions.kept = [exchange(1)]

    reply = await client.get(f"/conversations/{SESSION.upper()}")

    assert reply.json()["session_id"] == SESSION
    assert len(reply.json()["messages"]) == 2


@pytest.mark.parametrize("name", NO_SESSIONS)
@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_only_a_uuid_of_version_4_names_a_session(
    client: httpx2.AsyncClient, method: str, name: str
) -> None:
    check(await client.request(method, f"/conversations/{name}"), 400, "invalid_session_id")


async def test_a_conversation_can_be_forgotten(
    client: httpx2.AsyncClient, sessions: FakeSessions
) -> None:
    sessions.kept = [exchange(1), exchange(2)]

    first, second = await client.delete(PATH), await client.delete(PATH)

    assert first.json() == {"session_id": SESSION, "deleted": 2}
    assert second.json() == {"session_id": SESSION, "deleted": 0}


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_a_database_that_is_away_is_503(
    client: httpx2.AsyncClient, sessions: FakeSessions, method: str
) -> None:
    sessions.refusal = HistoryUnavailable("Conversations cannot be read now")

    check(await client.request(method, PATH), 503, "history_unavailable")


async def test_no_log_has_a_session_or_a_question(
    client: httpx2.AsyncClient, sessions: FakeSessions, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        await client.get(PATH)
        await client.get(f"{PATH}/more")
        await client.delete(PATH)
        await client.put(PATH)
        for path in ("/chat", "/chat/stream"):
            await client.post(path, json={**ASKED, "session_id": SESSION})
            await client.post(path, json={**ASKED, "session_id": SESSION, "top_k": 0})
        sessions.refusal = HistoryUnavailable("Away")
        await client.get(PATH)

    said = "\n".join(str(vars(record)) for record in caplog.records if record.name[:5] == "sourc")
    assert "/conversations/{session_id}" in said
    assert SESSION not in said
    assert ASKED["query"] not in said
