"""Asking several collections over HTTP."""

import logging
from collections.abc import AsyncIterator
from dataclasses import replace

import httpx2
import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.ports import Ledger
from sourcebook.search.reranking import HitReranker
from sourcebook.search.searcher import Searcher
from sourcebook.service.http.app import create_app
from sourcebook.surfaces.admin_key import AccessRule
from sourcebook.surfaces.rate_limits import RateLimit, RateLimits
from sourcebook.surfaces.use_cases import UseCases
from tests.conftest import open_client
from tests.fakes import FakeEmbedder, FakeReranker
from tests.memory_store import MemoryStore

ASKED = "robot arm joint"


@pytest.fixture(autouse=True)
async def _collections(client: httpx2.AsyncClient) -> None:
    await put(client, "manuals", "robot arm joint", title="Arms", source_url="/arms", page=3)
    await put(client, "notes", "robot", heading="Notes", path="n.md")
    await put(client, "food", "cheese wine")


async def put(client: httpx2.AsyncClient, name: str, text: str, **about: object) -> None:
    body = {"name": name, "embedding_model": "minilm"}
    assert (await client.post("/collections", json=body)).status_code == 200
    documents = [{"id": f"{name}-1", "text": text, "metadata": about}]
    reply = await client.post(f"/collections/{name}/documents", json={"documents": documents})
    assert reply.status_code == 200


def body(*collections: object, **more: object) -> dict[str, object]:
    return {"userMessage": ASKED, "collections": list(collections), **more}


@pytest.mark.spec("000 First Message Query Strategy")
async def test_a_match_in_the_shape_of_the_contract(client: httpx2.AsyncClient) -> None:
    reply = await client.post("/collect", json=body("food", {"name": "manuals", "service": "x"}))

    assert reply.status_code == 200, reply.text
    found = reply.json()
    distance = found["data"][0].pop("distance")
    assert distance == pytest.approx(0.0, abs=1e-6)
    assert found["data"][0].pop("score") == pytest.approx(1.0)
    assert found == {
        "result": "match",
        "data": [
            {
                "id": "manuals-1",
                "text": "robot arm joint",
                "title": "Arms",
                "source": "/arms",
                "metadata": {"title": "Arms", "source_url": "/arms", "page": 3},
                "collection": "manuals",
            }
        ],
        "strategy": "first message (raw query)",
        "query_text": ASKED,
        "failures": [],
    }


async def test_partial_and_none(client: httpx2.AsyncClient) -> None:
    partial = (await client.post("/collect", json=body("food", "notes"))).json()
    none = (await client.post("/collect", json=body("food"))).json()

    assert partial["result"] == "partial"
    assert [item["collection"] for item in partial["data"]] == ["notes"]
    assert (partial["data"][0]["title"], partial["data"][0]["source"]) == ("Notes", "n.md")
    assert (none["result"], none["data"]) == ("none", [])


@pytest.mark.spec("000 Follow-up Message Query Strategy")
@pytest.mark.spec("000 Query Text Selection Logic")
async def test_a_follow_up_is_searched_by_its_topic(
    client: httpx2.AsyncClient, embedder: FakeEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    asked = body("manuals", currentTopic="Robots", topic=" Robot  ARM joint\n")
    asked["userMessage"] = "Does it turn?"

    with caplog.at_level(logging.INFO):
        found = (await client.post("/collect", json=asked)).json()

    assert found["result"] == "match"
    assert found["strategy"] == "follow-up (contextualized topic)"
    assert found["query_text"] == "robot arm joint"
    assert embedder.queries == ["robot arm joint"]
    assert "Query strategy: follow-up (contextualized topic)" in caplog.messages


@pytest.mark.spec("000 Embedding Cache Efficiency")
async def test_collections_of_one_model_share_the_embedding(
    client: httpx2.AsyncClient, embedder: FakeEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        await client.post("/collect", json=body("manuals", "notes", "food"))

    assert embedder.queries == [ASKED]
    reused = "Reusing cached embedding for minilm:fakes/minilm"
    assert caplog.messages.count(reused) == 2


async def test_the_collection_says_where_titles_and_sources_are(
    client: httpx2.AsyncClient,
) -> None:
    about = {"metadata": {"title_field": "page", "source_field": "title"}}
    await client.put("/collections/manuals/metadata?merge=true", json=about)

    (document,) = (await client.post("/collect", json=body("manuals"))).json()["data"]

    assert (document["title"], document["source"]) == ("3", "Arms")


async def test_without_a_title_the_id_stands_for_it(client: httpx2.AsyncClient) -> None:
    await client.put(
        "/collections/food/metadata?merge=true", json={"metadata": {"match_threshold": 2}}
    )

    (document,) = (await client.post("/collect", json=body("food"))).json()["data"]

    assert (document["title"], document["source"]) == ("food-1", "")


async def test_a_failing_collection_is_reported_beside_the_others(
    client: httpx2.AsyncClient,
) -> None:
    reply = await client.post("/collect", json=body("nowhere", "manuals"))

    assert (reply.status_code, reply.json()["result"]) == (200, "match")
    assert reply.json()["failures"] == [
        {"collection": "nowhere", "detail": "Collection 'nowhere' not found"}
    ]


async def test_no_such_collection_at_all_is_404(client: httpx2.AsyncClient) -> None:
    reply = await client.post("/collect", json=body("nowhere"))

    assert (reply.status_code, reply.json()) == (
        404,
        {"detail": "Collection 'nowhere' not found"},
    )


async def test_nothing_that_can_be_searched_is_503(
    client: httpx2.AsyncClient, embedder: FakeEmbedder
) -> None:
    embedder.failing = True

    reply = await client.post("/collect", json=body("manuals", "notes"))

    assert reply.status_code == 503
    assert reply.json()["detail"].startswith("None of the collections could be searched.")


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"collections": ["manuals"]}, "'userMessage' is required"),
        (body(), "'collections'"),
        ({"userMessage": "a"}, "'collections' is required"),
        (body(5), "'collections[0]' must be an object"),
        (body(""), "'collections[0].name' must not be empty"),
        (body({"service": "x"}), "'collections[0].name' is required"),
        (body(*map(str, range(51))), "has too many elements: 50 at most"),
        (body("manuals", top_k=0), "'top_k' must be at least 1"),
        (body("manuals", top_k=51), "'top_k' must be at most 50"),
        (body("manuals", top_k=True), "must be a whole number, got true"),
        (body("manuals", top_k="3"), "must be a whole number"),
        (body("manuals", topic=5), "'topic' must be a string"),
        (body("manuals", currentTopic="x" * 8_001), "8000 characters at most"),
        (body("manuals", topic="a\u0000"), "NUL"),
        ({**body("manuals"), "userMessage": " \u200b"}, "must not be blank"),
        ({**body("manuals"), "userMessage": "x" * 8_001}, "8000 characters at most"),
        ([], "must be an object"),
    ],
)
async def test_bad_requests_get_a_helpful_400(
    client: httpx2.AsyncClient, asked: object, says: str
) -> None:
    reply = await client.post("/collect", json=asked)

    assert reply.status_code == 400
    assert says in reply.json()["detail"]


async def test_nan_is_no_number(client: httpx2.AsyncClient) -> None:
    raw = b'{"userMessage": "a", "collections": ["manuals"], "top_k": NaN}'

    reply = await client.post("/collect", content=raw, headers={"Content-Type": "application/json"})

    assert reply.status_code == 400


@pytest.fixture
async def reranking_client(
    use_cases: UseCases, ledger: Ledger, store: MemoryStore, models: EmbeddingModels
) -> AsyncIterator[httpx2.AsyncClient]:
    searcher = Searcher(ledger, store, models, reranking=HitReranker(FakeReranker()))
    async with open_client(replace(use_cases, searcher=searcher)) as client:
        yield client


async def test_with_a_reranker_its_score_is_shown(reranking_client: httpx2.AsyncClient) -> None:
    found = (await reranking_client.post("/collect", json=body("manuals"))).json()

    assert found["data"][0]["rerank_score"] == 0.5


async def test_collecting_counts_as_a_search(use_cases: UseCases) -> None:
    app = create_app(
        use_cases, AccessRule(None), origins=[], rate_limits=RateLimits(searches=RateLimit(1))
    )
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        first = await client.post("/collect", json=body("manuals"))
        second = await client.post("/collect", json=body("manuals"))

    assert (first.status_code, second.status_code) == (200, 429)
    assert "Retry-After" in second.headers
