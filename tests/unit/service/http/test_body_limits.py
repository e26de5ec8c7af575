"""Bodies are counted while they arrive, whatever their headers say."""

import asyncio
from collections.abc import AsyncIterator

import httpx2
import pytest

from sourcebook.service.http import body_limits
from sourcebook.service.http.body_limits import RANKING, SMALL, UPLOAD, WEBHOOK, body_limit_of

JSON = {"Content-Type": "application/json"}


class Stream:
    """A body without an end, which knows how much of it was taken."""

    def __init__(self) -> None:
        self.taken = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for _ in range(10_000):
            self.taken += 64 * 1024
            yield b" " * 64 * 1024


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/query", SMALL),
        ("/collections", SMALL),
        ("/collections/robotics/metadata", SMALL),
        ("/collections/robotics/documents", UPLOAD),
        ("/collections/robotics/documents/all", SMALL),
        ("/rerank", RANKING),
        ("/search", SMALL),
        ("/ingestion/trigger", SMALL),
        ("/ingestion/webhook/github", WEBHOOK),
        ("/ingestion/webhook/github/", SMALL),
        ("/anything/documents", SMALL),
        ("/api/rag/ingest", UPLOAD),
        ("/api/rag/ingest/batch", UPLOAD),
        ("/api/rag/ingest/jobs", UPLOAD),
        ("/api/rag/documents", UPLOAD),
        ("/api/rag/documents/1", SMALL),
        ("/api/rag/search", SMALL),
    ],
)
def test_only_documents_candidates_and_pushes_may_be_large(
    path: str, allowed: body_limits.BodyLimit
) -> None:
    assert body_limit_of(path) == allowed


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/query"), ("POST", "/collections"), ("PUT", "/collections/a/metadata")],
)
async def test_an_endless_body_is_cut_off(
    client: httpx2.AsyncClient, method: str, path: str
) -> None:
    stream = Stream()

    reply = await client.request(method, path, content=stream, headers=JSON)

    assert reply.status_code == 413
    assert reply.json() == {"detail": "The body is larger than 256 KiB; send less at once"}
    assert reply.headers["connection"] == "close"
    # A little more is taken and thrown away, so that the client can read the answer.
    assert stream.taken <= SMALL.max_bytes + body_limits.MAX_DRAIN_BYTES + 2 * 64 * 1024


async def test_a_body_that_announces_too_much_is_refused_at_once(
    client: httpx2.AsyncClient,
) -> None:
    stream = Stream()
    headers = {**JSON, "Content-Length": str(10**12)}

    reply = await client.post("/query", content=stream, headers=headers)

    assert reply.status_code == 413
    assert stream.taken <= body_limits.MAX_DRAIN_BYTES + 2 * 64 * 1024


async def test_a_body_at_the_limit_is_read(client: httpx2.AsyncClient) -> None:
    body = b'{"query": "a", "collection": "nowhere"}'

    at, over = [
        await client.post("/query", content=body.ljust(size), headers=JSON)
        for size in (SMALL.max_bytes, SMALL.max_bytes + 1)
    ]

    assert (at.status_code, over.status_code) == (404, 413)


async def test_a_body_that_never_ends_to_arrive_is_given_up(
    client: httpx2.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def dribble() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.Event().wait()

    monkeypatch.setattr(
        body_limits, "SMALL", body_limits.BodyLimit(SMALL.max_bytes, timeout_s=0.05)
    )

    reply = await client.post("/query", content=dribble(), headers=JSON)

    assert reply.status_code == 408
    assert "did not arrive" in reply.json()["detail"]
