"""A book without a website is read in the reading room."""

from dataclasses import replace
from urllib.parse import parse_qs

import httpx2
import pytest

from sourcebook.service.wiring.ingestion import BookConfig
from tests.surfaces.book.sample_book import ADMIN, JOINTS, Library

SAID = "A spring stores the energy of a leg."


@pytest.fixture
def config(config: BookConfig) -> BookConfig:
    return replace(config, rules=replace(config.rules, base_url=None))


async def test_citations_lead_to_the_words_in_the_reading_room(
    client: httpx2.AsyncClient, indexed: Library
) -> None:
    indexed.source.write(JOINTS, f"# Legs\n\n## Springs\n\n{SAID}\n")
    await client.post("/ingestion/trigger", headers=ADMIN)
    await indexed.work_off()
    asked = {"query": "What stores the energy of a leg?"}
    (source,) = (await client.post("/chat", json=asked)).json()["sources"]

    page, _, place = source["source_url"].partition("#/read/")
    document, _, query = place.partition("?")
    words = parse_qs(query)

    assert (await client.get(page, headers={"Accept": "text/html"})).status_code == 200
    text = (await client.get(f"/lesson/{document}")).json()["text"]
    assert text[int(words["from"][0]) : int(words["to"][0])] == SAID
