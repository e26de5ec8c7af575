"""What cannot be used is refused with 400, the field, and what would be right."""

import uuid

import httpx2
import pytest

from sourcebook.surfaces.chat.schemas import FILTER_FIELDS
from tests.surfaces.chat.chat_client import ASKED, SESSION, check
from tests.surfaces.chat.fake_sessions import FakeSessions

PATHS = ["/chat", "/chat/stream"]
ROBOT = "\N{ROBOT FACE}"
JSON = {"Content-Type": "application/json"}

# Field, value, and a part of what is said.
BAD_FIELDS: list[tuple[str, object, str]] = [
    ("query", "", "must not be empty"),
    ("query", " \t\u200b\n", "must not be empty"),
    ("query", "x" * 2_001, "2000 characters at most"),
    ("query", None, "must be a string"),
    ("query", 5, "must be a string"),
    ("query", ["What?"], "must be a string"),
    ("query", "a\x00b", "NUL"),
    ("session_id", "", "UUID of version 4"),
    ("session_id", "1", "UUID of version 4"),
    ("session_id", SESSION[:-1], "UUID of version 4"),
    ("session_id", SESSION + "0", "UUID of version 4"),
    ("session_id", SESSION.replace("-", ""), "UUID of version 4"),
    ("session_id", f"{{{SESSION}}}", "UUID of version 4"),
    ("session_id", SESSION + "\n", "UUID of version 4"),
    ("session_id", str(uuid.UUID(int=0)), "UUID of version 4"),
    ("session_id", "c232ab00-9414-11ec-b3c8-9f6bdeced846", "UUID of version 4"),  # version 1
    ("session_id", str(uuid.uuid5(uuid.NAMESPACE_DNS, "a")), "UUID of version 4"),
    ("session_id", "0b8a3c1e-6f2d-4c5b-ca7e-1234567890ab", "UUID of version 4"),
    ("session_id", 5, "must be a string"),
    ("mode", "all", "'general' or 'selected_text'"),
    ("mode", None, "'general' or 'selected_text'"),
    ("selected_text", 5, "must be a string"),
    ("top_k", 0, "at least 1"),
    ("top_k", 21, "at most 20"),
    ("top_k", True, "whole number"),
    ("top_k", "5", "whole number"),
    ("top_k", 5.0, "whole number"),
    ("top_k", 5.5, "whole number"),
    ("top_k", 10**30, "whole number"),
    ("top_k", None, "whole number"),
    ("score_threshold", -0.01, "at least 0"),
    ("score_threshold", 1.01, "at most 1"),
    ("score_threshold", "0.5", "must be a number"),
    ("score_threshold", True, "must be a number"),
    ("filters", [], "must be an object"),
    ("filters", "source_url", "must be an object"),
    ("filters.source_url", 5, "must be an array"),
    ("filters.source_url", {}, "must be an array"),
    ("filters.source_url", [], "must not be empty"),
    ("filters.page_title", ["a"] * 51, "50 at most"),
    ("filters.page_title", "", "must not be empty"),
    ("filters.section_heading", "x" * 2_001, "2000 characters at most"),
    ("filters.section_heading", ["a", 5], "must be a string"),
    ("filters.section_heading", ["a", "a\x00b"], "NUL"),
    ("stream", "true", "true or false"),
    ("stream", 1, "true or false"),
    ("book_id", "", "must not be empty"),
    ("book_id", "x" * 201, "200 characters at most"),
    ("hardware_tier", 0, "at least 1"),
    ("hardware_tier", 5, "at most 4"),
    ("hardware_tier", True, "whole number"),
]

GOOD_FIELDS: list[tuple[str, object]] = [
    ("query", "x"),
    ("query", ROBOT * 2_000),
    ("session_id", None),
    ("session_id", SESSION),
    ("mode", "general"),
    ("top_k", 1),
    ("top_k", 20),
    ("score_threshold", 0),
    ("score_threshold", 0.0),
    ("score_threshold", 1.0),
    ("score_threshold", None),
    ("filters", None),
    ("filters", {}),
    ("filters.source_url", None),
    ("filters.source_url", "x" * 2_000),
    ("filters.page_title", ["a"] * 50),
    ("stream", False),
    ("book_id", None),
    ("hardware_tier", 4),
    ("hardware_tier", None),
]

# A body that is no JSON, and where it breaks.
BROKEN: list[tuple[bytes, str]] = [
    (b'{"query": }', "at character 10"),
    (b'{"query": "a"', "at character 13"),
    (b'{"query": "a"}}', "at character 14"),
    (b'{"query": NaN}', "at character 10"),
    (b'{"query": "a", "score_threshold": Infinity}', "at character 34"),
    (b'{"query": "\\ud800"}', "surrogate"),
    (b'{"query": "\xff"}', "utf-8"),
    ('{"query": "a"}'.encode("utf-16"), "utf-8"),
    (b"query=a", "at character 0"),
    (b"[" * 5_000, "depth"),
]


def with_field(field: str, value: object) -> dict[str, object]:
    outer, _, inner = field.partition(".")
    return {**ASKED, outer: {inner: value} if inner else value}


@pytest.mark.parametrize(("field", "value", "said"), BAD_FIELDS)
async def test_a_bad_field_is_named(
    client: httpx2.AsyncClient, sessions: FakeSessions, field: str, value: object, said: str
) -> None:
    reply = await client.post("/chat", json=with_field(field, value))

    error = check(reply, 400, "validation_error")
    assert said in error["message"]
    assert error["details"]["field"].partition("[")[0] == field
    assert sessions.asked == []


@pytest.mark.parametrize(("field", "value"), GOOD_FIELDS)
async def test_values_at_the_edge_are_taken(
    client: httpx2.AsyncClient, field: str, value: object
) -> None:
    reply = await client.post("/chat", json=with_field(field, value))

    assert reply.status_code == 200, reply.text


@pytest.mark.spec("004 Edge: query too long")
@pytest.mark.spec("004 Edge: empty query")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("query", ["", "  ", "x" * 2_001])
async def test_a_query_that_is_empty_or_too_long_is_400_everywhere(
    client: httpx2.AsyncClient, path: str, query: str
) -> None:
    check(await client.post(path, json={"query": query}), 400, "validation_error")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("body", [{}, {"quest": "What?"}])
async def test_a_question_is_required(
    client: httpx2.AsyncClient, path: str, body: dict[str, str]
) -> None:
    error = check(await client.post(path, json=body), 400, "validation_error")

    assert error["message"] == "'query' is required"


@pytest.mark.spec("004 US2.4")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("selection", [{}, {"selected_text": None}, {"selected_text": " \n"}])
async def test_selected_text_mode_needs_a_selection(
    client: httpx2.AsyncClient, path: str, selection: dict[str, object]
) -> None:
    body = {**ASKED, "mode": "selected_text", **selection}

    error = check(await client.post(path, json=body), 400, "validation_error")

    assert error["message"].startswith("A selection is required for this mode")
    assert error["details"] == {"field": "selected_text"}


@pytest.mark.spec("004 Edge: selected text too long")
async def test_a_selection_has_10000_characters_at_most(
    client: httpx2.AsyncClient, sessions: FakeSessions
) -> None:
    body = {**ASKED, "mode": "selected_text"}

    taken = await client.post("/chat", json={**body, "selected_text": ROBOT * 10_000})
    refused = await client.post("/chat", json={**body, "selected_text": ROBOT * 10_001})

    assert taken.status_code == 200
    assert "please shorten it" in check(refused, 400, "validation_error")["message"]
    assert len(sessions.asked) == 1


async def test_a_selection_holds_no_nul(client: httpx2.AsyncClient) -> None:
    body = {**ASKED, "mode": "selected_text", "selected_text": "a\x00b"}

    check(await client.post("/chat", json=body), 400, "validation_error")


async def test_an_unknown_filter_is_refused_with_the_known_ones(
    client: httpx2.AsyncClient,
) -> None:
    body = {**ASKED, "filters": {"author": "me", "source_url": "https://a.example"}}

    error = check(await client.post("/chat", json=body), 400, "validation_error")

    assert all(field in error["message"] for field in FILTER_FIELDS)
    assert "author" in error["message"]


async def test_all_problems_are_in_the_details(client: httpx2.AsyncClient) -> None:
    reply = await client.post("/chat", json={"query": "", "top_k": 0})

    details = check(reply, 400, "validation_error")["details"]
    assert details["field"] == "query"
    assert len(details["problems"]) == 2


@pytest.mark.spec("004 Edge: malformed JSON")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(("body", "said"), BROKEN)
async def test_what_is_no_json_is_400_and_says_where_it_breaks(
    client: httpx2.AsyncClient, path: str, body: bytes, said: str
) -> None:
    error = check(await client.post(path, content=body, headers=JSON), 400, "validation_error")

    assert said in error["message"].lower()
    assert error["details"]["field"] == "body"
    assert isinstance(error["details"]["position"], int)


@pytest.mark.parametrize("body", [b"", b"null", b"5", b"[]", b'"What?"'])
async def test_a_body_that_is_no_object_is_400(client: httpx2.AsyncClient, body: bytes) -> None:
    check(await client.post("/chat", content=body, headers=JSON), 400, "validation_error")
