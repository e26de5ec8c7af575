"""Searching a book: what is found, what each result says, and what readers never see."""

import asyncio
from itertools import product
from typing import Any

import httpx2
import pytest

from sourcebook.core.ports import Ledger
from sourcebook.service.wiring.ingestion import BookConfig
from tests.fakes import FakeEmbedder
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
)

pytestmark = pytest.mark.usefixtures("indexed")

RESULT_KEYS = {
    "text",
    "score",
    "source_file",
    "section_title",
    "module",
    "chapter",
    "lesson",
    "lesson_title",
    "lesson_description",
    "hardware_tier",
    "proficiency_level",
    "book_id",
    "layer",
    "chunk_index",
    "total_chunks",
    "parent_doc_id",
    "prev_chunk_id",
    "next_chunk_id",
    "content_hash",
    "citation",
    "lesson_url",
    "chunk_id",
    "start",
    "end",
    "line_start",
    "line_end",
    *("page", "boxes", "anchor", "slide", "row", "cell"),
}
REPLY_KEYS = {
    "query",
    "results",
    "total_found",
    "hardware_tier_filter",
    "module_filter",
    "book_id",
    "mode",
}

# What the lessons' paths and front matters say; a missing tier is 1, a missing level A2.
PLACES: dict[str, dict[str, Any]] = {
    PUBLISHER: {"tier": 1, "module": "ros2", "chapter": 4, "lesson": 2, "level": "B1", "in": "L2"},
    CHAPTER: {"tier": 1, "module": "ros2", "chapter": 4, "lesson": 0, "level": "A2", "in": None},
    JOINTS: {"tier": 2, "module": "ros2", "chapter": 7, "lesson": 1, "level": "A2", "in": "L1"},
    WORLDS: {"tier": 3, "module": "gazebo", "chapter": 8, "lesson": 1, "level": "B2", "in": "L3"},
    ARM: {"tier": 4, "module": "vla", "chapter": 12, "lesson": 3, "level": "C1", "in": "L4"},
}


async def search(client: httpx2.AsyncClient, **body: object) -> dict[str, Any]:
    reply = await client.post("/search", json={"query": "a ros2 publisher", **body})
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


async def files(client: httpx2.AsyncClient, **body: object) -> set[str]:
    found = await search(client, limit=20, **body)
    return {result["source_file"] for result in found["results"]}


@pytest.mark.spec("002 FR-011")
@pytest.mark.spec("002 FR-019")
async def test_the_nearest_chunks_come_first(client: httpx2.AsyncClient) -> None:
    found = await search(client, query="URDF joint limits")

    assert len(found["results"]) == 5
    first = found["results"][0]
    assert (first["source_file"], first["section_title"]) == (JOINTS, "Joint Limits")
    scores = [result["score"] for result in found["results"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


@pytest.mark.spec("002 FR-015")
async def test_a_result_names_the_section_of_its_chunk_that_was_found(
    client: httpx2.AsyncClient, indexed: Library
) -> None:
    sections = {"Springs": "coil stiffness", "Dampers": "oil piston", "Motors": "rotor magnet"}
    parts = [f"## {name}\n\n" + f"{words} " * 40 for name, words in sections.items()]
    indexed.source.write(JOINTS, "\n\n".join(["# Suspensions", *parts]))
    await client.post("/ingestion/trigger", headers=ADMIN)
    await indexed.work_off()

    found = [(await search(client, query=words))["results"][0] for words in sections.values()]

    assert len({result["text"] for result in found}) == 1
    assert [result["section_title"] for result in found] == list(sections)
    assert [result["lesson_url"].partition("#")[2] for result in found] == [
        "springs",
        "dampers",
        "motors",
    ]


@pytest.mark.spec("002 FR-015")
async def test_a_result_says_what_it_is_and_where_it_stands(client: httpx2.AsyncClient) -> None:
    found = await search(client, query="a publisher node sends messages", hardware_tier=1)

    assert found.keys() == REPLY_KEYS
    result = found["results"][0]
    assert result.keys() == RESULT_KEYS
    source = LESSONS[PUBLISHER]
    description, _, body = result["text"].partition("\n\n\n")
    assert source[result["start"] :].startswith(description)
    assert source[: result["end"]].endswith(body)
    lines = source.splitlines()[result["line_start"] - 1 : result["line_end"]]
    assert lines[0] == f"description: {description}"
    assert lines[-1] == body.splitlines()[-1]
    assert (result["parent_doc_id"], result["source_file"]) == (id_of(PUBLISHER), PUBLISHER)
    assert (result["module"], result["chapter"], result["lesson"]) == ("ros2", 4, 2)
    assert (result["hardware_tier"], result["proficiency_level"], result["layer"]) == (
        1,
        "B1",
        "L2",
    )
    assert result["lesson_title"] == "Lesson 4.2: Writing a Publisher"
    assert result["lesson_description"] == "Send your first messages"
    assert (result["chunk_index"], result["total_chunks"]) == (0, 3)
    assert result["prev_chunk_id"] is None
    assert result["next_chunk_id"]
    assert len(result["content_hash"]) == 64


async def test_a_result_has_the_citation_and_the_link_that_the_chat_shows(
    client: httpx2.AsyncClient,
) -> None:
    found = await search(client, query="quality of service reliability durability", limit=1)

    (result,) = found["results"]
    assert result["citation"] == (
        "Lesson 4.2: Writing a Publisher | Section: Quality of Service | Module ROS2"
    )
    assert result["lesson_url"] == (
        f"{BASE_URL}/docs/module-1-ros2/chapter-4-first-code/lesson-4-2-writing-publisher"
        "#quality-of-service"
    )


async def test_what_is_not_known_of_a_chunk_is_null(client: httpx2.AsyncClient) -> None:
    found = await search(client, parent_doc_id=id_of(CHAPTER))

    (result,) = found["results"]
    assert result.keys() == RESULT_KEYS
    assert result["lesson_description"] is None
    assert result["layer"] is None
    assert (result["prev_chunk_id"], result["next_chunk_id"]) == (None, None)
    assert result["citation"] == "Overview | Section: Overview | Module ROS2"


@pytest.mark.spec("002 US1.1")
@pytest.mark.spec("002 FR-013")
@pytest.mark.spec("002 SC-004")
@pytest.mark.spec("002 Eval-002")
@pytest.mark.parametrize("tier", [1, 2, 3, 4, None])
async def test_a_reader_sees_their_tier_and_lower_ones(
    client: httpx2.AsyncClient, tier: int | None
) -> None:
    seen = await files(client, query="ROS 2 publisher", hardware_tier=tier)

    assert seen == {path for path, about in PLACES.items() if about["tier"] <= (tier or 4)}


@pytest.mark.spec("002 FR-014")
async def test_filters_mean_together_what_they_mean_alone(client: httpx2.AsyncClient) -> None:
    choices = product(
        [None, 1, 3], [None, "ros2"], [None, 7], [None, 4, 8], [None, 1], [None, ["B1", "a2"]]
    )
    for tier, module, first, last, lesson, levels in choices:
        if first and last == 4:
            continue
        wanted = {
            path
            for path, about in PLACES.items()
            if about["tier"] <= (tier or 4)
            and about["module"] == (module or about["module"])
            and (first or 0) <= about["chapter"] <= (last or 99)
            and about["lesson"] == (about["lesson"] if lesson is None else lesson)
            and (levels is None or about["level"] in {"B1", "A2"})
        }

        assert wanted == await files(
            client,
            hardware_tier=tier,
            module=module,
            chapter_min=first,
            chapter_max=last,
            lesson=lesson,
            proficiency_levels=levels,
        )


@pytest.mark.spec("002 FR-014")
async def test_one_layer_or_one_lesson_can_be_asked_for(client: httpx2.AsyncClient) -> None:
    assert await files(client, layer="l3") == {WORLDS}
    assert await files(client, parent_doc_id=id_of(JOINTS)) == {JOINTS}
    assert await files(client, chapter_min=0, chapter_max=4, lesson=0) == {CHAPTER}


@pytest.mark.spec("002 FR-012")
async def test_every_query_stays_in_one_book(
    client: httpx2.AsyncClient, indexed: Library, config: BookConfig
) -> None:
    place = config.roots[0] / JOINTS
    place.parent.mkdir(parents=True)
    place.write_text(LESSONS[PUBLISHER])
    order = {"book_id": "another", "docs_path": "."}
    assert (await client.post("/ingestion/trigger", json=order, headers=ADMIN)).status_code == 202
    await indexed.work_off()
    posted = {"text": "a ros2 publisher", "metadata": {"hardware_tier": 1}}
    await client.post("/collections/book/documents", json={"documents": [posted]})

    ours = await search(client, limit=20)
    named = await search(client, limit=20, book_id=BOOK)
    other = await search(client, limit=20, book_id="another")

    assert {result["source_file"] for result in ours["results"]} == LESSONS.keys()
    assert ours == named
    assert (ours["book_id"], other["book_id"]) == (BOOK, "another")
    assert {result["source_file"] for result in other["results"]} == {JOINTS}
    assert {result["parent_doc_id"] for result in other["results"]} == {id_of(JOINTS, "another")}


@pytest.mark.parametrize(
    "body", [{"module": "nobody"}, {"book_id": "nobody"}, {"chapter_min": 99}, {"lesson": 99}]
)
async def test_what_nothing_fits_is_200_without_results(
    client: httpx2.AsyncClient, body: dict[str, object]
) -> None:
    found = await search(client, **body)

    assert (found["results"], found["total_found"]) == ([], 0)


async def test_the_reply_names_the_filters(client: httpx2.AsyncClient) -> None:
    found = await search(client, query="  a publisher ", hardware_tier=2, module="ros2", limit=2)

    assert found["query"] == "a publisher"
    assert (found["hardware_tier_filter"], found["module_filter"]) == (2, "ros2")
    assert found["total_found"] == len(found["results"]) == 2


async def test_unknown_fields_are_ignored(client: httpx2.AsyncClient) -> None:
    found = await search(client, hardware_tier=1, filter={"hardware_tier": 4}, tier=4)

    assert found.keys() == REPLY_KEYS
    assert {result["hardware_tier"] for result in found["results"]} == {1}


async def test_explain_adds_times_and_raw_scores(client: httpx2.AsyncClient) -> None:
    found = await search(client, limit=3, explain=True)

    assert found.keys() == REPLY_KEYS | {"explain"}
    explain = found["explain"]
    assert explain.keys() == {"mode", "embedding_ms", "index_ms", "ledger_ms", "rounds", "results"}
    assert explain["rounds"] >= 1
    raw = {entry["chunk_id"]: entry["cosine"] for entry in explain["results"]}
    assert raw == pytest.approx({hit["chunk_id"]: hit["score"] for hit in found["results"]})


async def test_a_document_that_somebody_else_posted_has_odd_metadata_and_does_no_harm(
    client: httpx2.AsyncClient,
) -> None:
    metadata = {"book_id": BOOK, "hardware_tier": 1, "chapter": "four", "lesson": True, "module": 5}
    posted = {"id": "odd", "text": "odd words nobody else has", "metadata": metadata}
    added = await client.post("/collections/book/documents", json={"documents": [posted]})
    assert added.status_code == 200, added.text

    found = await search(client, query="odd words nobody else has", hardware_tier=1, limit=1)

    (result,) = found["results"]
    assert result.keys() == RESULT_KEYS
    assert (result["parent_doc_id"], result["hardware_tier"]) == ("odd", 1)
    unknown = ("chapter", "lesson", "module", "lesson_url", "start", "line_end", "source_file")
    assert [result[field] for field in unknown] == [None] * 7
    assert result["citation"] == ""


@pytest.mark.spec("002 SC-007")
async def test_a_hundred_searches_at_once_are_answered_alike(client: httpx2.AsyncClient) -> None:
    alone = await search(client)

    together = await asyncio.gather(*(search(client) for _ in range(100)))

    assert all(found == alone for found in together)


async def test_a_search_writes_nothing(
    client: httpx2.AsyncClient, ledger: Ledger, embedder: FakeEmbedder
) -> None:
    before = await ledger.collections.all(), await ledger.jobs.recent(10)
    embedder.batches.clear()

    await search(client)

    assert (await ledger.collections.all(), await ledger.jobs.recent(10)) == before
    assert embedder.batches == []
