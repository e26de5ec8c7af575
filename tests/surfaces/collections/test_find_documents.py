"""Finding documents by their metadata alone."""

import json
from collections.abc import Mapping

import httpx2
import pytest

DOCUMENTS = "/collections/guide/documents"


@pytest.fixture(autouse=True)
async def _collection(client: httpx2.AsyncClient) -> None:
    await client.post("/collections", json={"name": "guide", "embedding_model": "minilm"})


async def fill(client: httpx2.AsyncClient, *contents: Mapping[str, object]) -> None:
    documents = [
        {"id": f"d{n}", "text": f"text {n}", "metadata": metadata}
        for n, metadata in enumerate(contents)
    ]
    for start in range(0, len(documents), 1000):
        body = {"documents": documents[start : start + 1000]}
        assert (await client.post(DOCUMENTS, json=body)).status_code == 200


async def find(client: httpx2.AsyncClient, where: object = None, **params: object) -> object:
    if where is not None:
        params["where"] = json.dumps(where)
    reply = await client.get(DOCUMENTS, params={k: str(v) for k, v in params.items()})
    assert reply.status_code == 200, reply.text
    return reply.json()


async def ids(client: httpx2.AsyncClient, where: object) -> list[str]:
    found = await find(client, where)
    assert isinstance(found, dict)
    return [document["id"] for document in found["documents"]]


@pytest.mark.spec("000 Simple equality filter")
async def test_documents_are_found_by_a_field(client: httpx2.AsyncClient) -> None:
    await fill(client, {"section_id": "intro"}, {"section_id": "end"}, {"section_id": "intro"})

    found = await find(client, {"section_id": "intro"})

    assert found == {
        "documents": [
            {"id": "d0", "text": "text 0", "metadata": {"section_id": "intro"}},
            {"id": "d2", "text": "text 2", "metadata": {"section_id": "intro"}},
        ],
        "count": 2,
        "total": 2,
    }


@pytest.mark.spec("000 Multiple field filter (implicit AND)")
async def test_several_fields_must_all_match(client: httpx2.AsyncClient) -> None:
    await fill(
        client,
        {"chapter_id": "1", "doc_type": "paragraph"},
        {"chapter_id": "1", "doc_type": "code"},
        {"chapter_id": "2", "doc_type": "paragraph"},
    )

    assert await ids(client, {"chapter_id": "1", "doc_type": "paragraph"}) == ["d0"]


@pytest.mark.spec("000 Complex filter with operators")
async def test_in_takes_any_of_the_values(client: httpx2.AsyncClient) -> None:
    await fill(client, *({"doc_type": kind} for kind in ("heading", "code", "paragraph", "list")))

    assert await ids(client, {"doc_type": {"$in": ["heading", "paragraph"]}}) == ["d0", "d2"]


@pytest.mark.spec("000 Logical OR operator")
async def test_or_takes_either(client: httpx2.AsyncClient) -> None:
    await fill(client, {"chapter": "1"}, {"chapter": "2"}, {"chapter": "3"})

    assert await ids(client, {"$or": [{"chapter": "1"}, {"chapter": "3"}]}) == ["d0", "d2"]


@pytest.mark.spec("000 No filter provided")
async def test_without_a_filter_the_first_hundred_come(client: httpx2.AsyncClient) -> None:
    await fill(client, *({} for _ in range(500)))

    found = await find(client)

    assert isinstance(found, dict)
    assert [d["id"] for d in found["documents"]] == [f"d{n}" for n in range(100)]
    assert (found["count"], found["total"]) == (100, 500)


@pytest.mark.spec("000 Pagination with limit and offset")
async def test_pages_count_themselves_and_all_that_match(client: httpx2.AsyncClient) -> None:
    await fill(client, *({"kind": "wanted" if n < 250 else "other"} for n in range(300)))

    found = await find(client, {"kind": "wanted"}, limit=50, offset=100)

    assert isinstance(found, dict)
    assert [d["id"] for d in found["documents"]] == [f"d{n}" for n in range(100, 150)]
    assert (found["count"], found["total"]) == (50, 250)


@pytest.mark.spec("000 Empty results")
async def test_nothing_found_is_no_error(client: httpx2.AsyncClient) -> None:
    await fill(client, {"a": 1})

    assert await find(client, {"a": 2}) == {"documents": [], "count": 0, "total": 0}


@pytest.mark.spec("000 Invalid JSON filter")
@pytest.mark.parametrize(
    "where", ["invalid-json-string", "{", "NaN", '{"a": Infinity}', "{'a': 1}"]
)
async def test_a_filter_must_be_json(client: httpx2.AsyncClient, where: str) -> None:
    reply = await client.get(DOCUMENTS, params={"where": where})

    assert reply.status_code == 400
    assert reply.json() == {"detail": "Invalid 'where' filter: must be valid JSON"}


@pytest.mark.spec("000 Limit enforcement")
async def test_a_limit_beyond_the_most_is_cut(client: httpx2.AsyncClient) -> None:
    await fill(client, *({} for _ in range(1001)))

    found = await find(client, limit=5000)

    assert isinstance(found, dict)
    assert (found["count"], found["total"]) == (1000, 1001)


@pytest.mark.parametrize(
    "params",
    [{"limit": "0"}, {"limit": "-1"}, {"limit": "x"}, {"offset": "-1"}, {"offset": f"{10**30}"}],
)
async def test_senseless_pages_are_refused(
    client: httpx2.AsyncClient, params: dict[str, str]
) -> None:
    reply = await client.get(DOCUMENTS, params=params)

    assert reply.status_code == 400
    assert next(iter(params)) in reply.json()["detail"]


@pytest.mark.spec("000 Sibling gathering use case")
async def test_a_fragment_leads_to_its_whole_section(client: httpx2.AsyncClient) -> None:
    section = {"section_id": "retention-config"}
    await fill(
        client,
        {**section, "doc_type": "heading"},
        {"section_id": "other", "doc_type": "paragraph"},
        {**section, "doc_type": "paragraph"},
        {**section, "doc_type": "code"},
    )
    hit = await client.post("/query", json={"collection": "guide", "query": "text 2", "top_k": 1})
    (fragment,) = hit.json()["results"]

    siblings = await ids(client, {"section_id": fragment["metadata"]["section_id"]})

    assert siblings == ["d0", "d2", "d3"]
