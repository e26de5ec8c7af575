"""A book as text for language models: its contents, all of it, and one lesson."""

from collections.abc import AsyncIterator

import httpx2
import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.ports import Ledger
from tests.conftest import open_client
from tests.memory_store import MemoryStore
from tests.two_books import (
    ARM_ID,
    COOKING,
    DOUGH,
    FILES,
    NODE,
    NODES,
    NODES_ID,
    ROBOTS,
    WEIGHT,
    two_books,
)


@pytest.fixture
async def client(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels
) -> AsyncIterator[httpx2.AsyncClient]:
    async with open_client(await two_books(ledger, store, models)) as client:
        yield client


async def test_the_contents_lead_to_every_lesson(client: httpx2.AsyncClient) -> None:
    reply = await client.get("/llms.txt")

    assert reply.headers["content-type"] == "text/plain; charset=utf-8"
    assert reply.text.startswith(f"# {ROBOTS}\n\n> 2 lessons")
    address = f"http://localhost/llms/{NODES_ID}.md?book_id={ROBOTS}"
    assert f"- [Nodes]({address})" in reply.text
    assert (await client.get(address)).text == FILES[ROBOTS][NODES]


async def test_the_full_text_has_every_lesson_of_one_book(client: httpx2.AsyncClient) -> None:
    own = (await client.get("/llms-full.txt")).text
    other = (await client.get("/llms-full.txt", params={"book_id": COOKING})).text

    assert NODE in own
    assert WEIGHT in own
    assert DOUGH not in own
    assert DOUGH in other


async def test_what_lies_above_the_tier_does_not_exist(client: httpx2.AsyncClient) -> None:
    tier = {"hardware_tier": 1}

    assert WEIGHT not in (await client.get("/llms-full.txt", params=tier)).text
    assert ARM_ID not in (await client.get("/llms.txt", params=tier)).text
    assert (await client.get(f"/llms/{ARM_ID}.md", params=tier)).status_code == 404


async def test_a_book_of_which_nothing_is_indexed_is_not_found(client: httpx2.AsyncClient) -> None:
    assert (await client.get("/llms.txt", params={"book_id": "poems"})).status_code == 404
