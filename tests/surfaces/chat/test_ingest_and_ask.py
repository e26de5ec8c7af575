"""The whole way: a document comes in over HTTP, and a question about it is answered from it."""

import httpx2
import pytest
from fastapi import FastAPI

from sourcebook.core.answers import NOTHING_FOUND
from sourcebook.service.http.app import create_app
from sourcebook.surfaces.admin_key import AccessRule
from sourcebook.surfaces.use_cases import UseCases
from tests.surfaces.chat.chat_client import events_of

TEXT = "# Nodes\n\nA node is one process of a robot. Nodes talk over topics.\n"
ASKED = {"query": "What is a node of a robot?"}


@pytest.fixture
def app(use_cases: UseCases) -> FastAPI:
    return create_app(use_cases, AccessRule(None), [])


@pytest.mark.spec("004 Edge: no relevant chunks")
async def test_where_nothing_is_known_nothing_is_said(client: httpx2.AsyncClient) -> None:
    reply = (await client.post("/chat", json=ASKED)).json()

    assert (reply["answer"], reply["sources"]) == (NOTHING_FOUND, [])
    assert reply["metadata"]["answered"] is False
    assert reply["metadata"]["chunks_retrieved"] == 0


async def test_an_answer_quotes_the_document_that_was_posted(client: httpx2.AsyncClient) -> None:
    posted = {"source": "nas", "path": "/nodes.md", "title": "Nodes", "text": TEXT}
    assert (await client.post("/api/rag/ingest", json=posted)).status_code == 200

    whole = (await client.post("/chat", json=ASKED)).json()
    streamed = events_of((await client.post("/chat/stream", json=ASKED)).text)

    assert whole["metadata"]["answered"] is True
    assert "A node is one process of a robot." in whole["answer"]
    for source in whole["sources"]:
        assert TEXT[source["char_start"] : source["char_end"]] == source["chunk_text"]
        assert source["page_title"] == "Nodes"
    pieces = [event["content"] for event in streamed if event["type"] == "chunk"]
    assert "".join(pieces) == whole["answer"]
    assert streamed[-2]["sources"] == whole["sources"]


@pytest.mark.parametrize(
    "sentence",
    ["节点是运行容器的机器。", "ノードはコンテナを実行する機械です。", "โหนดคือเครื่องที่รันคอนเทนเนอร์"],
)
async def test_a_sentence_without_blanks_is_quoted(
    client: httpx2.AsyncClient, sentence: str
) -> None:
    posted = {"source": "nas", "path": "/nodes.md", "title": "Nodes", "text": sentence}
    assert (await client.post("/api/rag/ingest", json=posted)).status_code == 200

    (source,) = (await client.post("/chat", json={"query": sentence})).json()["sources"]

    assert source["chunk_text"] == sentence
