"""Reading on from a result, and reading whole lessons."""

from itertools import pairwise
from typing import Any

import httpx2
import pytest

from tests.surfaces.book.sample_book import (
    ADMIN,
    ARM,
    BASE_URL,
    BOOK,
    CHAPTER,
    JOINTS,
    LESSONS,
    PUBLISHER,
    WORLDS,
    Library,
    id_of,
    section,
)
from tests.surfaces.book.test_search import RESULT_KEYS

pytestmark = pytest.mark.usefixtures("indexed")

LESSON_KEYS = {
    "parent_doc_id",
    "total_chunks",
    "chunks",
    "text",
    "lesson_title",
    "source_file",
    "lesson_url",
    "book_id",
    "format",
    "locations",
}


async def lesson(client: httpx2.AsyncClient, path: str, **asked: object) -> dict[str, Any]:
    reply = await client.get(f"/lesson/{id_of(path)}", params=asked)  # type: ignore[arg-type]
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


async def around(client: httpx2.AsyncClient, chunk_id: str, **asked: object) -> list[str]:
    reply = await client.get(f"/context/{chunk_id}", params=asked)  # type: ignore[arg-type]
    assert reply.status_code == 200, reply.text
    assert reply.json().keys() == {"chunks"}
    return [chunk["chunk_id"] for chunk in reply.json()["chunks"]]


@pytest.mark.spec("002 US3.1")
@pytest.mark.spec("002 FR-017")
@pytest.mark.spec("002 FR-026")
@pytest.mark.spec("002 SC-006")
@pytest.mark.spec("002 Eval-005")
async def test_a_lesson_has_all_its_chunks_in_reading_order(client: httpx2.AsyncClient) -> None:
    found = await lesson(client, PUBLISHER)

    assert found.keys() == LESSON_KEYS
    chunks = found["chunks"]
    assert [chunk["chunk_index"] for chunk in chunks] == [0, 1, 2]
    assert all(chunk.keys() == RESULT_KEYS | {"overlap"} for chunk in chunks)
    assert all(chunk["score"] == 1.0 for chunk in chunks)
    starts = [chunk["start"] for chunk in chunks]
    assert starts == sorted(starts)
    assert found["parent_doc_id"] == id_of(PUBLISHER)
    assert found["lesson_title"] == "Lesson 4.2: Writing a Publisher"
    assert (found["source_file"], found["book_id"]) == (PUBLISHER, BOOK)
    assert found["lesson_url"] == (
        f"{BASE_URL}/docs/module-1-ros2/chapter-4-first-code/lesson-4-2-writing-publisher"
    )


@pytest.mark.spec("002 US3.2")
async def test_a_lesson_of_ten_chunks_says_that_it_has_ten(
    client: httpx2.AsyncClient, indexed: Library
) -> None:
    text = "".join(section(f"Part {n}", f"topic{n} with several words") for n in range(10))
    indexed.source.write(JOINTS, text)
    await client.post("/ingestion/trigger", headers=ADMIN)
    await indexed.work_off()

    found = await lesson(client, JOINTS)

    assert (found["total_chunks"], len(found["chunks"])) == (10, 10)
    assert {chunk["total_chunks"] for chunk in found["chunks"]} == {10}


async def test_a_lesson_is_its_source_and_its_chunks_cover_it(client: httpx2.AsyncClient) -> None:
    found = await lesson(client, PUBLISHER)

    assert found["text"] == LESSONS[PUBLISHER]
    joined = "".join(chunk["text"][chunk["overlap"] :] for chunk in found["chunks"])
    body = found["text"].partition("---\n\n")[2]
    assert joined.split() == ["Send", "your", "first", "messages", *body.split()]
    for before, after in pairwise(found["chunks"]):
        assert before["text"].endswith(after["text"][: after["overlap"]].rstrip())
    assert found["chunks"][0]["overlap"] == 0


@pytest.mark.spec("002 FR-016")
@pytest.mark.spec("002 FR-016a")
@pytest.mark.spec("002 FR-016b")
@pytest.mark.spec("002 SC-005")
async def test_the_chain_leads_from_end_to_end_and_is_null_only_there(
    client: httpx2.AsyncClient,
) -> None:
    ids = [chunk["chunk_id"] for chunk in (await lesson(client, PUBLISHER))["chunks"]]

    for place, chunk_id in enumerate(ids):
        reply = await client.get(f"/context/{chunk_id}", params={"prev": 0, "next": 0})
        (chunk,) = reply.json()["chunks"]
        assert chunk.keys() == RESULT_KEYS
        assert chunk["score"] == 1.0
        assert chunk["prev_chunk_id"] == (ids[place - 1] if place else None)
        assert chunk["next_chunk_id"] == (ids[place + 1] if place < 2 else None)


@pytest.mark.spec("002 US1.3")
@pytest.mark.spec("002 FR-025")
async def test_a_result_can_be_read_on_from(client: httpx2.AsyncClient) -> None:
    body = {"query": "the timer calls back", "limit": 1}
    (result,) = (await client.post("/search", json=body)).json()["results"]
    previous, following = result["prev_chunk_id"], result["next_chunk_id"]

    assert await around(client, result["chunk_id"]) == [previous, result["chunk_id"], following]
    assert await around(client, previous) == [previous, result["chunk_id"]]
    assert await around(client, following, prev=2, next=0) == [
        previous,
        result["chunk_id"],
        following,
    ]
    assert await around(client, following, prev=20, next=20) == [
        previous,
        result["chunk_id"],
        following,
    ]


@pytest.mark.spec("002 SC-004")
@pytest.mark.parametrize("path", [JOINTS, WORLDS, ARM])
async def test_what_lies_above_the_readers_tier_does_not_exist(
    client: httpx2.AsyncClient, path: str
) -> None:
    found = await lesson(client, path, hardware_tier=4)
    tier = found["chunks"][0]["hardware_tier"]
    chunk_id = found["chunks"][0]["chunk_id"]

    for hidden in range(1, tier):
        asked = {"hardware_tier": hidden}
        read = await client.get(f"/lesson/{id_of(path)}", params=asked)
        seen = await client.get(f"/context/{chunk_id}", params=asked)
        assert (read.status_code, read.json()) == (404, {"detail": "Lesson not found"})
        assert (seen.status_code, seen.json()) == (404, {"detail": "Chunk not found"})
    assert await around(client, chunk_id, hardware_tier=tier, next=0) == [chunk_id]


@pytest.mark.spec("002 FR-012")
async def test_what_another_book_holds_does_not_exist(client: httpx2.AsyncClient) -> None:
    chunk_id = (await lesson(client, PUBLISHER))["chunks"][0]["chunk_id"]
    asked = {"book_id": "another"}

    assert (await client.get(f"/lesson/{id_of(PUBLISHER)}", params=asked)).status_code == 404
    assert (await client.get(f"/context/{chunk_id}", params=asked)).status_code == 404
    assert await around(client, chunk_id, book_id=BOOK, next=0) == [chunk_id]


@pytest.mark.parametrize("unknown", ["nobody", "%00", "%ff", "a" * 3_000, "%F0%9F%98%80"])
async def test_what_nobody_knows_is_404(client: httpx2.AsyncClient, unknown: str) -> None:
    for path in (f"/lesson/{unknown}", f"/context/{unknown}"):
        reply = await client.get(path)
        assert reply.status_code == 404
        assert list(reply.json()) == ["detail"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("prev", "-1"),
        ("prev", "21"),
        ("next", "21"),
        ("next", "many"),
        ("next", "1.5"),
        ("prev", "true"),
        ("hardware_tier", "0"),
        ("hardware_tier", "5"),
        ("hardware_tier", "true"),
        ("book_id", ""),
        ("book_id", "\x00"),
        ("book_id", "b" * 201),
    ],
)
async def test_a_bad_parameter_is_422_and_named(
    client: httpx2.AsyncClient, name: str, value: str
) -> None:
    reply = await client.get("/context/nobody", params={name: value})

    assert reply.status_code == 422
    assert list(reply.json()) == ["detail"]
    assert repr(name) in reply.json()["detail"]


async def test_the_contents_list_every_lesson_in_reading_order(client: httpx2.AsyncClient) -> None:
    found = (await client.get("/lessons")).json()

    assert found["book_id"] == BOOK
    assert [entry["source_file"] for entry in found["lessons"]] == [
        CHAPTER,
        PUBLISHER,
        JOINTS,
        WORLDS,
        ARM,
    ]
    assert found["lessons"][1] == {
        "parent_doc_id": id_of(PUBLISHER),
        "lesson_title": "Lesson 4.2: Writing a Publisher",
        "source_file": PUBLISHER,
        "module": "ros2",
        "chapter": 4,
        "lesson": 2,
        "hardware_tier": 1,
        "proficiency_level": "B1",
        "book_id": BOOK,
    }


async def test_the_contents_hide_what_lies_above_the_readers_tier(
    client: httpx2.AsyncClient,
) -> None:
    found = (await client.get("/lessons", params={"hardware_tier": 2})).json()

    assert [entry["source_file"] for entry in found["lessons"]] == [CHAPTER, PUBLISHER, JOINTS]
    assert (await client.get("/lessons", params={"book_id": "other"})).json()["lessons"] == []
