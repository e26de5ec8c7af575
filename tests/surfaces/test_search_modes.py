"""Every surface searches by meaning, by words or by both, says which, and explains itself."""

import itertools
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.ports import Ledger
from sourcebook.providers.lexical.bm25 import Bm25Encoder
from sourcebook.providers.lexical.term_indexing import TermIndexingStore
from sourcebook.service.wiring.storage import Storage
from sourcebook.service.wiring.use_cases import build_use_cases
from sourcebook.surfaces.use_cases import UseCases
from tests.conftest import open_client
from tests.fakes import FakeReranker
from tests.memory_store import MemoryStore

# Alike but for one word.
WORDS = ("amber", "basalt", "cobalt", "dolomite", "emerald")
ASKED = "Where is the code word cobalt?"
REFUSED = "cannot be searched by keywords: its vector store keeps no terms"
ENCODER = Bm25Encoder()
TIMES = {"embedding_ms", "terms_ms", "index_ms", "ledger_ms"}
STAGES = {"dense_rank", "cosine", "keyword_rank", "bm25", "rank", "score"}


def text_with(word: str) -> str:
    return f"The robot waits for the signal. The code word of the day is {word}."


async def fill(client: httpx2.AsyncClient, use: UseCases) -> None:
    about = {"book_id": use.book_rules.book_id, "hardware_tier": 1}
    documents = [{"id": word, "text": text_with(word), "metadata": about} for word in WORDS]
    for name in ("book", "bays"):
        await client.post("/collections", json={"name": name, "embedding_model": "minilm"})
        reply = await client.post(f"/collections/{name}/documents", json={"documents": documents})
        assert reply.status_code == 200, reply.text
    for word in WORDS:
        posting = {"source": "nas", "path": word, "title": word, "text": text_with(word)}
        assert (await client.post("/api/rag/ingest", json=posting)).status_code == 200


def with_terms(
    ledger: Ledger, models: EmbeddingModels, reranker: FakeReranker | None = None
) -> UseCases:
    storage = Storage(ledger, TermIndexingStore(MemoryStore(), ENCODER), terms=ENCODER)
    return build_use_cases(storage, models, reranker)


@pytest.fixture
async def client(ledger: Ledger, models: EmbeddingModels) -> AsyncIterator[httpx2.AsyncClient]:
    use = with_terms(ledger, models)
    async with open_client(use) as client:
        await fill(client, use)
        yield client


@pytest.fixture
async def dense_client(use_cases: UseCases) -> AsyncIterator[httpx2.AsyncClient]:
    """A service whose store keeps no terms."""
    async with open_client(use_cases) as client:
        await fill(client, use_cases)
        yield client


async def ask(client: httpx2.AsyncClient, path: str, **body: object) -> dict[str, Any]:
    reply = await client.post(path, json=body)
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


async def query(client: httpx2.AsyncClient, **more: object) -> dict[str, Any]:
    return await ask(client, "/query", query=ASKED, collection="bays", top_k=5, **more)


async def rag_search(client: httpx2.AsyncClient, **more: object) -> dict[str, Any]:
    return await ask(client, "/api/rag/search", query=ASKED, **more)


async def collect(client: httpx2.AsyncClient, *names: str, **more: object) -> dict[str, Any]:
    return await ask(
        client, "/collect", userMessage=ASKED, collections=list(names), top_k=5, **more
    )


async def search(client: httpx2.AsyncClient, **more: object) -> dict[str, Any]:
    return await ask(client, "/search", query=ASKED, **more)


async def chat(client: httpx2.AsyncClient, **more: object) -> dict[str, Any]:
    return await ask(client, "/chat", query="What is the code word cobalt?", **more)


async def test_query_finds_by_words_alone_by_meaning_alone_and_by_both(
    client: httpx2.AsyncClient,
) -> None:
    default, dense = await query(client), await query(client, mode="dense")
    # Every document has "code" and "word", one has the word that was asked for.
    keyword = await ask(client, "/query", query="cobalt", collection="bays", mode="keyword")

    assert (default["mode"], dense["mode"], keyword["mode"]) == ("hybrid", "dense", "keyword")
    assert default["results"][0]["id"] == "cobalt"
    assert [one["id"] for one in keyword["results"]] == ["cobalt"]
    assert len(dense["results"]) == 5


async def test_query_is_ordered_by_score_and_its_distance_stays_that_of_the_vectors(
    client: httpx2.AsyncClient,
) -> None:
    hybrid, dense = await query(client), await query(client, mode="dense")

    scores = [one["score"] for one in hybrid["results"]]
    assert scores == sorted(scores, reverse=True)
    assert {one["id"]: one["distance"] for one in hybrid["results"]} == pytest.approx(
        {one["id"]: one["distance"] for one in dense["results"]}
    )
    assert all(one["score"] > 1 - one["distance"] for one in hybrid["results"])
    assert all(one["score"] == pytest.approx(1 - one["distance"]) for one in dense["results"])


async def test_query_explains_each_stage(client: httpx2.AsyncClient) -> None:
    plain, explained = await query(client), await query(client, explain=True)

    explain = explained.pop("explain")
    assert explained == plain
    assert explain.keys() == TIMES | {"mode", "rounds", "results"}
    assert (explain["mode"], explain["rounds"]) == ("hybrid", 1)
    assert all(explain[stage] >= 0 for stage in TIMES)
    first = explain["results"][0]
    assert first.keys() == STAGES | {"id"}
    assert (first["id"], first["keyword_rank"], first["rank"]) == ("cobalt", 1, 1)
    assert [one["score"] for one in explain["results"]] == [
        one["score"] for one in plain["results"]
    ]
    assert {one["dense_rank"] for one in explain["results"]} == {1, 2, 3, 4, 5}


async def test_a_search_by_meaning_explains_no_words(client: httpx2.AsyncClient) -> None:
    explain = (await query(client, mode="dense", explain=True))["explain"]

    assert "terms_ms" not in explain
    assert all(one.keys() == {"id", "dense_rank", "cosine", "rank", "score"}
               for one in explain["results"])  # fmt: skip


async def test_book_searches_use_and_name_the_mode(client: httpx2.AsyncClient) -> None:
    hybrid, dense = await search(client), await search(client, mode="dense")
    keyword = await ask(client, "/search", query="cobalt", mode="keyword", explain=True)

    assert [found["mode"] for found in (hybrid, dense, keyword)] == ["hybrid", "dense", "keyword"]
    assert (len(hybrid["results"]), len(dense["results"])) == (5, 5)
    (hit,) = keyword["results"]
    assert hit["parent_doc_id"] == "cobalt"
    (stages,) = keyword["explain"]["results"]
    assert stages.keys() == STAGES | {"chunk_id"}
    assert (stages["chunk_id"], stages["keyword_rank"]) == (hit["chunk_id"], 1)
    assert keyword["explain"]["terms_ms"] >= 0


async def test_a_book_without_an_index_was_searched_in_no_mode(
    ledger: Ledger, models: EmbeddingModels
) -> None:
    async with open_client(with_terms(ledger, models)) as client:
        found = await search(client, explain=True, mode="keyword")

    assert (found["results"], found["mode"], found["explain"]["mode"]) == ([], None, None)


@pytest.mark.spec("002 US1.2")
async def test_the_least_score_of_a_book_search_applies_to_the_joined_score(
    client: httpx2.AsyncClient,
) -> None:
    everything = await search(client)
    best, second = (hit["score"] for hit in everything["results"][:2])

    found = await search(client, min_score=best)

    assert second < best
    assert [hit["score"] for hit in found["results"]] == [best]
    assert (await search(client, min_score=1))["results"] == []
    assert len((await search(client, min_score=0))["results"]) == 5


async def test_posted_documents_are_searched_in_each_mode_in_the_contracts_shape(
    client: httpx2.AsyncClient,
) -> None:
    hybrid = await rag_search(client)
    keyword = await ask(client, "/api/rag/search", query="cobalt", mode="keyword")
    dense = await rag_search(client, mode="dense")

    assert [one["metadata"]["title"] for one in keyword["results"]] == ["cobalt"]
    assert hybrid["results"][0]["metadata"]["title"] == "cobalt"
    assert hybrid["results"][0]["score"] > max(one["score"] for one in dense["results"])
    for found in (hybrid, keyword, dense):
        assert list(found) == ["query", "resultCount", "results"]
        assert all(list(one) == ["text", "score", "metadata"] for one in found["results"])


async def test_the_search_of_posted_documents_is_explained_in_its_own_case(
    client: httpx2.AsyncClient,
) -> None:
    found = await rag_search(client, explain=True)

    explain = found["explain"]
    assert explain.keys() == {
        "mode", "embeddingMs", "termsMs", "indexMs", "ledgerMs", "rounds", "results"
    }  # fmt: skip
    first, hit = explain["results"][0], found["results"][0]
    assert first.keys() == {
        "documentId", "chunkIndex", "denseRank", "cosine", "keywordRank", "bm25", "rank", "score"
    }  # fmt: skip
    assert (first["documentId"], first["score"]) == (hit["metadata"]["documentId"], hit["score"])


async def test_several_collections_are_searched_in_the_mode_and_explained(
    client: httpx2.AsyncClient,
) -> None:
    keyword = await ask(
        client, "/collect", userMessage="cobalt", collections=["bays", "book"], mode="keyword",
        explain=True,
    )  # fmt: skip
    plain = await collect(client, "bays", mode="dense")

    assert {one["id"] for one in keyword["data"]} <= {"cobalt"}
    assert [one["collection"] for one in keyword["explain"]["searches"]] == ["bays", "book"]
    assert {one["mode"] for one in keyword["explain"]["searches"]} == {"keyword"}
    assert [(one["collection"], one["id"]) for one in keyword["explain"]["results"]] == [
        (one["collection"], one["id"]) for one in keyword["data"]
    ]
    assert "explain" not in plain


async def test_a_chat_searches_in_the_mode_and_names_it(client: httpx2.AsyncClient) -> None:
    default, dense = await chat(client), await chat(client, search_mode="dense")
    keyword = await ask(client, "/chat", query="cobalt", search_mode="keyword", top_k=20)
    selected = await chat(
        client, mode="selected_text", selected_text=text_with("cobalt"), search_mode="keyword"
    )

    modes = [one["metadata"]["search_mode"] for one in (default, dense, keyword, selected)]
    assert modes == ["hybrid", "dense", "keyword", None]
    # One of the book, one of the posted documents.
    assert keyword["metadata"]["chunks_retrieved"] == 2


async def test_a_stream_names_the_mode_at_its_end(client: httpx2.AsyncClient) -> None:
    body = {"query": "cobalt", "search_mode": "keyword", "top_k": 20}
    reply = await client.post("/chat/stream", json=body)

    assert reply.status_code == 200
    assert '"search_mode":"keyword"' in reply.text.replace(" ", "").splitlines()[-2]


async def test_the_chat_of_contract_003_retrieves_in_the_mode(client: httpx2.AsyncClient) -> None:
    asked = {"message": "cobalt", "useRag": True}

    keyword = await ask(client, "/api/chat", **asked, ragMode="keyword")
    default = await ask(client, "/api/chat", **asked)

    assert [source["title"] for source in keyword["ragSources"]] == ["cobalt"]
    assert len(default["ragSources"]) == 5
    assert default["ragSources"][0]["title"] == "cobalt"


BODIES: dict[str, dict[str, object]] = {
    "/query": {"query": ASKED, "collection": "bays"},
    "/search": {"query": ASKED},
    "/api/rag/search": {"query": ASKED},
    "/collect": {"userMessage": ASKED, "collections": ["bays", "book", "unknown"]},
    "/chat": {"query": ASKED},
    "/chat/stream": {"query": ASKED},
    "/api/chat": {"message": ASKED, "useRag": True},
}
FIELDS = {"/chat": "search_mode", "/chat/stream": "search_mode", "/api/chat": "ragMode"}


def said(reply: httpx2.Response) -> str:
    body = reply.json()
    return str(body.get("message") or body["detail"])


async def test_an_unknown_mode_is_refused_with_the_three_names(
    dense_client: httpx2.AsyncClient,
) -> None:
    for path, mode in itertools.product(BODIES, ("fuzzy", "DENSE", "", 1, True, ["dense"])):
        body = BODIES[path] | {FIELDS.get(path, "mode"): mode}
        reply = await dense_client.post(path, json=body)

        assert reply.status_code == (422 if path == "/search" else 400), reply.text
        assert all(name in said(reply) for name in ("dense", "keyword", "hybrid"))


async def test_keywords_are_refused_where_no_terms_are_kept_and_hybrid_is_not(
    dense_client: httpx2.AsyncClient,
) -> None:
    for path, body in BODIES.items():
        field = FIELDS.get(path, "mode")

        keyword = await dense_client.post(path, json=body | {field: "keyword"})
        hybrid = await dense_client.post(path, json=body | {field: "hybrid"})
        left_out = await dense_client.post(path, json=body | {field: None})

        assert keyword.status_code == (422 if path == "/search" else 400), keyword.text
        assert REFUSED in said(keyword)
        assert (hybrid.status_code, left_out.status_code) == (200, 200), hybrid.text


async def test_a_store_without_terms_says_that_it_searched_by_meaning(
    dense_client: httpx2.AsyncClient,
) -> None:
    asked = await query(dense_client, mode="hybrid")
    found = await search(dense_client, mode="hybrid")
    answer = await chat(dense_client, search_mode="hybrid")

    assert (asked["mode"], found["mode"]) == ("dense", "dense")
    assert answer["metadata"]["search_mode"] == "dense"


async def test_explain_is_true_or_false(dense_client: httpx2.AsyncClient) -> None:
    for path in ("/query", "/search", "/api/rag/search", "/collect"):
        reply = await dense_client.post(path, json=BODIES[path] | {"explain": "yes"})

        assert reply.status_code == (422 if path == "/search" else 400)
        assert "true or false" in said(reply)


async def test_a_reranker_decides_the_order_and_explain_shows_where_it_found_each(
    ledger: Ledger, models: EmbeddingModels
) -> None:
    use = with_terms(ledger, models, FakeReranker())
    # It has all words of the question, among so many others that it is far from it.
    whole = f"{ASKED} " + "Many other words of no use at all stand around it. " * 4
    async with open_client(use) as client:
        await fill(client, use)
        more = [{"id": "whole", "text": whole}]
        await client.post("/collections/bays/documents", json={"documents": more})
        found = await query(client, explain=True)

    hit, stages = found["results"][0], found["explain"]["results"][0]
    assert (hit["id"], stages["id"], stages["rerank_rank"]) == ("whole", "whole", 1)
    assert stages["rank"] > 1
    assert stages["rerank_score"] == hit["rerank_score"]
    assert found["explain"]["reranking_ms"] >= 0
