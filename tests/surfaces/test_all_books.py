"""A question without a book is for all that its asker may read; each source says its book."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.ports import Ledger
from sourcebook.ingestion.identity import lesson_id
from sourcebook.library import Book
from sourcebook.surfaces.use_cases import UseCases
from tests.memory_store import MemoryStore
from tests.two_books import (
    ARM_ID,
    BREAD,
    COOKING,
    DOUGH,
    EVERYTHING_KEY,
    KIOSK_KEY,
    NODE,
    NODES,
    NODES_ID,
    ROBOTS,
    WEIGHT,
    keyed_app,
    streaming_client,
    two_books,
)

ABOUT_DOUGH = "How long does the dough of the bread rest?"
ABOUT_NODES = "What is a node of a robot?"
BREAD_ID = lesson_id(COOKING, BREAD)


@pytest.fixture
async def use_cases(ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> UseCases:
    """Nobody has set BOOK_ID."""
    return await two_books(ledger, store, models, alone=False)


@pytest.fixture
async def unlisted(ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> UseCases:
    """A service that others can reach: its visitors do not see which books there are."""
    return await two_books(ledger, store, models, alone=False, listed=False)


@pytest.fixture
async def client(use_cases: UseCases) -> AsyncIterator[httpx2.AsyncClient]:
    async with streaming_client(keyed_app(use_cases)) as client:
        yield client


async def test_search_finds_in_every_book_and_says_in_which(client: httpx2.AsyncClient) -> None:
    found = await client.post("/search", json={"query": ABOUT_DOUGH})
    one = await client.post("/search", json={"query": ABOUT_DOUGH, "book_id": ROBOTS})

    assert found.json()["book_id"] is None
    assert found.json()["results"][0]["book_id"] == COOKING
    assert {result["book_id"] for result in found.json()["results"]} == {COOKING, ROBOTS}
    assert one.json()["book_id"] == ROBOTS
    assert {result["book_id"] for result in one.json()["results"]} == {ROBOTS}


@pytest.mark.parametrize(
    ("asked", "book", "says"),
    [
        (ABOUT_DOUGH, COOKING, DOUGH),
        (ABOUT_NODES, ROBOTS, NODE),
    ],
)
async def test_chat_answers_from_whichever_book_knows(
    client: httpx2.AsyncClient, asked: str, book: str, says: str
) -> None:
    said = (await client.post("/chat", json={"query": asked})).json()
    streamed = (await client.post("/chat/stream", json={"query": asked})).text

    assert said["answer"].startswith(says)
    assert [source["book_id"] for source in said["sources"]] == [book]
    assert f'"book_id":"{book}"' in streamed


async def test_a_named_book_is_asked_alone(client: httpx2.AsyncClient) -> None:
    said = (await client.post("/chat", json={"query": ABOUT_DOUGH, "book_id": ROBOTS})).json()

    assert DOUGH not in said["answer"]


async def test_lessons_are_found_by_their_ids_in_whichever_book(
    client: httpx2.AsyncClient,
) -> None:
    bread = (await client.get(f"/lesson/{BREAD_ID}")).json()
    nodes = (await client.get(f"/lesson/{NODES_ID}")).json()
    chunk = bread["chunks"][0]["chunk_id"]
    around = (await client.get(f"/context/{chunk}")).json()
    other = await client.get(f"/lesson/{BREAD_ID}", params={"book_id": ROBOTS})

    assert (bread["book_id"], nodes["book_id"]) == (COOKING, ROBOTS)
    assert around["chunks"][0]["book_id"] == COOKING
    assert other.status_code == 404


async def test_lists_and_counts_are_of_all_books(client: httpx2.AsyncClient) -> None:
    lessons = (await client.get("/lessons")).json()
    whole, robots, cooking = [
        (await client.get("/info", params=params)).json()
        for params in ({}, {"book_id": ROBOTS}, {"book_id": COOKING})
    ]
    contents = (await client.get("/llms.txt")).text

    assert lessons["book_id"] is None
    assert [one["book_id"] for one in lessons["lessons"]] == [ROBOTS, ROBOTS, COOKING]
    assert (whole["book_id"], whole["files_indexed"]) == (None, 3)
    assert whole["total_chunks"] == robots["total_chunks"] + cooking["total_chunks"]
    assert f"/llms/{BREAD_ID}.md?book_id={COOKING}" in contents
    assert f"/llms/{NODES_ID}.md?book_id={ROBOTS}" in contents


async def test_the_page_is_about_all_books_and_offers_each(client: httpx2.AsyncClient) -> None:
    room = (await client.get("/room")).json()
    questions = (await client.get("/room/questions")).json()

    assert (room["book_id"], room["kept"], room["books"]) == (None, None, [ROBOTS, COOKING])
    assert questions["book_id"] is None


async def test_the_library_asks_all_books_unless_it_was_opened_with_one(
    use_cases: UseCases,
) -> None:
    found = await Book(use_cases).search(ABOUT_DOUGH, limit=1)
    said = await Book(use_cases).ask(ABOUT_DOUGH)
    alone = await Book(use_cases, only_book=ROBOTS).search(ABOUT_DOUGH)

    assert [chunk.book_id for chunk in found] == [COOKING]
    assert [source.book_id for source in said.sources] == [COOKING]
    assert {chunk.book_id for chunk in alone} == {ROBOTS}


async def test_agents_and_clients_of_openai_ask_all_books(use_cases: UseCases) -> None:
    question = {"role": "user", "content": ABOUT_DOUGH}
    async with streaming_client(keyed_app(use_cases)) as http:
        said = await http.post(
            "/v1/chat/completions", json={"model": "sourcebook", "messages": [question]}
        )
        transport = streamable_http_client("http://localhost/mcp", http_client=http)
        async with Client(transport) as client:
            answer = (await client.call_tool("ask", {"question": ABOUT_DOUGH})).structured_content
            listed = (await client.call_tool("list_books", {})).structured_content
            lesson = (await client.call_tool("read_lesson", {"path": BREAD})).structured_content

    assert answer is not None
    assert listed is not None
    assert lesson is not None
    assert said.json()["citations"] == [answer["sources"][0]["url"]]
    assert f"?book={COOKING}#/read/{BREAD_ID}" in said.json()["citations"][0]
    assert answer["sources"][0]["book"] == COOKING
    assert {book["id"] for book in listed["books"] if book["is_default"]} == {ROBOTS, COOKING}
    assert DOUGH in lesson["text"]


@pytest.mark.parametrize("path", ["/lessons", "/llms-full.txt", "/llms.txt", "/info"])
async def test_visitors_who_see_no_list_of_books_read_the_kept_one_alone(
    unlisted: UseCases, path: str
) -> None:
    async with streaming_client(keyed_app(unlisted, lists_books=False)) as client:
        read = (await client.get(path)).text
        found = (await client.post("/search", json={"query": ABOUT_DOUGH})).text
        said = (await client.post("/chat", json={"query": ABOUT_DOUGH})).text
        room = (await client.get("/room")).text
        lesson = await client.get(f"/lesson/{BREAD_ID}")

    for reply in (read, found, said, room):
        assert COOKING not in reply
        assert DOUGH not in reply
    assert lesson.status_code == 404


async def test_a_key_for_all_books_asks_all_where_visitors_do_not(unlisted: UseCases) -> None:
    question = {"role": "user", "content": ABOUT_DOUGH}
    app = keyed_app(unlisted, required=True, lists_books=False)
    async with AsyncExitStack() as stack:
        replies = [
            await (await stack.enter_async_context(streaming_client(app, key))).post(
                "/v1/chat/completions", json={"model": "sourcebook", "messages": [question]}
            )
            for key in (EVERYTHING_KEY, KIOSK_KEY)
        ]

    assert DOUGH in replies[0].text
    assert replies[1].status_code == 200
    assert COOKING not in replies[1].text
    assert DOUGH not in replies[1].text


async def test_a_bound_key_gets_no_further_by_any_tool(use_cases: UseCases) -> None:
    async with streaming_client(keyed_app(use_cases, required=True), KIOSK_KEY) as http:
        transport = streamable_http_client("http://localhost/mcp", http_client=http)
        async with Client(transport) as client:
            calls = [
                await client.call_tool(name, arguments)
                for name, arguments in (
                    ("search", {"query": ABOUT_DOUGH, "limit": 20}),
                    ("ask", {"question": ABOUT_DOUGH}),
                    ("fetch", {"id": BREAD_ID}),
                    ("fetch", {"id": ARM_ID}),
                    ("read_lesson", {"path": BREAD}),
                    ("list_books", {}),
                )
            ]
            resources = (await client.list_resources()).resources

    said = " ".join(str(call.content) for call in calls)
    assert COOKING not in said
    assert DOUGH not in said
    assert WEIGHT not in said
    assert [one.name for one in resources] == [NODES]
