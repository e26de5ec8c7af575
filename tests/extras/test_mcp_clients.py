"""The MCP Inspector, the protocol's conformance suite and openai-agents read the book over MCP."""

import json
import sys
from pathlib import Path
from typing import Any

from agents.mcp import MCPServerStdio, MCPServerStreamableHttp

from tests.extras.client_programs import run_npm_command
from tests.extras.conftest import BLOCK, SENTENCE, BookService

QUESTION = "What is a node of a robot?"
# The scenarios that do not apply, with the reason. One that passes has to go from the list.
NOT_APPLICABLE = Path(__file__).parent / "conformance.yml"


def test_the_inspector_asks_and_reads_the_citation(book_service: BookService) -> None:
    said = inspect(
        book_service, "tools/call", "--tool-name", "ask", "--tool-arg", f"question={QUESTION}"
    )
    lessons = inspect(book_service, "resources/list")

    answer = said["structuredContent"]
    assert answer["answer"] == f"{BLOCK} [1]"
    source = answer["sources"][0]
    assert (source["quote"], source["path"]) == (BLOCK, "nodes.md")
    assert source["url"].startswith(f"{book_service.url}/#/read/")
    assert [one["title"] for one in lessons["resources"]] == ["Nodes"]


def test_no_client_has_trouble_with_the_schemas_of_the_tools(book_service: BookService) -> None:
    # `--strict` fails for a schema that some client cannot read.
    assert len(inspect(book_service, "tools/list", "--strict")["tools"]) == 5


def test_the_protocol_is_kept_wherever_it_applies(book_service: BookService) -> None:
    printed = run_npm_command(
        "conformance",
        *("server", "--url", f"{book_service.url}/mcp", "--suite", "all"),
        *("--expected-failures", str(NOT_APPLICABLE)),
    )

    for scenario in ("server-initialize", "tools-list", "dns-rebinding-protection"):
        assert f"✓ {scenario}: " in printed


async def test_openais_agents_ask_over_http(book_service: BookService) -> None:
    await check_agent(MCPServerStreamableHttp(params={"url": f"{book_service.url}/mcp"}))


async def test_openais_agents_ask_through_the_command(book_service: BookService) -> None:
    arguments = ["-m", "sourcebook", "mcp", "--data-dir", str(book_service.data)]

    await check_agent(
        MCPServerStdio(
            params={"command": sys.executable, "args": arguments}, client_session_timeout_seconds=60
        )
    )


async def check_agent(server: MCPServerStdio | MCPServerStreamableHttp) -> None:
    async with server:
        tools = [tool.name for tool in await server.list_tools()]
        said = await server.call_tool("ask", {"question": QUESTION})

    assert tools == ["search", "fetch", "ask", "read_lesson", "list_books"]
    assert SENTENCE in str(said.content)


def inspect(service: BookService, method: str, *options: str) -> dict[str, Any]:
    """Call a method as somebody would in a terminal."""
    address = ("--cli", f"{service.url}/mcp", "--transport", "http")
    replied: dict[str, Any] = json.loads(
        run_npm_command("mcp-inspector", *address, "--method", method, *options)
    )
    return replied
