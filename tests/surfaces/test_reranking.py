"""What a reranker changes on each surface, and what it does not."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import httpx2
import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import Unavailable
from sourcebook.core.ports import Ledger
from sourcebook.search.books import Books
from sourcebook.search.posted_documents import PostedDocuments
from sourcebook.search.reranking import HitReranker
from sourcebook.search.searcher import Searcher
from sourcebook.surfaces.use_cases import UseCases
from tests.conftest import open_client
from tests.fakes import FakeReranker
from tests.memory_store import MemoryStore

ASKED = "robot arm joint"
# The first is the nearest; only the reranker finds that the last has most of the words.
TEXTS = ["robot arm", "robot arm arm", "robot arm joint with so many other words of no use at all"]


class Moody(FakeReranker):
    """A reranker that can fail."""

    failing = False

    async def score(self, query: str, texts: Sequence[str]) -> list[float]:
        if self.failing:
            raise Unavailable("The reranker is away")
        return await super().score(query, texts)


@pytest.fixture
def reranker() -> Moody:
    return Moody()


@pytest.fixture
async def client(
    use_cases: UseCases,
    ledger: Ledger,
    store: MemoryStore,
    models: EmbeddingModels,
    reranker: Moody,
) -> AsyncIterator[httpx2.AsyncClient]:
    searcher = Searcher(ledger, store, models, reranking=HitReranker(reranker))
    use = replace(
        use_cases,
        searcher=searcher,
        books=Books(ledger, searcher, "book"),
        documents=PostedDocuments(ledger, searcher, "documents"),
    )
    async with open_client(use) as client:
        await client.post("/collections", json={"name": "book", "embedding_model": "minilm"})
        about = {"book_id": use.book_rules.book_id}
        documents = [{"id": f"d{n}", "text": t, "metadata": about} for n, t in enumerate(TEXTS)]
        await client.post("/collections/book/documents", json={"documents": documents})
        for number, text in enumerate(TEXTS):
            posting = {"source": "nas", "path": f"/{number}", "title": f"d{number}", "text": text}
            assert (await client.post("/api/rag/ingest", json=posting)).status_code == 200
        yield client


async def test_query_is_in_the_rerankers_order_and_shows_both_scores(
    client: httpx2.AsyncClient,
) -> None:
    body = {"query": ASKED, "collection": "book", "top_k": 2}

    reply = (await client.post("/query", json=body)).json()

    first, second = reply["results"]
    assert (first["id"], first["rerank_score"]) == ("d2", 0.5)
    assert (second["id"], second["rerank_score"]) == ("d0", -0.5)
    assert first["score"] == pytest.approx(1 - first["distance"])
    assert first["distance"] > second["distance"]
    assert "note" not in reply


async def test_a_query_that_was_not_reranked_says_so(
    client: httpx2.AsyncClient, reranker: Moody
) -> None:
    reranker.failing = True
    body = {"query": ASKED, "collection": "book", "top_k": 2}

    reply = (await client.post("/query", json=body)).json()

    assert [hit["id"] for hit in reply["results"]] == ["d0", "d1"]
    assert reply["note"] == "not reranked: the reranker failed"
    assert all("rerank_score" not in hit for hit in reply["results"])


async def test_a_book_search_is_in_the_rerankers_order_and_explains_it(
    client: httpx2.AsyncClient, reranker: Moody
) -> None:
    body = {"query": ASKED, "limit": 2, "explain": True}

    found = (await client.post("/search", json=body)).json()

    assert [hit["text"] for hit in found["results"]] == [TEXTS[2], TEXTS[0]]
    assert [entry["rerank_score"] for entry in found["explain"]["results"]] == [0.5, -0.5]
    assert found["explain"]["reranking_ms"] >= 0
    assert "rerank_score" not in found["results"][0]

    reranker.failing = True
    found = (await client.post("/search", json=body)).json()

    assert found["explain"]["note"] == "not reranked: the reranker failed"


@pytest.mark.spec("003 1 search")
async def test_contract_003_keeps_its_order_and_its_fields(client: httpx2.AsyncClient) -> None:
    found = (await client.post("/api/rag/search", json={"query": ASKED, "topK": 2})).json()

    titles = [result["metadata"]["title"] for result in found["results"]]
    scores = [result["score"] for result in found["results"]]
    # The reranker chose which; they are sorted by score, as the contract has it.
    assert titles == ["d0", "d2"]
    assert scores == sorted(scores, reverse=True)
    assert all(list(result) == ["text", "score", "metadata"] for result in found["results"])


async def test_a_least_score_is_of_the_vectors_and_counts_first(client: httpx2.AsyncClient) -> None:
    every = (await client.post("/api/rag/search", json={"query": ASKED, "topK": 3})).json()
    least = every["results"][1]["score"]

    body = {"query": ASKED, "topK": 2, "minScore": least}
    found = (await client.post("/api/rag/search", json=body)).json()

    assert [result["metadata"]["title"] for result in found["results"]] == ["d0", "d1"]
