"""What malformed searches get: 422 with one sentence that helps."""

import httpx2
import pytest

from tests.fakes import FakeEmbedder

JSON = {"Content-Type": "application/json"}

BODIES = {
    "not JSON": b"{",
    "empty": b"",
    "binary": bytes(range(256)),
    "NaN": b'{"query": "a question", "limit": NaN}',
    "too large a number": b'{"query": "a question", "limit": 1e999}',
    "half a surrogate": b'{"query": "a question \\ud800"}',
    "UTF-16": '{"query": "a question"}'.encode("utf-16"),
    "too deep": b"[" * 5_000 + b"]" * 5_000,
    "null": b"null",
    "an array": b"[]",
    "a string": b'"a question"',
}

GOOD = [
    {"query": "abc"},
    {"query": " a b "},
    {"query": "x" * 2_000},
    {"hardware_tier": None},
    {"hardware_tier": 1},
    {"hardware_tier": 4},
    {"limit": 1},
    {"limit": 20},
    {"chapter_min": 0, "chapter_max": 0},
    {"chapter_max": 100_000},
    {"lesson": 16},
    {"proficiency_levels": ["a1", "A2", "B1", "b2", "C1", "c2"]},
    {"layer": "L4"},
    {"module": "m" * 200},
    {"parent_doc_id": "p" * 64},
    {"book_id": "b" * 200},
    {"explain": False},
    {"mode": None, "min_score": None},
    {"min_score": 0},
    {"min_score": 1.0},
]

BAD = [
    ({"query": "ab"}, "at least 3 characters"),
    ({"query": "  a  "}, "at least 3 characters"),
    ({"query": "\u200b" * 9}, "at least 3 characters"),
    ({"query": "x" * 2_001}, "2000 characters at most"),
    ({"query": 5}, "must be a string"),
    ({"query": None}, "must be a string"),
    ({"query": "a\x00question"}, "NUL"),
    ({"hardware_tier": 0}, "must be at least 1"),
    ({"hardware_tier": 5}, "must be at most 4"),
    ({"hardware_tier": True}, "must be a whole number, got true"),
    ({"hardware_tier": "1"}, 'must be a whole number, got "1"'),
    ({"hardware_tier": 1.0}, "must be a whole number"),
    ({"hardware_tier": [1]}, "must be a whole number"),
    ({"limit": 0}, "must be at least 1"),
    ({"limit": 21}, "must be at most 20"),
    ({"limit": "5"}, "must be a whole number"),
    ({"limit": 2**70}, None),
    ({"chapter_min": -1}, "must be at least 0"),
    ({"chapter_min": 5, "chapter_max": 4}, "'chapter_min' (5) must not be greater than"),
    ({"lesson": 100_001}, "must be at most 100000"),
    ({"lesson": False}, "must be a whole number, got false"),
    ({"module": ""}, "must not be empty"),
    ({"module": "m" * 201}, "200 characters at most"),
    ({"module": "a\x00"}, "NUL"),
    ({"proficiency_levels": []}, "at least one element"),
    ({"proficiency_levels": ["A1"] * 7}, "6 at most"),
    ({"proficiency_levels": ["D1"]}, "'proficiency_levels[0]' should be 'A1', 'A2'"),
    ({"proficiency_levels": "A1"}, "must be an array"),
    ({"proficiency_levels": [1]}, "'proficiency_levels[0]'"),
    ({"layer": "L5"}, "'layer' should be 'L1'"),
    ({"layer": 2}, "'layer'"),
    ({"parent_doc_id": "p" * 65}, "64 characters at most"),
    ({"book_id": ""}, "must not be empty"),
    ({"book_id": {"$ne": "x"}}, "must be a string"),
    ({"explain": 1}, "must be true or false"),
    ({"min_score": -0.1}, "must be at least 0"),
    ({"min_score": 1.1}, "must be at most 1"),
    ({"min_score": "0.5"}, "must be a number"),
    ({"min_score": True}, "must be a number"),
]


@pytest.mark.parametrize("body", GOOD, ids=str)
async def test_the_limits_themselves_are_allowed(
    client: httpx2.AsyncClient, body: dict[str, object]
) -> None:
    reply = await client.post("/search", json={"query": "a question", **body})

    assert reply.status_code == 200, reply.text


@pytest.mark.parametrize(("body", "says"), BAD, ids=lambda value: str(value)[:60])
async def test_a_bad_search_is_422_and_says_what_is_wrong(
    client: httpx2.AsyncClient, embedder: FakeEmbedder, body: dict[str, object], says: str | None
) -> None:
    reply = await client.post("/search", json={"query": "a question", **body})

    assert reply.status_code == 422, reply.text
    assert list(reply.json()) == ["detail"]
    assert (says or "") in reply.json()["detail"]
    assert embedder.queries == []


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
@pytest.mark.usefixtures("indexed")
async def test_a_malformed_body_is_422(client: httpx2.AsyncClient, body: bytes) -> None:
    reply = await client.post("/search", content=body, headers=JSON)

    assert reply.status_code == 422
    assert list(reply.json()) == ["detail"]
    assert isinstance(reply.json()["detail"], str)


async def test_a_missing_question_is_named(client: httpx2.AsyncClient) -> None:
    reply = await client.post("/search", json={})

    assert (reply.status_code, reply.json()) == (422, {"detail": "'query' is required"})


async def test_a_body_of_another_type_is_refused(client: httpx2.AsyncClient) -> None:
    body = b'{"query": "a question"}'

    reply = await client.post("/search", content=body, headers={"Content-Type": "text/plain"})

    assert reply.status_code == 415
    assert list(reply.json()) == ["detail"]


@pytest.mark.parametrize("path", ["/search/", "/context", "/lesson/", "/ingestion", "/info/x"])
async def test_an_unknown_path_is_404_in_the_dialect(client: httpx2.AsyncClient, path: str) -> None:
    reply = await client.get(path)

    assert reply.status_code == 404
    assert list(reply.json()) == ["detail"]


async def test_a_wrong_method_names_the_right_one(client: httpx2.AsyncClient) -> None:
    reply = await client.get("/search")

    assert (reply.status_code, reply.headers["allow"]) == (405, "POST")
