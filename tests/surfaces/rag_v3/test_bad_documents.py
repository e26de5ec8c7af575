"""The first field that is wrong is named, in the contract's order and in its words."""

import httpx2
import pytest

from sourcebook.core.ports import Ledger
from sourcebook.ingestion.posted.inbox import MAX_TEXT_LENGTH
from tests.surfaces.rag_v3.postings import (
    BATCH,
    DOCUMENTS,
    INGEST,
    JOBS,
    JSON,
    SEARCH,
    invalid,
    posting,
    without,
)

SOURCE = "source is required and must be a string"
PATTERN = "source must match pattern: ^[a-zA-Z0-9_-]+$"
PATH = "path is required and must be a string"
TITLE = "title is required and must be a string"
TEXT = "text is required and must be a non-empty string"
TAGS = "tags must be an array of strings"


@pytest.mark.spec("003 2.1")
@pytest.mark.parametrize(
    ("body", "field", "message"),
    [
        (without("source"), "source", "source is required"),
        (posting(source=None), "source", "source is required"),
        (posting(source=5), "source", SOURCE),
        (posting(source=""), "source", SOURCE),
        (posting(source="a b"), "source", PATTERN),
        (posting(source="nas\n"), "source", PATTERN),
        (posting(source="été"), "source", PATTERN),
        (posting(source="../etc"), "source", PATTERN),
        (without("path"), "path", "path is required"),
        (posting(path=["a"]), "path", PATH),  # type: ignore[arg-type]
        (posting(path=""), "path", PATH),
        (without("title"), "title", "title is required"),
        (posting(title=True), "title", TITLE),
        (posting(title=""), "title", TITLE),
        (posting(title="\x00\x01"), "title", TITLE),
        (without("text"), "text", "text is required"),
        (posting(text=None), "text", "text is required"),
        (posting(text={"a": 1}), "text", TEXT),
        (posting(text=""), "text", TEXT),
        (posting(text=" \n\t"), "text", TEXT),
        (posting(text="\x00\x01\u200b"), "text", TEXT),
        (posting(tags="a"), "tags", TAGS),
        (posting(tags={"a": 1}), "tags", TAGS),
        (posting(tags=["a", 5]), "tags", TAGS),
        (posting(tags=["a", None]), "tags", TAGS),
        (posting(tags=[["a"]]), "tags", TAGS),
        (posting(hash=5), "hash", "hash must be a string"),
        (posting(metadata=[]), "metadata", "metadata must be an object"),
        (posting(metadata="x"), "metadata", "metadata must be an object"),
    ],
)
async def test_a_field_that_is_wrong_is_named(
    client: httpx2.AsyncClient, ledger: Ledger, body: object, field: str, message: str
) -> None:
    for path in (INGEST, DOCUMENTS):
        reply = await client.post(path, json=body)
        assert (reply.status_code, reply.json()) == (400, invalid(field, message))
    assert await ledger.collections.all() == []


@pytest.mark.spec("003 2.1")
async def test_the_fields_are_checked_in_the_contracts_order(client: httpx2.AsyncClient) -> None:
    bad: dict[str, object] = {"tags": 1, "text": 1, "title": 1, "path": 1, "source": 1}
    bad |= {"metadata": 1, "hash": 1}
    order = ["source", "path", "title", "text", "tags", "hash", "metadata"]
    good = {**posting(), "tags": [], "hash": "h", "metadata": {}}

    for field in order:
        reply = await client.post(INGEST, json=bad)
        assert reply.json()["details"]["field"] == field
        bad[field] = good[field]


@pytest.mark.parametrize(
    ("fields", "field", "says"),
    [
        ({"source": "s" * 201}, "source", "source has 201 characters, 200 at most"),
        ({"path": "p" * 2_001}, "path", "path has 2001 characters, 2000 at most"),
        ({"title": "t" * 1_001}, "title", "title has 1001 characters, 1000 at most"),
        ({"tags": ["t"] * 101}, "tags", "tags has 101 elements, 100 at most"),
        ({"tags": ["t" * 201]}, "tags", "tags has one of 201 characters, 200 at most"),
        ({"hash": "h" * 201}, "hash", "hash has 201 characters, 200 at most"),
        ({"text": "x" * (MAX_TEXT_LENGTH + 1)}, "text", "post it in parts"),
        ({"path": "a\x00b"}, "path", "NUL"),
        ({"tags": ["a\x00b"]}, "tags", "NUL"),
        ({"hash": "a\x00b"}, "hash", "NUL"),
        ({"metadata": {"a": "b\x00"}}, "metadata", "NUL"),
        ({"metadata": {"k" * 300: 1}}, "metadata", "1 to 256 characters"),
        ({"metadata": {f"k{n}": n for n in range(300)}}, "metadata", "256 at most"),
    ],
)
async def test_what_is_too_long_or_no_text_is_refused(
    client: httpx2.AsyncClient,
    ledger: Ledger,
    fields: dict[str, object],
    field: str,
    says: str,
) -> None:
    reply = await client.post(INGEST, json=posting(**fields))  # type: ignore[arg-type]

    assert reply.status_code == 400
    details = reply.json()["details"]
    assert details["field"] == field
    assert says in details["message"]
    assert await ledger.collections.all() == []


async def test_what_is_just_short_enough_is_taken(client: httpx2.AsyncClient) -> None:
    reply = await client.post(
        INGEST,
        json=posting(
            source="s" * 200,
            path="p" * 2_000,
            title="t" * 1_000,
            tags=["t" * 200] * 100,
            hash="h" * 200,
        ),
    )

    assert reply.status_code == 200, reply.text


@pytest.mark.parametrize("path", [INGEST, DOCUMENTS, BATCH, JOBS, SEARCH])
@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "A JSON body is required"),
        (b"{", "not valid JSON"),
        (b'{"text": NaN}', "not valid JSON"),
        (b'{"text": "\\ud800"}', "not valid JSON"),
        (b"\xff\xfe", "not valid JSON"),
        (b"[]", "must be a JSON object"),
        (b"null", "must be a JSON object"),
        (b'"text"', "must be a JSON object"),
        (b"5", "must be a JSON object"),
    ],
)
async def test_a_body_that_is_no_object_is_400_in_the_same_shape(
    client: httpx2.AsyncClient, path: str, body: bytes, says: str
) -> None:
    reply = await client.post(path, content=body, headers=JSON)

    assert reply.status_code == 400
    assert reply.json() == invalid("body", reply.json()["details"]["message"])
    assert says in reply.json()["details"]["message"]
    assert "pydantic" not in reply.text
