"""Who may do what: reads are open, writes need the key unless only this machine can send them, and
administration needs it everywhere. What is not known to be public is closed."""

import re
from collections.abc import AsyncIterator

import httpx2
import pytest

from sourcebook.core.ports import Ledger
from sourcebook.surfaces.use_cases import UseCases
from tests.conftest import open_client
from tests.fakes import FakeEmbedder

KEY = "a-long-enough-admin-key"
BODY = {"name": "robotics", "embedding_model": "minilm"}

WRITES = [
    ("POST", "/collections"),
    ("DELETE", "/collections/robotics"),
    ("PUT", "/collections/robotics/metadata"),
    ("POST", "/collections/robotics/documents"),
    ("DELETE", "/collections/robotics/documents"),
    ("DELETE", "/collections/robotics/documents/all"),
    ("POST", "/collections/robotics/reindex"),
    ("POST", "/collections/robotics/reindex/rollback"),
    ("POST", "/collections/robotics/reindex/cancel"),
    ("POST", "/api/rag/ingest"),
    ("POST", "/api/rag/ingest/batch"),
    ("POST", "/api/rag/ingest/jobs"),
    ("POST", "/api/rag/documents"),
    ("DELETE", "/api/rag/documents/1"),
]
ADMINISTRATION = [
    ("POST", "/ingestion/trigger"),
    ("GET", "/ingestion/status"),
    ("GET", "/ingestion/status/1"),
    ("GET", "/books"),
    ("GET", "/books/1"),
    ("GET", "/books/1/files"),
    ("DELETE", "/books/1"),
    ("GET", "/ingestion/changes"),
    ("GET", "/ingestion/verify"),
    ("POST", "/ingestion/cancel/1"),
    ("GET", "/books"),
    ("GET", "/books/1"),
    ("GET", "/books/1/files"),
    ("DELETE", "/books/1"),
    ("POST", "/books/1/files"),
    ("DELETE", "/books/1/files/1"),
    ("POST", "/providers/1/test"),
    ("GET", "/feedback/marks"),
    ("DELETE", "/feedback/marks"),
    ("GET", "/feedback/questions"),
    ("DELETE", "/feedback/questions"),
    ("DELETE", "/feedback/questions/1"),
]
# Everything else that there is. The webhook checks a signature of its own.
PUBLIC = {
    "GET /",
    "GET /health",
    "GET /livez",
    "GET /readyz",
    "GET /metrics",
    "GET /collections",
    "GET /collections/robotics",
    "GET /collections/robotics/documents",
    "GET /collections/robotics/metadata-values",
    "GET /collections/robotics/reindex",
    "GET /query",
    "POST /query",
    "POST /rerank",
    "POST /collect",
    "POST /mcp",
    "GET /widget.js",
    "POST /topic",
    "POST /search",
    "GET /context/1",
    "GET /lesson/1",
    "GET /lesson/1/original",
    "GET /lesson/1/original/pages/1",
    "GET /lessons",
    "GET /room",
    "GET /room/questions",
    "GET /info",
    "POST /ingestion/webhook/github",
    "POST /api/chat",
    "POST /api/rag/search",
    "GET /api/rag/documents",
    "GET /api/rag/documents/1",
    "GET /api/rag/documents/1/chunks",
    "GET /api/rag/metrics",
    "GET /api/rag/ingest/jobs/1",
    "GET /api/rag/collections/1/info",
    "POST /chat",
    "POST /feedback/marks",
    "POST /chat/stream",
    "GET /providers",
    "GET /providers/1/schema",
    "GET /providers/1/health",
    "GET /llms.txt",
    "GET /llms-full.txt",
    "GET /llms/1.md",
    # These have keys of their own.
    "GET /v1/models",
    "GET /v1/models/1",
    "POST /v1/chat/completions",
    "POST /v1/responses",
    "POST /v1/embeddings",
    "POST /v1/rerank",
    "POST /v2/rerank",
    # A session's id is its key.
    "GET /conversations/1",
    "DELETE /conversations/1",
}
WRONG_KEYS: list[dict[str, str]] = [
    {},
    {"X-API-Key": ""},
    {"X-API-Key": "wrong"},
    {"X-Admin-API-Key": "clé".encode().decode("latin-1")},
    {"Authorization": f"Basic {KEY}"},
    {"Authorization": "Bearer"},
]
RIGHT_KEYS = [{"X-API-Key": KEY}, {"X-Admin-API-Key": KEY}, {"Authorization": f"Bearer {KEY}"}]


class Stream:
    """A gigabyte, which knows how much of it was taken."""

    def __init__(self) -> None:
        self.taken = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for _ in range(16 * 1024):
            self.taken += 64 * 1024
            yield b"{" * 64 * 1024


@pytest.fixture
async def guarded(use_cases: UseCases) -> AsyncIterator[httpx2.AsyncClient]:
    async with open_client(use_cases, KEY.encode(), admin=KEY.encode()) as client:
        yield client


@pytest.fixture
async def loopback(use_cases: UseCases) -> AsyncIterator[httpx2.AsyncClient]:
    """Writes are open, as on a loopback bind."""
    async with open_client(use_cases, key=None, admin=KEY.encode()) as client:
        yield client


@pytest.mark.parametrize(("method", "path"), [*WRITES, *ADMINISTRATION])
@pytest.mark.parametrize("headers", WRONG_KEYS)
async def test_nothing_that_is_not_public_goes_without_the_key(
    guarded: httpx2.AsyncClient,
    ledger: Ledger,
    embedder: FakeEmbedder,
    method: str,
    path: str,
    headers: dict[str, str],
) -> None:
    raw = {name.encode(): value.encode("latin-1") for name, value in headers.items()}
    stream = Stream()

    reply = await guarded.request(method, path, content=stream, headers=raw)

    assert reply.status_code == 401
    assert list(reply.json())[:2] in (["detail"], ["error", "message"], ["error_code", "message"])
    assert reply.headers["www-authenticate"] == "Bearer"
    # The key is checked before a byte is read.
    assert stream.taken == 0
    assert await ledger.collections.all() == []
    assert await ledger.jobs.recent(10) == []
    assert await ledger.jobs.recent(10, kind="documents") == []
    assert (embedder.batches, embedder.queries) == ([], [])


@pytest.mark.parametrize(("method", "path"), ADMINISTRATION)
@pytest.mark.parametrize("headers", WRONG_KEYS)
async def test_administration_needs_the_key_on_this_machine_too(
    loopback: httpx2.AsyncClient, ledger: Ledger, method: str, path: str, headers: dict[str, str]
) -> None:
    raw = {name.encode(): value.encode("latin-1") for name, value in headers.items()}

    reply = await loopback.request(method, path, headers=raw)

    assert reply.status_code == 401
    assert await ledger.jobs.recent(10) == []
    assert (await loopback.post("/collections", json=BODY)).status_code == 200


@pytest.mark.parametrize("headers", [{}, *RIGHT_KEYS])
async def test_without_a_configured_key_nobody_administers(
    client: httpx2.AsyncClient, headers: dict[str, str]
) -> None:
    assert (await client.get("/ingestion/status", headers=headers)).status_code == 401


@pytest.mark.parametrize("headers", RIGHT_KEYS)
async def test_the_key_opens_writes(guarded: httpx2.AsyncClient, headers: dict[str, str]) -> None:
    reply = await guarded.post("/collections", json=BODY, headers=headers)

    assert reply.status_code == 200


@pytest.mark.spec("002 FR-022")
@pytest.mark.parametrize("headers", RIGHT_KEYS)
async def test_the_key_opens_administration(
    guarded: httpx2.AsyncClient, headers: dict[str, str]
) -> None:
    assert (await guarded.get("/ingestion/status", headers=headers)).json() == []
    assert (await guarded.get("/ingestion/status/1", headers=headers)).status_code == 404


async def test_reads_need_no_key(guarded: httpx2.AsyncClient, embedder: FakeEmbedder) -> None:
    await guarded.post("/collections", json=BODY, headers={"X-API-Key": KEY})

    for path in ("/collections", "/collections/robotics", "/collections/robotics/documents"):
        assert (await guarded.get(path)).status_code == 200
    asked = await guarded.post("/query", json={"collection": "robotics", "query": "a"})
    assert asked.status_code == 200
    for path in ("/info", "/context/1", "/lesson/1"):
        assert (await guarded.get(path)).status_code in {200, 404}
    assert (await guarded.post("/search", json={"query": "a question"})).status_code == 200


async def test_every_route_is_public_on_purpose_or_needs_the_key(
    guarded: httpx2.AsyncClient,
) -> None:
    document = (await guarded.get("/openapi.json")).json()

    routes = {
        f"{method.upper()} {re.sub('{[^}]+}', '1', path.replace('{name}', 'robotics'))}"
        for path, methods in document["paths"].items()
        for method in methods
    }

    assert routes - PUBLIC == {" ".join(route) for route in [*WRITES, *ADMINISTRATION]}
    assert routes >= PUBLIC


async def test_guessing_is_slowed_down(guarded: httpx2.AsyncClient) -> None:
    async def guess(key: str) -> int:
        headers = {"X-API-Key": key}
        return (await guarded.post("/collections", json=BODY, headers=headers)).status_code

    statuses = [await guess(f"guess-{n}") for n in range(6)]

    assert statuses == [401, 401, 401, 401, 401, 429]
    # Whoever guesses, perhaps through the same proxy, cannot keep the owner of the key away.
    assert await guess(KEY) == 200
    assert await guess("guess-6") == 429
    assert (await guarded.get("/collections")).status_code == 200
