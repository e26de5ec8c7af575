"""What fails inside is told in plain words on every surface; the log has the rest.

A part that is away is a 503 that names no index, model or address; what nobody expected is a 500
without a stack. Both carry ids that lead to the log.
"""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

import httpx2
import pytest

from sourcebook.core.errors import (
    EmbeddingFailed,
    EmbeddingRefused,
    LeaseLost,
    RateLimited,
    RetrievalUnavailable,
    SourcebookError,
)
from sourcebook.surfaces.errors import INTERNAL
from sourcebook.surfaces.use_cases import UseCases
from tests.conftest import open_client

SECRET = "postgres://user:canary@host/db"
CHAT_KEYS = {"error_code", "message", "details", "retry_after", "trace_id"}
QUESTION = {"query": "What is a node?"}

# A request of each contract, and the keys of its errors.
REQUESTS: Mapping[tuple[str, str], tuple[object, set[str]]] = {
    ("POST", "/query"): ({**QUESTION, "collection": "robotics"}, {"detail"}),
    ("GET", "/collections/robotics"): (None, {"detail"}),
    ("POST", "/search"): (QUESTION, {"detail"}),
    ("POST", "/api/rag/search"): (QUESTION, {"error", "message"}),
    ("POST", "/api/chat"): ({"message": "What is a node?"}, {"status", "error", "message"}),
    ("POST", "/chat"): (QUESTION, CHAT_KEYS),
    ("POST", "/chat/stream"): (QUESTION, CHAT_KEYS),
    ("GET", "/providers/openai/health"): (None, {"detail"}),
    ("GET", "/health"): (None, CHAT_KEYS),
}
SEARCHES = [key for key in REQUESTS if key[0] == "POST"]


class Failing:
    """A use case of which every call that waits for something fails."""

    timeout_s = 30.0

    def __init__(self, error: Exception) -> None:
        self._error = error

    def choose_model(self, name: str | None) -> str | None:
        return name

    def __getattr__(self, name: str) -> Callable[..., Awaitable[None]]:
        async def fail(*_: object, **__: object) -> None:
            raise self._error

        return fail


@asynccontextmanager
async def failing(use_cases: UseCases, error: Exception) -> AsyncIterator[httpx2.AsyncClient]:
    """A client of a service of which all use cases fail."""
    names = ("catalog", "searcher", "books", "documents", "chats", "sessions", "providers")
    broken = replace(use_cases, monitor=Failing(error), **dict.fromkeys(names, Failing(error)))  # type: ignore[arg-type]
    async with open_client(broken) as client:
        yield client


async def ask(client: httpx2.AsyncClient, request: tuple[str, str]) -> httpx2.Response:
    return await client.request(*request, json=REQUESTS[request][0])


def only(caplog: pytest.LogCaptureFixture, event: str) -> logging.LogRecord:
    (record,) = [found for found in caplog.records if found.message == event]
    return record


@pytest.mark.parametrize("request_", REQUESTS, ids=" ".join)
async def test_a_crash_is_a_500_in_the_words_of_its_contract(
    use_cases: UseCases, request_: tuple[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    async with failing(use_cases, RuntimeError(f"cannot reach {SECRET}")) as client:
        reply = await ask(client, request_)

    assert reply.status_code == 500
    assert set(reply.json()) == REQUESTS[request_][1]
    assert INTERNAL in reply.json().values()
    assert "canary" not in reply.text
    assert "Traceback" not in reply.text
    assert reply.headers["x-request-id"]
    assert reply.json().get("trace_id") in {None, reply.headers["x-trace-id"]}
    assert only(caplog, "request_crashed").exc_info


async def test_an_error_of_ours_that_no_contract_knows_is_a_crash(
    use_cases: UseCases, caplog: pytest.LogCaptureFixture
) -> None:
    for request in SEARCHES:
        caplog.clear()
        async with failing(use_cases, LeaseLost("worker 7 has job 'canary'")) as client:
            reply = await ask(client, request)

        assert (reply.status_code, "canary" in reply.text) == (500, False)
        assert only(caplog, "request_failed").exc_info


@pytest.mark.spec("004 FR-010")
@pytest.mark.parametrize("request_", SEARCHES, ids=" ".join)
@pytest.mark.parametrize(
    ("error", "says"),
    [
        (
            RetrievalUnavailable("The Qdrant server failed (status 500): searching index '264c'"),
            "The search index is not available right now",
        ),
        (
            EmbeddingFailed("The embedding service of model '264c' failed (status 500)"),
            "The embedding model is not available right now",
        ),
        (
            EmbeddingRefused("The embedding service of model '264c' refused the key (status 401)"),
            "The embedding model is not set up correctly",
        ),
        (
            RateLimited("The embedding service of model '264c' takes no more (status 429)", 7),
            "The embedding model takes no more requests right now",
        ),
    ],
    ids=["store", "embedder", "key", "rate limit"],
)
async def test_a_part_that_is_away_is_told_in_plain_words_and_logged_in_full(
    use_cases: UseCases,
    request_: tuple[str, str],
    error: SourcebookError,
    says: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with failing(use_cases, error) as client:
        reply = await ask(client, request_)

    assert reply.status_code == 503
    assert set(reply.json()) == REQUESTS[request_][1]
    assert says in reply.text
    assert "264c" not in reply.text
    assert "status" not in reply.text.replace('"status":"error"', "")
    record = only(caplog, "request_failed")
    assert (record.levelname, record.exc_info) == ("WARNING", None)
    assert vars(record)["reason"] == error.message


async def test_a_store_that_fails_is_logged_with_its_cause_in_one_line(
    use_cases: UseCases, caplog: pytest.LogCaptureFixture
) -> None:
    error = RetrievalUnavailable("The ledger (database) is not available")
    error.__cause__ = OSError("connection refused by 10.0.0.7\n[parameters: 'what was sent']")
    async with failing(use_cases, error) as client:
        reply = await ask(client, ("POST", "/search"))

    assert "10.0.0.7" not in reply.text
    record = only(caplog, "request_failed")
    assert vars(record)["cause"] == "OSError: connection refused by 10.0.0.7"
    assert record.exc_info is None


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/query", {**QUESTION, "collection": "robotics", "where": {"tier": {"$near": 3}}}),
        ("/query", {**QUESTION, "collection": "nowhere"}),
    ],
)
async def test_a_bad_request_is_one_line_in_the_log_without_a_stack(
    client: httpx2.AsyncClient,
    path: str,
    body: Mapping[str, object],
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.INFO):
        reply = await client.post(path, json=body)

    assert reply.status_code in {400, 404}
    assert all(record.exc_info is None for record in caplog.records)
    record = only(caplog, "request_failed")
    assert record.levelname == "INFO"
    assert vars(record)["reason"] in reply.text.replace('\\"', '"')


async def test_the_link_of_a_citation_without_a_website_says_what_is_missing(
    client: httpx2.AsyncClient,
) -> None:
    lesson = await client.get("/docs/module-1-ros2/nodes")
    other = await client.get("/nowhere")

    assert (lesson.status_code, other.status_code) == (404, 404)
    assert "FRONTEND_BASE_URL" in lesson.json()["message"]
    assert "FRONTEND_BASE_URL" not in other.json()["message"]
