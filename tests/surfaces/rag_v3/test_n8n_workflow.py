"""The workflow that we give to users of n8n is whole, and posts what the contract takes."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.surfaces.rag_v3.postings import INGEST

FOLDER = Path(__file__).parents[3] / "integrations" / "n8n"
WORKFLOW: dict[str, Any] = json.loads((FOLDER / "ingest-folder.json").read_text("utf-8"))
NODES = {node["name"]: node for node in WORKFLOW["nodes"]}
NODE_JS = shutil.which("node")

FIELDS = ["source", "path", "title", "text", "tags", "metadata"]
FILES: list[dict[str, Any]] = [
    {
        "json": {
            "fileName": "arm.md",
            "fileExtension": "md",
            "fileSize": "1 kB",
            "text": "Arm \ud83d",
        },
        "binary": {"data": {"directory": "/data/documents/manuals", "fileName": "arm.md"}},
    },
    {"json": {"fileName": "leg.txt", "text": "Leg"}},
    {"json": {"fileName": "empty.txt", "text": " \n"}},
]


def run(node: str, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the code of a node makes of its input, as JSON."""
    code = NODES[node]["parameters"]["jsCode"]
    program = f"""
    const $input = {{ all: () => {json.dumps(items)} }};
    const made = (() => {{ {code} }})();
    console.log(JSON.stringify(made.map((item) => item.json)));
    """
    assert NODE_JS is not None
    done = subprocess.run([NODE_JS, "-e", program], capture_output=True, check=True, timeout=30)
    made: list[dict[str, Any]] = json.loads(done.stdout)
    return made


def test_the_file_is_an_export_of_n8n() -> None:
    assert {"name", "nodes", "connections", "settings"} <= WORKFLOW.keys()
    assert WORKFLOW["active"] is False
    ids = [node["id"] for node in NODES.values()]
    assert len(NODES) == len(WORKFLOW["nodes"]) == len(set(ids))
    for node in NODES.values():
        assert {"parameters", "id", "name", "type", "typeVersion", "position"} <= node.keys()
        assert node["type"].startswith("n8n-nodes-base.")
        assert "credentials" not in node


def test_every_node_is_reached_from_both_triggers() -> None:
    connections = {
        name: [link["node"] for output in outputs["main"] for link in output]
        for name, outputs in WORKFLOW["connections"].items()
    }

    for trigger in ("Run now", "Every week"):
        reached, waiting = set(), [trigger]
        while waiting:
            name = waiting.pop()
            reached.add(name)
            waiting += connections.get(name, [])
        others = {"Run now", "Every week"} - {trigger}
        assert reached == NODES.keys() - others


def test_it_posts_to_the_contract_with_a_key_in_batches_and_tries_again() -> None:
    node = NODES["Post to Sourcebook"]
    parameters = node["parameters"]

    assert (parameters["method"], parameters["jsonBody"]) == (
        "POST",
        "={{ JSON.stringify($json) }}",
    )
    assert parameters["url"].endswith(INGEST)
    assert parameters["genericAuthType"] == "httpHeaderAuth"
    assert parameters["options"]["batching"]["batch"]["batchSize"] > 0
    assert node["retryOnFail"] is True


def test_the_body_names_exactly_the_fields_of_the_contract() -> None:
    code = NODES["Build the body"]["parameters"]["jsCode"]
    body = re.search(r"json: \{\n(.*?)\n    \},", code, re.DOTALL)

    assert body is not None
    assert re.findall(r"^      (\w+):", body[1], re.MULTILINE) == FIELDS
    assert "ingestedAt }" in body[1]
    assert re.search(r"SOURCE = '([a-zA-Z0-9_-]+)'", code)


@pytest.mark.skipif(NODE_JS is None, reason="needs node to run the workflow's code")
async def test_what_it_builds_is_taken(client: httpx2.AsyncClient) -> None:
    bodies = run("Build the body", FILES)

    assert [list(body) for body in bodies] == [FIELDS, FIELDS]
    assert [body["path"] for body in bodies] == ["/data/documents/manuals/arm.md", "leg.txt"]
    replies = [(await client.post(INGEST, json=body)).json() for body in bodies]
    assert [reply["status"] for reply in replies] == ["created", "created"]
    again = [(await client.post(INGEST, json=body)).json() for body in run("Build the body", FILES)]
    assert [reply["status"] for reply in again] == ["unchanged", "unchanged"]
    failure = {"error": {"message": "400 - Validation error"}}
    summary = run("Summary", [{"json": reply} for reply in (*replies, *again, failure)])
    assert summary == [
        {"created": 2, "updated": 0, "unchanged": 2, "failed": 1, "errors": [failure["error"]]}
    ]
