"""When a part is away the reply is 503, says which part, and tells nothing that is inside."""

from collections.abc import AsyncIterator
from dataclasses import replace

import httpx2
import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import (
    EmbeddingFailed,
    Overloaded,
    RateLimited,
    RetrievalUnavailable,
    SourcebookError,
)
from sourcebook.core.ports import Ledger
from sourcebook.search.book_query import BookQuery
from sourcebook.search.explanation import FoundHits
from sourcebook.service.wiring.storage import Storage
from sourcebook.service.wiring.use_cases import build_use_cases
from sourcebook.surfaces.use_cases import UseCases
from tests.conftest import open_client
from tests.fakes import FakeEmbedder
from tests.memory_store import MemoryStore
from tests.surfaces.book.sample_book import ADMIN, Library

ASKED = {"query": "a ros2 publisher"}


class _Failing:
    def __init__(self, error: Exception) -> None:
        self._error = error

    async def search(self, query: BookQuery) -> FoundHits:
        raise self._error


@pytest.mark.usefixtures("indexed")
async def test_a_failing_embedder_is_named(
    client: httpx2.AsyncClient, embedder: FakeEmbedder
) -> None:
    embedder.failing = True

    reply = await client.post("/search", json=ASKED)

    assert reply.status_code == 503
    assert reply.json() == {
        "detail": f"Search service unavailable (embedding: {EmbeddingFailed.reader_message})"
    }


@pytest.mark.spec("002 Edge: store unavailable")
async def test_a_store_that_lost_the_index_is_named(
    client: httpx2.AsyncClient, indexed: Library, store: MemoryStore, ledger: Ledger
) -> None:
    for index_id in await store.indexes():
        await store.drop(index_id)

    reply = await client.post("/search", json=ASKED)

    assert reply.status_code == 503
    assert reply.json()["detail"].startswith("Search service unavailable (")


async def test_a_model_that_is_not_loaded_is_named(
    indexed: Library, ledger: Ledger, store: MemoryStore
) -> None:
    other = EmbeddingModels([FakeEmbedder("another", revision="other")])
    use_cases = build_use_cases(Storage(ledger, store), other, None, indexed.parts)
    async with open_client(use_cases) as client:
        reply = await client.post("/search", json=ASKED)

    assert reply.status_code == 503
    assert "embedding: Embedding model 'minilm' not loaded" in reply.json()["detail"]


@pytest.mark.parametrize(
    ("error", "status", "says", "retry_after"),
    [
        (
            RetrievalUnavailable("The vector store does not answer"),
            503,
            f"Search service unavailable ({RetrievalUnavailable.reader_message})",
            None,
        ),
        (Overloaded("Busy"), 503, "Search service unavailable (Busy)", "1"),
        (
            EmbeddingFailed("No"),
            503,
            f"Search service unavailable (embedding: {EmbeddingFailed.reader_message})",
            None,
        ),
        (
            RateLimited("Wait", retry_after_s=2.1),
            503,
            f"Search service unavailable (embedding: {RateLimited.reader_message})",
            "3",
        ),
    ],
)
async def test_an_unavailable_part_is_503_with_the_time_to_wait_if_known(
    use_cases: UseCases,
    error: SourcebookError,
    status: int,
    says: str,
    retry_after: str | None,
) -> None:
    async with open_client(replace(use_cases, books=_Failing(error))) as client:  # type: ignore[arg-type]
        reply = await client.post("/search", json=ASKED)

    assert (reply.status_code, reply.json()) == (status, {"detail": says})
    assert reply.headers.get("retry-after") == retry_after


@pytest.fixture
async def crashing(use_cases: UseCases) -> AsyncIterator[httpx2.AsyncClient]:
    books = _Failing(RuntimeError("postgres://user:canary@host/db in /srv/secret"))
    async with open_client(replace(use_cases, books=books)) as client:  # type: ignore[arg-type]
        yield client


async def test_a_crash_is_a_500_that_tells_nothing_inside(crashing: httpx2.AsyncClient) -> None:
    reply = await crashing.post("/search", json=ASKED)

    assert reply.status_code == 500
    assert list(reply.json()) == ["detail"]
    assert "canary" not in reply.text
    assert "/srv" not in reply.text


async def test_a_source_that_is_away_is_not_the_search(
    client: httpx2.AsyncClient, indexed: Library
) -> None:
    indexed.source.away = True

    preview = await client.get("/ingestion/changes", headers=ADMIN)
    search = await client.post("/search", json=ASKED)

    assert preview.status_code == 503
    assert preview.json() == {"detail": "The docs folder is not there"}
    assert search.status_code == 200
