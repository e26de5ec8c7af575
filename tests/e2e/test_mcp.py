"""An agent starts `sourcebook mcp` and reads the book, with and without a running service."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.e2e.processes import run

LESSON = "# Nodes\n\nA node is one process of a robot. Nodes talk over topics.\n"
MESSAGES: list[dict[str, Any]] = [
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "ask", "arguments": {"question": "What is a node of a robot?"}},
    },
]


def test_an_agent_asks_over_standard_input_and_output(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "nodes.md").write_text(LESSON)
    data = tmp_path / "data"
    assert run("ingest", "docs", "--data-dir", str(data), cwd=tmp_path).code == 0

    command = [sys.executable, "-m", "sourcebook", "mcp", "--data-dir", str(data)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    ) as agent:
        assert agent.stdin is not None
        assert agent.stdout is not None
        replies = []
        for message in MESSAGES:
            agent.stdin.write(json.dumps(message).encode() + b"\n")
            agent.stdin.flush()
            if "id" in message:
                replies.append(json.loads(agent.stdout.readline()))
        # Another command has the folder open meanwhile.
        beside = run("search", "a node of a robot", "--data-dir", str(data), cwd=tmp_path)
        agent.stdin.close()
        rest = agent.stdout.read()
        assert agent.wait(30) == 0, agent.stderr

    assert replies[0]["result"]["serverInfo"]["name"] == "sourcebook"
    answer = replies[1]["result"]["structuredContent"]
    assert answer["answered"] is True
    assert answer["sources"][0]["path"] == "nodes.md"
    assert beside.code == 0
    # Nothing but messages may be written there.
    assert rest == b""
