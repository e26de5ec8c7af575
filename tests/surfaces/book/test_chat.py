"""Answers from a book: which places they cite, and that what is asked for holds for all of them."""

from typing import Any

import httpx2
import pytest

from tests.surfaces.book.sample_book import ADMIN, BASE_URL, JOINTS, Library

SPRINGS, DAMPERS = "A spring stores the energy of a leg.", "A damper takes the energy of a leg."


async def rewrite(client: httpx2.AsyncClient, library: Library, text: str) -> None:
    library.source.write(JOINTS, text)
    await client.post("/ingestion/trigger", headers=ADMIN)
    await library.work_off()


async def sources(client: httpx2.AsyncClient, query: str, **filters: str) -> list[dict[str, Any]]:
    reply = await client.post("/chat", json={"query": query, "filters": filters})
    assert reply.status_code == 200, reply.text
    found: list[dict[str, Any]] = reply.json()["sources"]
    return found


async def test_the_description_of_a_lesson_is_quoted_from_its_front_matter(
    client: httpx2.AsyncClient, indexed: Library
) -> None:
    said = "A gripper is a hand of two fingers\n  that holds what a robot lifts."
    text = f"---\ntitle: Overview\ndescription: >\n  {said}\nweight: 2\n---\nThis page is short.\n"
    await rewrite(client, indexed, text)

    (source,) = await sources(client, "What is a gripper?")

    assert (source["chunk_text"], source["page_title"]) == (said, "Overview")
    assert text[source["char_start"] : source["char_end"]] == said
    assert (source["line_start"], source["line_end"]) == (4, 5)


@pytest.mark.spec("004 US4.3")
@pytest.mark.parametrize(
    "filters",
    [
        {"section_heading": "Dampers"},
        {"source_url": f"{BASE_URL}/docs/module-1-ros2/chapter-7-urdf/01-joints#dampers"},
    ],
)
async def test_of_a_chunk_with_several_sections_only_the_one_that_is_asked_for_is_quoted(
    client: httpx2.AsyncClient, indexed: Library, filters: dict[str, str]
) -> None:
    text = f"# Legs\n\n## Springs\n\n{SPRINGS}\n\n## Dampers\n\n{DAMPERS}\n\n## Feet\n\nA foot.\n"
    await rewrite(client, indexed, text)

    (source,) = await sources(client, "What stores the energy of a leg?", **filters)

    assert (source["section_heading"], source["chunk_text"]) == ("Dampers", DAMPERS)
    assert text[source["char_start"] : source["char_end"]] == DAMPERS
    assert source["line_start"] == text[: text.index(DAMPERS)].count("\n") + 1
