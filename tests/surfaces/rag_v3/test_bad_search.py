"""A question that cannot be asked is refused, in the contract's order and in its words."""

import httpx2
import pytest

from tests.surfaces.rag_v3.postings import SEARCH, invalid

TOP_K = "topK must be a number between 1 and 20"
MIN_SCORE = "minScore must be a number between 0.0 and 1.0"
QUERY = "query is required and must be a non-empty string"
BAD_NUMBERS: tuple[object, ...] = (-1, "x", "", True, False, [], {})
NO_TAGS: tuple[object, ...] = ("a", [1], [None], {})


@pytest.mark.spec("003 2.2")
@pytest.mark.parametrize(
    ("body", "field", "message"),
    [
        ({}, "query", "query is required"),
        ({"query": None}, "query", "query is required"),
        ({"query": 5}, "query", QUERY),
        ({"query": ""}, "query", QUERY),
        ({"query": " \n"}, "query", QUERY),
        ({"query": "a" * 10_001}, "query", "query has 10001 characters, 10000 at most"),
        *[
            ({"query": "a", "topK": bad}, "topK", TOP_K)
            for bad in (*BAD_NUMBERS, 0, 21, 1.5, "0", "21", "1_0", "٣", 1e300)
        ],
        *[
            ({"query": "a", "minScore": bad}, "minScore", MIN_SCORE)
            for bad in (*BAD_NUMBERS, -0.1, 1.1, 2, "1.1", "NaN", "inf")
        ],
        ({"query": "a", "filters": []}, "filters", "filters must be an object"),
        ({"query": "a", "filters": "x"}, "filters", "filters must be an object"),
        (
            {"query": "a", "filters": {"source": 5}},
            "filters.source",
            "filters.source must be a string",
        ),
        *[
            (
                {"query": "a", "filters": {"tags": bad}},
                "filters.tags",
                "filters.tags must be an array of strings",
            )
            for bad in NO_TAGS
        ],
        (
            {"query": "a", "filters": {"metadata": []}},
            "filters.metadata",
            "filters.metadata must be an object",
        ),
        *[
            (
                {"query": "a", "filters": {"metadata": {"k": bad}}},
                "filters.metadata",
                "filters.metadata must hold strings, numbers and booleans only",
            )
            for bad in (None, [1], {"$gt": 1})
        ],
        *[
            (
                {"query": "a", "filters": {"source": "nas", unknown: value}},
                "filters",
                f"filters has an unknown key {unknown!r}; known: source, tags, metadata",
            )
            for unknown, value in (("sourc", "nas"), ("Tags", ["a"]), ("where", None))
        ],
        (
            {"query": "a", "filters": {"tags": ["t"] * 51}},
            "filters",
            "The filter has 51 terms; 50 at most",
        ),
    ],
)
async def test_a_bad_question_is_400(
    client: httpx2.AsyncClient, body: object, field: str, message: str
) -> None:
    reply = await client.post(SEARCH, json=body)

    assert (reply.status_code, reply.json()) == (400, invalid(field, message))


async def test_the_fields_are_checked_in_order(client: httpx2.AsyncClient) -> None:
    bad: dict[str, object] = {"filters": 1, "minScore": 7, "topK": 77, "query": 5}

    for field, good in (("query", "a"), ("topK", 1), ("minScore", 1), ("filters", {})):
        reply = await client.post(SEARCH, json=bad)
        assert reply.json()["details"]["field"] == field
        bad[field] = good
    assert (await client.post(SEARCH, json=bad)).status_code == 200


async def test_a_question_with_a_nul_is_refused(client: httpx2.AsyncClient) -> None:
    reply = await client.post(SEARCH, json={"query": "a\x00b"})

    assert (reply.status_code, reply.json()["details"]["field"]) == (400, "query")
