"""Asking a collection."""

import httpx2
import pytest

from tests.fakes import FakeEmbedder


@pytest.fixture(autouse=True)
async def _collection(client: httpx2.AsyncClient) -> None:
    body = {"name": "robotics", "embedding_model": "minilm", "metadata": {"match_threshold": 0.3}}
    await client.post("/collections", json=body)
    documents = [
        {"id": "node", "text": "a node is a process", "metadata": {"tier": 1, "tags": ["ros"]}},
        {"id": "topic", "text": "nodes talk over a topic", "metadata": {"tier": 2}},
        {"id": "stop", "text": "an emergency stop is a process", "metadata": {"tier": 4}},
        {"id": "sim", "text": "gazebo simulates physics", "metadata": {"tier": 2}},
    ]
    await client.post("/collections/robotics/documents", json={"documents": documents})


async def ask(client: httpx2.AsyncClient, **body: object) -> list[str]:
    reply = await client.post("/query", json={"collection": "robotics", **body})
    assert reply.status_code == 200, reply.text
    return [hit["id"] for hit in reply.json()["results"]]


async def test_the_nearest_documents_come_first(client: httpx2.AsyncClient) -> None:
    body = {"collection": "robotics", "query": "what process is a node", "top_k": 2}

    reply = await client.post("/query", json=body)

    first, second = reply.json()["results"]
    assert first["text"] == "a node is a process"
    assert first["metadata"] == {"tier": 1, "tags": ["ros"]}
    assert 0 <= first["distance"] < second["distance"] <= 2
    assert first["score"] == pytest.approx(1 - first["distance"])
    assert reply.json()["collection_metadata"] == {
        "match_threshold": 0.3,
        "embedding_model": "minilm",
        "hnsw:space": "cosine",
    }


async def test_three_results_unless_more_are_asked_for(client: httpx2.AsyncClient) -> None:
    assert len(await ask(client, query="process")) == 3
    assert len(await ask(client, query="process", top_k=10)) == 4


async def test_text_is_another_name_for_query(client: httpx2.AsyncClient) -> None:
    assert (await ask(client, text="a node is a process", top_k=1)) == ["node"]


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ({"tier": {"$lte": 2}}, {"node", "topic", "sim"}),
        ({"tier": {"$gt": 1, "$lt": 4}}, {"topic", "sim"}),
        ({"tags": "ros"}, {"node"}),
        ({"tags": {"$ne": "ros"}}, {"topic", "stop", "sim"}),
        ({"tier": {"$nin": [1, 2]}}, {"stop"}),
        (
            {"$and": [{"tier": 2}, {"$or": [{"tags": "ros"}, {"tier": {"$gte": 2}}]}]},
            {"topic", "sim"},
        ),
        ({}, {"node", "topic", "stop", "sim"}),
        (None, {"node", "topic", "stop", "sim"}),
        ({"unknown": 1}, set()),
    ],
)
async def test_filters_bind_the_search(
    client: httpx2.AsyncClient, where: object, found: set[str]
) -> None:
    assert set(await ask(client, query="process", top_k=10, where=where)) == found


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"query": "a"}, "Collection name is required"),
        ({"query": "a", "collection": ""}, "Collection name is required"),
        ({"query": "\u200b\u2060", "collection": "robotics"}, "must not be blank"),
        ({"collection": "robotics"}, "'query' is required"),
        ({"collection": "robotics", "query": ""}, "'query'"),
        ({"collection": "robotics", "query": "  \n"}, "'query'"),
        ({"collection": "robotics", "query": "x" * 10_001}, "10000"),
        ({"collection": "robotics", "query": "a\u0000"}, "NUL"),
        ({"collection": "robotics", "query": 5}, "must be a string, got 5"),
        ({"collection": "robotics", "query": "a", "top_k": 0}, "top_k"),
        (
            {"collection": "robotics", "query": "a", "top_k": True},
            "must be a whole number, got true",
        ),
        ({"collection": "robotics", "query": "a", "top_k": "5"}, 'must be a whole number, got "5"'),
        ({"collection": "robotics", "query": "a", "top_k": 10**9}, "top_k"),
        ({"collection": "robotics", "query": "a", "where": [1]}, "must be an object"),
        ({"collection": 5, "query": "a"}, "must be a string, got 5"),
        ([], "must be an object"),
    ],
)
async def test_bad_questions_get_a_helpful_400(
    client: httpx2.AsyncClient, body: object, says: str
) -> None:
    reply = await client.post("/query", json=body)

    assert reply.status_code == 400
    assert says in reply.json()["detail"]


async def test_a_failing_model_is_503(client: httpx2.AsyncClient, embedder: FakeEmbedder) -> None:
    embedder.failing = True

    reply = await client.post("/query", json={"collection": "robotics", "query": "a"})

    assert reply.status_code == 503


async def test_get_query_tells_that_questions_can_be_asked(client: httpx2.AsyncClient) -> None:
    assert (await client.get("/query")).json() == {"status": "ready", "collections": 1}
