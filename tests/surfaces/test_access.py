"""Writes need the admin key where other machines can reach us; reads never do."""

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
]


@pytest.fixture
async def guarded(use_cases: UseCases) -> AsyncIterator[httpx2.AsyncClient]:
    async with open_client(use_cases, KEY.encode()) as client:
        yield client


@pytest.mark.parametrize(("method", "path"), WRITES)
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-API-Key": ""},
        {"X-API-Key": "wrong"},
        {"X-Admin-API-Key": "clé".encode().decode("latin-1")},
        {"Authorization": f"Basic {KEY}"},
        {"Authorization": "Bearer"},
    ],
)
async def test_no_write_without_the_key(
    guarded: httpx2.AsyncClient, ledger: Ledger, method: str, path: str, headers: dict[str, str]
) -> None:
    # The body is not even JSON: the key is checked before anything is read.
    raw = {name.encode(): value.encode("latin-1") for name, value in headers.items()}
    reply = await guarded.request(method, path, content=b"{", headers=raw)

    assert reply.status_code == 401
    assert list(reply.json()) == ["detail"]
    assert reply.headers["www-authenticate"] == "Bearer"
    assert await ledger.collections.all() == []


@pytest.mark.parametrize(
    "headers",
    [{"X-API-Key": KEY}, {"X-Admin-API-Key": KEY}, {"Authorization": f"Bearer {KEY}"}],
)
async def test_the_key_opens_writes(guarded: httpx2.AsyncClient, headers: dict[str, str]) -> None:
    reply = await guarded.post("/collections", json=BODY, headers=headers)

    assert reply.status_code == 200


async def test_reads_need_no_key(guarded: httpx2.AsyncClient, embedder: FakeEmbedder) -> None:
    await guarded.post("/collections", json=BODY, headers={"X-API-Key": KEY})

    for path in ("/collections", "/collections/robotics", "/collections/robotics/documents"):
        assert (await guarded.get(path)).status_code == 200
    asked = await guarded.post("/query", json={"collection": "robotics", "query": "a"})
    assert asked.status_code == 200


async def test_every_route_that_changes_something_is_guarded(use_cases: UseCases) -> None:
    async with open_client(use_cases, KEY.encode()) as client:
        document = (await client.get("/openapi.json")).json()
    reads = {"POST /query", "POST /rerank"}
    changing = {
        (method.upper(), path.replace("{name}", "robotics"))
        for path, methods in document["paths"].items()
        for method in methods
        if method != "get" and f"{method.upper()} {path}" not in reads
    }

    assert changing == set(WRITES)


async def test_guessing_is_slowed_down(guarded: httpx2.AsyncClient) -> None:
    async def guess(key: str) -> int:
        headers = {"X-API-Key": key}
        return (await guarded.post("/collections", json=BODY, headers=headers)).status_code

    statuses = [await guess(f"guess-{n}") for n in range(6)]

    assert statuses == [401, 401, 401, 401, 401, 429]
    # Even the right key has to wait now: otherwise a guess could still be told from a miss.
    assert await guess(KEY) == 429
    assert (await guarded.get("/collections")).status_code == 200
