"""Every status has one set of keys, and no error tells what is inside."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import httpx2
import pytest

from sourcebook.core.errors import (
    Conflict,
    EmbeddingFailed,
    ModelNotLoaded,
    Overloaded,
    RateLimited,
    RetrievalUnavailable,
    SourcebookError,
)
from sourcebook.core.posted_documents import PostedDocument, PostReceipt
from sourcebook.core.search_modes import SearchMode
from sourcebook.search.posted_documents import DocumentQuery
from sourcebook.service.http import body_limits
from sourcebook.surfaces.errors import INTERNAL
from sourcebook.surfaces.use_cases import UseCases
from tests.conftest import open_client
from tests.fakes import FakeEmbedder
from tests.surfaces.rag_v3.postings import DOCUMENTS, INGEST, JOBS, JSON, SEARCH, posting

KEY = "a-long-enough-admin-key"
DIALECT = {
    400: ["error", "message", "details"],
    401: ["error", "message"],
    403: ["error", "message"],
    404: ["error", "message"],
    405: ["error", "message"],
    408: ["error", "message"],
    409: ["error", "message"],
    413: ["error", "message"],
    415: ["error", "message"],
    429: ["error", "message"],
    500: ["error", "message"],
    503: ["error", "message"],
}


class _Failing:
    """Stands for inbox and documents; every call fails."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def put(self, posting: PostedDocument) -> PostReceipt:
        raise self._error

    async def search(
        self,
        question: str,
        limit: int,
        least: float,
        wanted: DocumentQuery,
        mode: SearchMode | None,
    ) -> None:
        raise self._error


async def failing(use_cases: UseCases, error: Exception) -> tuple[httpx2.Response, ...]:
    """The replies of a service in which something fails, to a document and to a question."""
    broken = _Failing(error)
    use_cases = replace(use_cases, inbox=broken, documents=broken)  # type: ignore[arg-type]
    async with open_client(use_cases) as client:
        return (
            await client.post(INGEST, json=posting()),
            await client.post(SEARCH, json={"query": "a"}),
        )


def check(reply: httpx2.Response, status: int, error: str) -> None:
    """The status, in the dialect."""
    assert reply.status_code == status, reply.text
    said = reply.json()
    assert list(said) == DIALECT[status]
    assert said["error"] == error
    if status == 400:
        assert list(said["details"]) == ["field", "message"]
        assert said["message"] == said["details"]["message"]
    assert said["message"]


@pytest.fixture
async def guarded(use_cases: UseCases) -> AsyncIterator[httpx2.AsyncClient]:
    async with open_client(use_cases, KEY.encode()) as client:
        yield client


@pytest.mark.spec("003 5")
async def test_a_refused_request_has_the_keys_of_its_status(client: httpx2.AsyncClient) -> None:
    plain = {"Content-Type": "text/plain"}
    evil = {"Origin": "http://evil.example"}

    check(await client.post(INGEST, json={}), 400, "Validation error")
    check(await client.post(INGEST, json={}, headers=evil), 403, "Forbidden")
    check(await client.get(f"{DOCUMENTS}/x"), 404, "Not found")
    check(await client.get("/api/rag/nowhere"), 404, "Not found")
    check(await client.get("/api/rag"), 404, "Not found")
    check(await client.put(INGEST, json={}), 405, "Method not allowed")
    check(await client.post(INGEST, content=b"{}", headers=plain), 415, "Unsupported media type")
    check(await client.post(SEARCH, content=b"a=b"), 415, "Unsupported media type")


@pytest.mark.spec("003 5")
@pytest.mark.parametrize(
    ("error", "status", "word", "message", "retry_after"),
    [
        (
            EmbeddingFailed("No"),
            503,
            "Service Unavailable",
            f"Embeddings service is not available: {EmbeddingFailed.reader_message}",
            None,
        ),
        (
            RateLimited("Wait", retry_after_s=2.1),
            503,
            "Service Unavailable",
            f"Embeddings service is not available: {RateLimited.reader_message}",
            "3",
        ),
        (ModelNotLoaded("Not loaded"), 503, "Service Unavailable", "Not loaded", None),
        (
            RetrievalUnavailable("The vector store failed"),
            503,
            "Service Unavailable",
            RetrievalUnavailable.reader_message,
            None,
        ),
        (Overloaded("Busy"), 503, "Service Unavailable", "Busy", "1"),
        (Conflict("Re-index"), 409, "Conflict", "Re-index", None),
        (SourcebookError("Odd"), 500, "Internal server error", INTERNAL, None),
    ],
)
async def test_what_fails_has_the_contracts_word(
    use_cases: UseCases,
    error: SourcebookError,
    status: int,
    word: str,
    message: str,
    retry_after: str | None,
) -> None:
    for reply in await failing(use_cases, error):
        check(reply, status, word)
        assert reply.json() == {"error": word, "message": message}
        assert reply.headers.get("retry-after") == retry_after


@pytest.mark.spec("003 5")
async def test_a_crash_is_a_500_that_tells_nothing_inside(use_cases: UseCases) -> None:
    for reply in await failing(use_cases, RuntimeError("postgres://user:canary@host in /srv")):
        check(reply, 500, "Internal server error")
        assert "canary" not in reply.text
        assert "/srv" not in reply.text


async def test_a_failing_model_is_named_and_nothing_is_stored(
    client: httpx2.AsyncClient, embedder: FakeEmbedder
) -> None:
    embedder.failing = True

    reply = await client.post(INGEST, json=posting())

    check(reply, 503, "Service Unavailable")
    assert reply.json()["message"].startswith("Embeddings service is not available: ")
    assert (await client.get(DOCUMENTS)).json()["total"] == 0


async def test_a_wrong_key_is_401_and_guessing_429(guarded: httpx2.AsyncClient) -> None:
    refused = await guarded.post(INGEST, json=posting())
    check(refused, 401, "Unauthorized")
    assert refused.headers["www-authenticate"] == "Bearer"

    for _ in range(5):
        await guarded.post(INGEST, json=posting(), headers={"x-api-key": "wrong"})
    slowed = await guarded.post(INGEST, json=posting(), headers={"x-api-key": "wrong"})
    check(slowed, 429, "Too many requests")
    assert slowed.headers["retry-after"] == "60"


@pytest.mark.parametrize(
    "headers", [{"x-api-key": KEY}, {"Authorization": f"Bearer {KEY}"}, {"X-Admin-API-Key": KEY}]
)
async def test_the_key_opens_writes_and_reads_need_none(
    guarded: httpx2.AsyncClient, headers: dict[str, str]
) -> None:
    taken = await guarded.post(INGEST, json=posting(), headers=headers)

    document_id = taken.json()["documentId"]
    assert taken.json()["status"] == "created"
    for path in (DOCUMENTS, f"{DOCUMENTS}/{document_id}", f"{DOCUMENTS}/{document_id}/chunks"):
        assert (await guarded.get(path)).status_code == 200
    assert (await guarded.post(SEARCH, json={"query": "arm"})).status_code == 200
    assert (await guarded.get("/api/rag/metrics")).status_code == 200
    check(await guarded.delete(f"{DOCUMENTS}/{document_id}"), 401, "Unauthorized")
    gone = await guarded.delete(f"{DOCUMENTS}/{document_id}", headers=headers)
    assert gone.status_code == 200


@pytest.mark.parametrize("path", [INGEST, f"{INGEST}/batch", JOBS, DOCUMENTS])
async def test_documents_may_be_large_and_not_larger(client: httpx2.AsyncClient, path: str) -> None:
    headers = {**JSON, "Content-Length": str(body_limits.UPLOAD.max_bytes + 1)}

    reply = await client.post(path, content=b"", headers=headers)

    check(reply, 413, "Payload too large")
    assert body_limits.UPLOAD.max_bytes == 50 * 1024 * 1024


async def test_a_question_is_small(client: httpx2.AsyncClient) -> None:
    reply = await client.post(SEARCH, content=b" " * 300 * 1024, headers=JSON)

    check(reply, 413, "Payload too large")


async def test_a_body_that_never_ends_to_arrive_is_408(
    client: httpx2.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def dribble() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.Event().wait()

    slow = body_limits.BodyLimit(body_limits.SMALL.max_bytes, timeout_s=0.05)
    monkeypatch.setattr(body_limits, "SMALL", slow)

    reply = await client.post(SEARCH, content=dribble(), headers=JSON)

    check(reply, 408, "Request timeout")


async def test_a_model_that_was_changed_is_409(client: httpx2.AsyncClient) -> None:
    await client.post(INGEST, json=posting())
    other = {"metadata": {"embedding_model": "mxbai-large"}}
    await client.put("/collections/documents/metadata", json=other)

    check(await client.post(INGEST, json=posting(text="New.")), 409, "Conflict")
    assert (await client.post(SEARCH, json={"query": "arm"})).status_code == 200
