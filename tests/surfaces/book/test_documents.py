"""A book of PDFs and tables over HTTP: results and lessons say where in the file they stand."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from sourcebook.core.jobs import JobRequest
from sourcebook.ingestion.book.layout_choice import LayoutSettings
from sourcebook.ingestion.identity import lesson_id
from sourcebook.service.wiring.ingestion import BookConfig
from sourcebook.surfaces.use_cases import BookRules
from tests import document_files as make
from tests.books import MemorySource
from tests.converters import our_converters
from tests.surfaces.book.sample_book import BASE_URL, BOOK, Library

MANUAL, PARTS = "manual.pdf", "parts.csv"
PAGES = [
    [(24, "Wren"), (12, "Wren is a robot with two arms.")],
    [(24, "Battery"), (12, "The battery lasts six hours.")],
]


@pytest.fixture
def config(config: BookConfig, tmp_path: Path) -> BookConfig:
    files = {MANUAL: make.pdf(PAGES), PARTS: b"part,mass\narm,3 kg\nleg,5 kg\n"}
    return replace(
        config,
        rules=BookRules(BOOK, BASE_URL),
        source=MemorySource(files),
        layout=LayoutSettings(),
        conversion=our_converters(),
    )


@pytest.fixture(autouse=True)
async def _indexed(library: Library) -> None:
    await library.parts.book_jobs.submit(JobRequest(BOOK))
    (job,) = await library.work_off()
    assert (job.status, job.warnings) == ("completed", ())


async def read(client: httpx2.AsyncClient, path: str) -> dict[str, Any]:
    reply = await client.get(f"/lesson/{lesson_id(BOOK, path)}")
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


async def test_a_result_in_a_pdf_has_its_page_and_a_link_that_opens_there(
    client: httpx2.AsyncClient,
) -> None:
    reply = await client.post("/search", json={"query": "Wren robot two arms", "limit": 5})

    found = {result["source_file"]: result for result in reply.json()["results"]}
    assert found[MANUAL]["page"] == 1
    assert found[MANUAL]["lesson_url"] == f"{BASE_URL}/docs/manual.pdf#page=1"
    assert len(found[MANUAL]["boxes"]) == 2
    assert found[PARTS]["row"] == 1
    assert found[PARTS]["page"] is None


async def test_a_lesson_is_the_converted_text_with_the_places_of_all_of_it(
    client: httpx2.AsyncClient,
) -> None:
    lesson = await read(client, MANUAL)

    assert lesson["format"] == "pdf"
    on_pages = {
        lesson["text"][place["start"] : place["end"]]: place["page"]
        for place in lesson["locations"]
    }
    assert on_pages["Wren is a robot with two arms."] == 1
    assert on_pages["The battery lasts six hours."] == 2
    for chunk in lesson["chunks"]:
        assert chunk["text"] == lesson["text"][chunk["start"] : chunk["end"]]
