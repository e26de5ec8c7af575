"""Every error has the keys of the contract, the code of its taxonomy, and its status."""

import asyncio
from collections.abc import AsyncIterator

import httpx2
import pytest

from sourcebook.core.answers import TextPiece
from sourcebook.core.errors import (
    AgentTimeout,
    AgentUnavailable,
    Conflict,
    EmbeddingFailed,
    HistoryUnavailable,
    InvalidInput,
    ModelNotLoaded,
    NotFound,
    Overloaded,
    RateLimited,
    RetrievalUnavailable,
    SourcebookError,
    TooManyRequests,
    Unavailable,
)
from sourcebook.service.http import body_limits
from sourcebook.surfaces.errors import INTERNAL
from tests.surfaces.chat.chat_client import ASKED, SESSION, check
from tests.surfaces.chat.fake_sessions import FakeSessions

SECRET = "postgres://user:canary@host/db"
JSON = {"Content-Type": "application/json"}

TAXONOMY: list[tuple[SourcebookError, int, str, int | None]] = [
    (InvalidInput("x"), 400, "validation_error", None),
    (NotFound("x"), 404, "not_found", None),
    (Conflict("x"), 409, "conflict", None),
    (TooManyRequests("x", 1.2), 429, "rate_limited", 2),
    (TooManyRequests("x", -1.0), 429, "rate_limited", 1),
    (Overloaded("x"), 429, "rate_limited", 1),
    (RetrievalUnavailable("x"), 503, "retrieval_unavailable", 5),
    (EmbeddingFailed("x"), 503, "embedding_failed", 5),
    (RateLimited("x"), 503, "embedding_failed", 5),
    (RateLimited("x", 7.0), 503, "embedding_failed", 7),
    (ModelNotLoaded("x"), 503, "embedding_failed", None),
    (AgentUnavailable("x"), 503, "agent_unavailable", None),
    (AgentUnavailable("x", 6.5), 503, "agent_unavailable", 7),
    (AgentTimeout("x"), 503, "agent_unavailable", None),
    (Unavailable("x"), 503, "agent_unavailable", None),
    (HistoryUnavailable("x"), 503, "history_unavailable", 5),
    (SourcebookError("x"), 500, "internal_error", None),
]


@pytest.mark.spec("004 FR-010")
@pytest.mark.spec("004 SC-009")
@pytest.mark.parametrize("path", ["/chat", "/chat/stream"])
@pytest.mark.parametrize(("error", "status", "code", "retry_after"), TAXONOMY)
async def test_each_error_has_its_code_and_status(
    client: httpx2.AsyncClient,
    sessions: FakeSessions,
    path: str,
    error: SourcebookError,
    status: int,
    code: str,
    retry_after: int | None,
) -> None:
    sessions.refusal = error

    said = check(await client.post(path, json=ASKED), status, code)

    assert said["retry_after"] == retry_after
    assert said["message"] == (INTERNAL if status == 500 else error.public_message)


@pytest.mark.spec("004 Edge: store unreachable")
async def test_a_store_that_is_away_is_said_so(
    client: httpx2.AsyncClient, sessions: FakeSessions
) -> None:
    sessions.refusal = RetrievalUnavailable("The index cannot be reached; try again in a moment")

    check(await client.post("/chat", json=ASKED), 503, "retrieval_unavailable")


@pytest.mark.spec("004 Edge: embedding failure")
async def test_an_embedder_that_fails_is_said_so(
    client: httpx2.AsyncClient, sessions: FakeSessions
) -> None:
    sessions.refusal = EmbeddingFailed("The model gave no vector")

    check(await client.post("/chat", json=ASKED), 503, "embedding_failed")


async def test_an_error_in_the_middle_of_an_answer_is_a_status_without_a_stream(
    client: httpx2.AsyncClient, sessions: FakeSessions
) -> None:
    sessions.story = [TextPiece("A node is"), AgentUnavailable("The model is away")]

    check(await client.post("/chat", json=ASKED), 503, "agent_unavailable")
    assert sessions.unclosed == 0


async def test_a_crash_is_a_500_that_tells_nothing_inside(
    client: httpx2.AsyncClient, sessions: FakeSessions, caplog: pytest.LogCaptureFixture
) -> None:
    sessions.refusal = RuntimeError(f"cannot reach {SECRET}")

    reply = await client.post("/chat/stream", json=ASKED)

    check(reply, 500, "internal_error")
    assert SECRET not in reply.text
    assert "request_crashed" in caplog.messages


@pytest.mark.parametrize("path", ["/chat", "/chat/stream"])
async def test_an_answer_has_as_long_as_its_sessions_allow(
    client: httpx2.AsyncClient, sessions: FakeSessions, path: str
) -> None:
    sessions.timeout_s = 0.05
    sessions.lookup = asyncio.Event()

    said = check(await client.post(path, json=ASKED), 503, "agent_unavailable")

    assert said["message"] == "The answer took longer than 0.05 s; try a shorter question"
    assert sessions.looking_up == 0


@pytest.mark.parametrize(
    ("method", "path", "headers", "body", "status", "code"),
    [
        ("GET", "/chat", {}, b"", 405, "method_not_allowed"),
        ("PUT", f"/conversations/{SESSION}", {}, b"", 405, "method_not_allowed"),
        ("POST", "/chat/nowhere", JSON, b"{}", 404, "not_found"),
        ("GET", "/conversations", {}, b"", 404, "not_found"),
        ("GET", "/conversations/a%2Fb", {}, b"", 404, "not_found"),
        ("POST", "/chat", {"Content-Type": "text/plain"}, b"{}", 415, "unsupported_media_type"),
        ("POST", "/chat", JSON, b" " * (body_limits.SMALL.max_bytes + 1), 413, "payload_too_large"),
        ("POST", "/chat", {**JSON, "Origin": "http://evil.example"}, b"{}", 403, "forbidden"),
    ],
)
async def test_what_the_framework_refuses_is_in_the_dialect(
    client: httpx2.AsyncClient,
    method: str,
    path: str,
    headers: dict[str, str],
    body: bytes,
    status: int,
    code: str,
) -> None:
    check(await client.request(method, path, headers=headers, content=body), status, code)


async def test_a_body_that_does_not_arrive_is_408(
    client: httpx2.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(body_limits, "SMALL", body_limits.BodyLimit(1_000, timeout_s=0.01))

    class Slow:
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield b"{"
            await asyncio.sleep(5)

    check(await client.post("/chat", content=Slow(), headers=JSON), 408, "request_timeout")


@pytest.mark.spec("004 Edge: endpoint not found")
@pytest.mark.parametrize("path", ["/nowhere", "/docs/assets/nothing.js", "/api", "/chats"])
async def test_where_nobody_else_speaks_the_chat_does(
    client: httpx2.AsyncClient, path: str
) -> None:
    check(await client.get(path), 404, "not_found")


@pytest.mark.parametrize(
    ("path", "keys"),
    [
        ("/collections/a/b/c", ["detail"]),
        ("/lesson", ["detail"]),
        ("/api/rag/nowhere", ["error", "message"]),
    ],
)
async def test_a_404_below_a_prefix_is_in_its_dialect(
    client: httpx2.AsyncClient, path: str, keys: list[str]
) -> None:
    reply = await client.get(path)

    assert (reply.status_code, list(reply.json())) == (404, keys)
