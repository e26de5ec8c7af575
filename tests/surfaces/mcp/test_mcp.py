"""Agents read the books over MCP, within what their key allows."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from agents.mcp import MCPServerStreamableHttp
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import INVALID_PARAMS

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.ports import Ledger
from sourcebook.surfaces.mcp import schemas
from sourcebook.surfaces.use_cases import UseCases
from tests.memory_store import MemoryStore
from tests.two_books import (
    ARM,
    ARM_ID,
    COOKING,
    DOUGH,
    FILES,
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

ASKED = "What is a node of a robot?"
HEAVY = "What does the arm of the robot weigh?"
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


@pytest.fixture
async def use_cases(ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> UseCases:
    return await two_books(ledger, store, models)


@asynccontextmanager
async def connected(
    use_cases: UseCases, key: str | None = None, path: str = "/mcp"
) -> AsyncIterator[Client]:
    app = keyed_app(use_cases, required=key is not None)
    async with streaming_client(app, key) as http:
        transport = streamable_http_client(f"http://localhost{path}", http_client=http)
        async with Client(transport) as client:
            yield client


async def call(client: Client, name: str, **arguments: object) -> Mapping[str, Any]:
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    # The text is for clients that read no structured output.
    assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
    structured: Mapping[str, Any] = result.structured_content or {}
    return structured


async def failure(client: Client, name: str, **arguments: object) -> str:
    result = await client.call_tool(name, arguments)
    assert result.is_error
    return str(result.content[0].text)  # type: ignore[union-attr]


async def test_every_tool_reads_only_and_has_a_schema_of_its_output(use_cases: UseCases) -> None:
    async with connected(use_cases) as client:
        tools = (await client.list_tools()).tools

    assert [tool.name for tool in tools] == ["search", "fetch", "ask", "read_lesson", "list_books"]
    for tool in tools:
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert tool.output_schema is not None
        assert tool.description


async def test_what_search_finds_can_be_fetched_as_deep_research_does(use_cases: UseCases) -> None:
    async with connected(use_cases) as client:
        results = (await call(client, "search", query=ASKED, limit=1))["results"]
        fetched = await call(client, "fetch", id=results[0]["id"])
        by_lesson = await call(client, "fetch", id=NODES_ID)

    assert {"id", "title", "url"} <= results[0].keys()
    assert results[0]["path"] == NODES
    assert NODE in results[0]["text"]
    assert {"id", "title", "text", "url", "metadata"} <= fetched.keys()
    assert fetched["text"] == by_lesson["text"] == FILES[ROBOTS][NODES]
    assert fetched["url"] == f"http://localhost/#/read/{NODES_ID}"
    assert fetched["next_offset"] is None


async def test_an_answer_has_its_checked_sources(use_cases: UseCases) -> None:
    async with connected(use_cases) as client:
        said = await call(client, "ask", question=ASKED)
        other = await call(client, "ask", question="How long does the dough of the bread rest?")
        bread = await call(
            client, "ask", question="How long does the dough of the bread rest?", book=COOKING
        )

    assert (said["answer"], said["answered"]) == (f"{NODE} [1]", True)
    assert (said["sources"][0]["quote"], said["sources"][0]["path"]) == (NODE, NODES)
    assert other["answered"] is False
    assert bread["answer"].startswith(DOUGH)


async def test_filters_choose_the_book_and_the_tier(use_cases: UseCases) -> None:
    async with connected(use_cases) as client:
        low = await call(client, "search", query=HEAVY, filters={"tier": 1})
        cooking = await call(client, "search", query=HEAVY, filters={"book": COOKING})

    assert {one["path"] for one in low["results"]} == {NODES}
    assert {one["book"] for one in cooking["results"]} == {COOKING}


async def test_lessons_are_resources_and_a_prompt_answers_from_the_book(
    use_cases: UseCases,
) -> None:
    async with connected(use_cases) as client:
        listed = [str(one.uri) for one in (await client.list_resources()).resources]
        (template,) = (await client.list_resource_templates()).resource_templates
        own = await client.read_resource(listed[-1])
        other = await client.read_resource(f"sourcebook://{COOKING}/bread.md")
        prompt = await client.get_prompt("answer_from_the_book", {"question": ASKED})

    assert listed == [f"sourcebook://{ROBOTS}/{ARM}", f"sourcebook://{ROBOTS}/{NODES}"]
    assert template.uri_template.startswith("sourcebook://{book}/{+path}")
    assert own.contents[0].text == FILES[ROBOTS][NODES]  # type: ignore[union-attr]
    assert DOUGH in other.contents[0].text  # type: ignore[union-attr]
    assert ASKED in prompt.messages[0].content.text  # type: ignore[union-attr]


async def test_a_long_lesson_is_read_page_by_page(
    use_cases: UseCases, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schemas, "MAX_PAGE_LENGTH", 40)
    text, pages, offset = "", 0, 0

    async with connected(use_cases) as client:
        while offset is not None:
            page = await call(client, "read_lesson", path=NODES, offset=offset)
            text += page["text"]
            assert 0 < len(page["text"]) <= 40
            offset, pages = page["next_offset"], pages + 1
        resource = await client.read_resource(f"sourcebook://{ROBOTS}/{NODES}")

    assert text == FILES[ROBOTS][NODES]
    assert pages > 1
    assert f"[Continued at sourcebook://{ROBOTS}/{NODES}?offset=" in str(resource.contents[0])


async def test_a_key_reads_its_books_up_to_its_tier_by_every_tool(use_cases: UseCases) -> None:
    async with connected(use_cases, KIOSK_KEY) as client:
        books = (await call(client, "list_books"))["books"]
        found = await call(client, "search", query=HEAVY, filters={"tier": 4})
        said = await call(client, "ask", question=HEAVY)
        resources = (await client.list_resources()).resources
        refused = [
            await failure(client, "search", query=HEAVY, filters={"book": COOKING}),
            await failure(client, "ask", question=HEAVY, book=COOKING),
            await failure(client, "read_lesson", path=ARM),
            await failure(client, "read_lesson", path="bread.md", book=COOKING),
            await failure(client, "fetch", id=ARM_ID),
        ]

    assert [book["id"] for book in books] == [ROBOTS]
    assert {one["path"] for one in found["results"]} == {NODES}
    assert WEIGHT not in said["answer"]
    assert [one.name for one in resources] == [NODES]
    assert all("There is no" in message for message in refused)


async def test_the_address_can_narrow_what_is_read(use_cases: UseCases) -> None:
    async with connected(use_cases, path=f"/mcp?book={ROBOTS}&tier=1") as client:
        assert len((await call(client, "list_books"))["books"]) == 1
        assert "There is no" in await failure(client, "read_lesson", path=ARM)


@pytest.mark.parametrize(
    ("query", "key", "status"),
    [
        ("", "wrong", 401),
        ("?tier=9", KIOSK_KEY, 400),
        ("?tier=1&tier=2", KIOSK_KEY, 400),
        (f"?book={COOKING}", KIOSK_KEY, 404),
        (f"?book={ROBOTS}&book={ROBOTS}", KIOSK_KEY, 400),
    ],
)
async def test_what_may_not_call_gets_no_further(
    use_cases: UseCases, query: str, key: str, status: int
) -> None:
    async with streaming_client(keyed_app(use_cases, required=True), key) as http:
        reply = await http.post(f"/mcp{query}", headers=HEADERS, json={})

    assert reply.status_code == status


async def test_only_posts_are_answered(use_cases: UseCases) -> None:
    async with streaming_client(keyed_app(use_cases)) as http:
        reply = await http.get("/mcp", headers={"Accept": "text/event-stream"})

    assert reply.status_code == 405
    assert reply.headers["allow"] == "POST"


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"jsonrpc": "2.0"}', b"\xff"])
async def test_a_bad_message_is_refused(use_cases: UseCases, body: bytes) -> None:
    async with streaming_client(keyed_app(use_cases)) as http:
        reply = await http.post("/mcp", headers=HEADERS, content=body)

    assert reply.status_code == 400


async def test_a_page_of_another_site_may_not_call(use_cases: UseCases) -> None:
    headers = {**HEADERS, "Origin": "https://evil.example"}
    async with streaming_client(keyed_app(use_cases)) as http:
        reply = await http.post("/mcp", headers=headers, json={})

    assert reply.status_code == 403


async def test_openais_agents_call_the_tools(use_cases: UseCases) -> None:
    app = keyed_app(use_cases)

    def client(
        headers: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,
        auth: httpx2.Auth | None = None,
    ) -> httpx2.AsyncClient:
        return streaming_client(app)

    server = MCPServerStreamableHttp(
        params={"url": "http://localhost/mcp", "httpx_client_factory": client}
    )
    async with server:
        tools = [tool.name for tool in await server.list_tools()]
        said = await server.call_tool("ask", {"question": ASKED})

    assert "ask" in tools
    assert NODE in str(said.content)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "nonsense", "arguments": {}}),
        ("prompts/get", {"name": "nonsense"}),
        ("prompts/get", {"name": "answer_from_the_book"}),
        ("resources/read", {"uri": f"sourcebook://{ROBOTS}/nonsense.md"}),
        ("resources/read", {"uri": f"sourcebook://{ROBOTS}/{NODES}?offset=nonsense"}),
        ("resources/read", {"uri": f"sourcebook://{ROBOTS}/{NODES}?offset=-4"}),
    ],
)
async def test_what_is_named_wrongly_has_the_code_that_the_protocol_gives_it(
    use_cases: UseCases, method: str, params: dict[str, Any]
) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    async with streaming_client(keyed_app(use_cases)) as http:
        reply = await http.post("/mcp", headers=HEADERS, json=body)

    error = reply.json()["error"]
    assert error["code"] == INVALID_PARAMS
    assert error["message"]


async def test_books_are_listed_page_by_page(
    use_cases: UseCases, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schemas, "MAX_BOOKS", 1)

    async with connected(use_cases) as client:
        first = await call(client, "list_books")
        second = await call(client, "list_books", offset=first["next_offset"])

    assert [one["id"] for one in first["books"] + second["books"]] == [COOKING, ROBOTS]
    assert second["next_offset"] is None


async def test_a_title_of_any_length_is_shortened(
    use_cases: UseCases, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schemas, "MAX_TITLE_LENGTH", 3)

    async with connected(use_cases) as client:
        found = await call(client, "search", query=ASKED, limit=1)
        said = await call(client, "ask", question=ASKED)
        fetched = await call(client, "fetch", id=NODES_ID)

    titles = [found["results"][0]["title"], said["sources"][0]["title"], fetched["title"]]
    assert titles == ["Nod…", "Nod…", "Nod…"]
