"""Chunks are found by meaning, under filters, in exactly the shape of the contract."""

import httpx2
import pytest

from tests.surfaces.rag_v3.postings import BATCH, INGEST, SEARCH, id_of, posting

ARM = posting(tags=["manual", "arm"], metadata={"size": 3, "lang": "en", "draft": False})
LEG = posting("/leg.md", title="The leg", text="The leg walks far.", tags=["manual", "leg"])
NOTE = posting("/note", source="web", title="A note", text="The arm is new.", metadata={"size": 3})


@pytest.fixture(autouse=True)
async def _filled(client: httpx2.AsyncClient) -> None:
    reply = await client.post(BATCH, json={"documents": [ARM, LEG, NOTE]})
    assert reply.json()["created"] == 3


async def titles(client: httpx2.AsyncClient, **asked: object) -> list[str]:
    reply = await client.post(SEARCH, json={"query": "the arm lifts", **asked})
    assert reply.status_code == 200, reply.text
    return [result["metadata"]["title"] for result in reply.json()["results"]]


@pytest.mark.spec("003 2.2")
async def test_the_reply_is_exactly_the_contracts(client: httpx2.AsyncClient) -> None:
    reply = await client.post(SEARCH, json={"query": "the arm lifts up to?"})

    found = reply.json()
    assert list(found) == ["query", "resultCount", "results"]
    assert found["query"] == "the arm lifts up to?"
    assert found["resultCount"] == len(found["results"]) == 3
    first = found["results"][0]
    assert list(first) == ["text", "score", "metadata"]
    assert first["metadata"] == {
        "documentId": id_of(),
        "source": "nas-docs",
        "path": "/arm.md",
        "title": "The arm",
        "chunkIndex": 0,
        "tags": ["manual", "arm"],
    }
    scores = [result["score"] for result in found["results"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in scores)


@pytest.mark.spec("003 1 search")
@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({}, {"The arm", "The leg", "A note"}),
        (None, {"The arm", "The leg", "A note"}),
        ({"source": "nas-docs"}, {"The arm", "The leg"}),
        ({"source": "nowhere"}, set()),
        ({"tags": ["leg", "arm"]}, {"The arm", "The leg"}),
        ({"tags": ["arm"], "source": "web"}, set()),
        ({"tags": [], "source": None, "metadata": None}, {"The arm", "The leg", "A note"}),
        ({"metadata": {"size": 3}}, {"The arm", "A note"}),
        ({"metadata": {"size": 3, "lang": "en"}}, {"The arm"}),
        ({"metadata": {"draft": False}}, {"The arm"}),
        ({"metadata": {"size": "3"}}, set()),
        ({"metadata": {}, "tags": None}, {"The arm", "The leg", "A note"}),
    ],
)
async def test_filters_are_anded_and_tags_ored(
    client: httpx2.AsyncClient, filters: object, found: set[str]
) -> None:
    assert set(await titles(client, filters=filters)) == found


async def test_a_posters_metadata_cannot_pass_for_ours(client: httpx2.AsyncClient) -> None:
    evil = posting("/evil", title="Evil", source="web", metadata={"source": "nas-docs"})
    await client.post(INGEST, json=evil)

    assert "Evil" not in await titles(client, filters={"source": "nas-docs"})
    assert await titles(client, filters={"metadata": {"source": "nas-docs"}}) == ["Evil"]


@pytest.mark.parametrize(
    ("top_k", "count"), [(1, 1), (2, 2), ("2", 2), ("2.0", 2), (2.0, 2), (20, 3), (None, 3)]
)
async def test_top_k_is_at_most_so_many(
    client: httpx2.AsyncClient, top_k: object, count: int
) -> None:
    assert len(await titles(client, topK=top_k)) == count


async def test_five_is_the_default(client: httpx2.AsyncClient) -> None:
    more = [posting(f"/more/{n}") for n in range(10)]
    await client.post(BATCH, json={"documents": more})

    assert len(await titles(client)) == 5


@pytest.mark.parametrize("least", [0, 0.0, "0", None])
async def test_min_score_zero_keeps_everything(client: httpx2.AsyncClient, least: object) -> None:
    assert len(await titles(client, minScore=least)) == 3


@pytest.mark.parametrize("least", [0.9999, "0.9999", 1])
async def test_min_score_cuts_off(client: httpx2.AsyncClient, least: object) -> None:
    asked = {"query": ARM["text"], "minScore": least}

    found = (await client.post(SEARCH, json=asked)).json()

    assert [result["metadata"]["title"] for result in found["results"]] in (["The arm"], [])
    assert all(result["score"] >= float(str(least)) for result in found["results"])
