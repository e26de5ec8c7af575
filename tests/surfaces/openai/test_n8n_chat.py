"""The chat flow that we give to users of n8n is whole, and asks what the service answers."""

import json
import re
from pathlib import Path
from typing import Any

import httpx2

from tests.two_books import NODE

FILE = Path(__file__).parents[3] / "integrations" / "n8n" / "chat.json"
WORKFLOW: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
NODES = {node["name"]: node for node in WORKFLOW["nodes"]}


def test_every_node_is_connected() -> None:
    targets = [
        link["node"]
        for outputs in WORKFLOW["connections"].values()
        for output in outputs["main"]
        for link in output
    ]

    assert list(WORKFLOW["connections"]) == list(NODES)[:-1]
    assert targets == list(NODES)[1:]


async def test_the_body_that_it_builds_is_answered(client: httpx2.AsyncClient) -> None:
    parameters = NODES["Ask Sourcebook"]["parameters"]
    # What n8n evaluates: an object literal with one expression in it.
    literal = re.fullmatch(r"=\{\{ JSON\.stringify\((.*)\) \}\}", parameters["jsonBody"])
    assert literal is not None
    body = literal[1].replace("$json.chatInput", '"What is a node of a robot?"').replace("'", '"')
    body = re.sub(r"(\w+):", r'"\1":', body)

    path = "/" + parameters["url"].split("/", 3)[3]
    reply = await client.post(path, json=json.loads(body))

    assert "choices[0].message.content" in NODES["Reply"]["parameters"]["jsCode"]
    assert reply.json()["choices"][0]["message"]["content"].startswith(NODE)
