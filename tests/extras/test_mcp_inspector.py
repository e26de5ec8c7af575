"""The MCP Inspector's command line, from npm, asks the book and reads the citation."""

import asyncio
import json
import shutil
from typing import Any

import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.ports import Ledger
from sourcebook.providers.vector_stores.memory import MemoryStore
from tests.surfaces.chat.chat_client import running
from tests.two_books import NODE, NODES, keyed_app, two_books

NPX = shutil.which("npx")
INSPECTOR = "@modelcontextprotocol/inspector"
TIMEOUT_S = 180


@pytest.mark.skipif(NPX is None, reason="the MCP Inspector needs npm")
async def test_the_inspector_asks_and_reads_the_citation(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels
) -> None:
    app = keyed_app(await two_books(ledger, store, models))

    async with running(app) as server:
        url = f"http://127.0.0.1:{server.port}/mcp"
        said = await inspect(url, "ask", "question=What is a node of a robot?")
        listed = await inspect(url, "list_books")

    answer = said["structuredContent"]
    assert answer["answer"] == f"{NODE} [1]"
    assert (answer["sources"][0]["quote"], answer["sources"][0]["path"]) == (NODE, NODES)
    assert len(listed["structuredContent"]["books"]) == 2


async def inspect(url: str, tool: str, *arguments: str) -> dict[str, Any]:
    """Call a tool as somebody would in a terminal."""
    assert NPX is not None
    given = [part for one in arguments for part in ("--tool-arg", one)]
    command = ["--yes", INSPECTOR, "--cli", url, "--transport", "http"]
    process = await asyncio.create_subprocess_exec(
        NPX,
        *command,
        *("--method", "tools/call", "--tool-name", tool, *given),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(TIMEOUT_S):
        out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    replied: dict[str, Any] = json.loads(out)
    return replied
