"""What is indexed, and how the service is doing."""

from typing import Literal

import httpx2
import pytest

from sourcebook.core.health import Condition, ServiceHealth
from tests.memory_store import MemoryStore
from tests.surfaces.book.sample_book import ADMIN, BOOK, LESSONS, Library

INFO_KEYS = {
    "name",
    "status",
    "message",
    "points_count",
    "vectors_count",
    "book_id",
    "files_indexed",
    "total_chunks",
    "chunks_by_module",
    "embedding_model",
    "dimensions",
    "indexed_commit",
    "last_indexed_at",
}


@pytest.mark.spec("002 FR-021")
async def test_info_counts_what_is_indexed(client: httpx2.AsyncClient, library: Library) -> None:
    library.source.commit = "c0ffee"
    await client.post("/ingestion/trigger", headers=ADMIN)
    await library.work_off()

    info = (await client.get("/info")).json()

    assert info.keys() == INFO_KEYS
    assert (info["name"], info["status"], info["book_id"]) == ("book", "green", BOOK)
    assert info["files_indexed"] == len(LESSONS)
    assert info["chunks_by_module"] == {"ros2": 6, "gazebo": 1, "vla": 1}
    assert info["total_chunks"] == info["points_count"] == info["vectors_count"] == 8
    assert (info["embedding_model"], info["dimensions"]) == ("minilm", 64)
    assert info["indexed_commit"] == "c0ffee"
    assert info["last_indexed_at"] == "1970-01-12T13:46:40Z"


@pytest.mark.parametrize("asked", [{}, {"book_id": "another"}])
async def test_a_book_of_which_nothing_is_indexed_is_empty(
    client: httpx2.AsyncClient, asked: dict[str, str]
) -> None:
    info = (await client.get("/info", params=asked)).json()

    assert info.keys() == INFO_KEYS
    assert (info["status"], info["total_chunks"], info["chunks_by_module"]) == ("empty", 0, {})
    assert (info["name"], info["last_indexed_at"]) == (None, None)


async def test_another_book_shares_nothing(client: httpx2.AsyncClient, indexed: Library) -> None:
    info = (await client.get("/info", params={"book_id": "another"})).json()

    assert (info["status"], info["files_indexed"], info["last_indexed_at"]) == ("empty", 0, None)


@pytest.mark.spec("002 SC-008")
@pytest.mark.parametrize(
    ("store_is", "status"), [("up", "green"), ("degraded", "yellow"), ("down", "red")]
)
async def test_info_tells_the_real_state_of_the_store(
    client: httpx2.AsyncClient,
    indexed: Library,
    store: MemoryStore,
    monkeypatch: pytest.MonkeyPatch,
    store_is: Condition,
    status: str,
) -> None:
    async def check() -> ServiceHealth:
        return ServiceHealth(store_is, message="It answers with errors")

    monkeypatch.setattr(store, "check", check)

    info = (await client.get("/info")).json()

    assert info["status"] == status
    assert (info["message"] is None) == (store_is == "up")
    assert info["total_chunks"] > 0


@pytest.mark.spec("002 US5.1")
@pytest.mark.spec("002 FR-020")
@pytest.mark.spec("002 SC-008")
@pytest.mark.parametrize(
    ("store_is", "words"),
    [("up", ("healthy", "connected", "green")), ("down", ("degraded", "error", "It is away"))],
)
async def test_health_tells_whether_the_store_is_connected(
    client: httpx2.AsyncClient,
    store: MemoryStore,
    monkeypatch: pytest.MonkeyPatch,
    store_is: Literal["up", "down"],
    words: tuple[str, str, str],
) -> None:
    async def check() -> ServiceHealth:
        return ServiceHealth(store_is, message=None if store_is == "up" else "It is away")

    monkeypatch.setattr(store, "check", check)

    reply = await client.get("/health")

    assert reply.status_code == 200
    assert tuple(reply.json()[word] for word in ("status", "qdrant", "collection")) == words
