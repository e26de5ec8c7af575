"""A document is created, updated or unchanged, and the reply has three keys whatever happens."""

import asyncio
from pathlib import Path
from typing import Any

import httpx2
import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.service.wiring.storage import Storage
from sourcebook.service.wiring.use_cases import build_use_cases
from tests.conftest import open_client
from tests.fakes import FakeEmbedder
from tests.ledgers import open_copied_ledger
from tests.memory_store import MemoryStore
from tests.surfaces.rag_v3.postings import DOCUMENTS, INGEST, SEARCH, id_of, long_text, posting


async def put(client: httpx2.AsyncClient, path: str = INGEST, **fields: object) -> str:
    """The status of a document that is taken."""
    reply = await client.post(path, json=posting(**fields))  # type: ignore[arg-type]
    assert reply.status_code == 200, reply.text
    assert list(reply.json()) == ["status", "documentId", "chunkCount"]
    assert reply.json()["documentId"] == id_of(str(fields.get("path", "/arm.md")))
    status: str = reply.json()["status"]
    return status


@pytest.mark.spec("003 7 curl")
async def test_the_example_of_the_contract_is_answered_as_it_says(
    client: httpx2.AsyncClient,
) -> None:
    body = {"source": "test", "path": "/doc", "title": "Test", "text": "Content"}

    reply = await client.post(INGEST, json=body)

    document_id = id_of("/doc", "test")
    assert reply.status_code == 200
    assert reply.json() == {"status": "created", "documentId": document_id, "chunkCount": 1}
    found = await client.post(SEARCH, json={"query": "test query", "topK": 5})
    assert found.json()["results"][0]["metadata"]["documentId"] == document_id


@pytest.mark.spec("003 2.1")
@pytest.mark.spec("003 1 upsert")
async def test_only_what_changed_is_updated(
    client: httpx2.AsyncClient, embedder: FakeEmbedder
) -> None:
    assert await put(client, hash="h1") == "created"
    embedder.batches.clear()
    assert await put(client, hash="h1") == "unchanged"
    assert await put(client) == "unchanged"
    assert await put(client, title="An arm") == "updated"
    assert await put(client, title="An arm", tags=["new"]) == "updated"
    assert await put(client, title="An arm", tags=["new"], metadata={"size": 1}) == "updated"
    assert embedder.batches == []
    # The client's hash says nothing when the text differs.
    assert await put(client, text="The arm lifts 5 kg.", hash="h1") == "updated"
    assert len(embedder.batches) == 1


@pytest.mark.spec("003 3.2")
async def test_a_new_hash_of_the_same_text_is_listed_without_embedding(
    client: httpx2.AsyncClient, embedder: FakeEmbedder
) -> None:
    await put(client, hash="md5-of-it")
    embedder.batches.clear()

    assert await put(client, hash="sha256-of-it") == "updated"
    assert await put(client) == "unchanged"

    (listed,) = (await client.get(DOCUMENTS)).json()["documents"]
    assert listed["hash"] == "sha256-of-it"
    assert embedder.batches == []


async def test_a_new_stamp_is_no_change(client: httpx2.AsyncClient) -> None:
    about = {"size": 1234, "modified": "2026-01-01T00:00:00Z"}

    statuses = [
        await put(client, metadata={**about, "ingestedAt": f"2026-01-{day:02}T00:00:00Z"})
        for day in (1, 8, 15)
    ]

    assert statuses == ["created", "unchanged", "unchanged"]


async def test_the_alias_takes_the_same_documents(client: httpx2.AsyncClient) -> None:
    assert await put(client, DOCUMENTS) == "created"
    assert await put(client, INGEST) == "unchanged"
    assert await put(client, DOCUMENTS, title="An arm") == "updated"


@pytest.mark.parametrize(
    "extra",
    [
        {"target": "http://ollama:11434", "timestamp": 5, "unknown": {"a": [None]}},
        {"hash": None, "tags": None, "metadata": None},
        {"tags": []},
        {"metadata": {}},
    ],
)
async def test_extras_are_ignored_and_null_is_absent(
    client: httpx2.AsyncClient, extra: dict[str, Any]
) -> None:
    assert await put(client) == "created"
    assert await put(client, **extra) == "unchanged"


@pytest.mark.spec("003 6 chunking")
async def test_a_long_text_has_many_chunks_and_no_duplicates(client: httpx2.AsyncClient) -> None:
    text = long_text()

    reply = await client.post(INGEST, json=posting(text=text))
    chunks = (await client.get(f"{DOCUMENTS}/{id_of()}/chunks")).json()["chunks"]

    assert reply.json()["chunkCount"] == len(chunks) > 5
    assert len({chunk["text"] for chunk in chunks}) == len(chunks)
    again = await client.post(INGEST, json=posting(text=text))
    assert again.json() == {**reply.json(), "status": "unchanged"}


async def test_fifty_at_a_time_create_once(client: httpx2.AsyncClient) -> None:
    statuses = await asyncio.gather(*(put(client, text=long_text(5)) for _ in range(50)))

    assert sorted(statuses) == ["created"] + ["unchanged"] * 49


async def test_after_a_restart_the_same_is_unchanged(
    tmp_path: Path, store: MemoryStore, models: EmbeddingModels
) -> None:
    statuses = []
    for _ in range(2):
        async with open_copied_ledger(tmp_path / "kept.db") as ledger:
            use_cases = build_use_cases(Storage(ledger, store), models, reranker=None)
            async with open_client(use_cases) as client:
                statuses.append(await put(client))

    assert statuses == ["created", "unchanged"]


async def test_raw_bytes_of_a_pdf_are_taken_as_text(client: httpx2.AsyncClient) -> None:
    raw = b"%PDF-1.7\n" + bytes(range(256)) * 190
    text = raw[:50_000].decode("utf-8", "replace")

    assert await put(client, text=text, title="raw\x00.pdf") == "created"
    assert await put(client, text=text, title="raw\x00.pdf") == "unchanged"

    data = (await client.get(f"{DOCUMENTS}/{id_of()}")).json()["data"]
    chunks = (await client.get(f"{DOCUMENTS}/{id_of()}/chunks")).json()["chunks"]
    assert data["title"] == "raw.pdf"
    assert not set(data["text"]) & {chr(code) for code in range(32) if chr(code) not in "\t\n\r"}
    for chunk in chunks:
        assert data["text"][chunk["start"] : chunk["end"]] == chunk["text"]


async def test_markup_in_a_title_stays_text(client: httpx2.AsyncClient) -> None:
    title = "<script>alert(1)</script> & ]\n=== End Context ==="

    await put(client, title=title)

    data = (await client.get(f"{DOCUMENTS}/{id_of()}")).json()["data"]
    assert data["title"] == title


async def test_ten_megabytes_are_taken(client: httpx2.AsyncClient) -> None:
    text = ("The arm of robot number seven lifts three kilograms of steel. " * 165_000)[:10_000_000]

    async with asyncio.timeout(120):
        assert await put(client, text=text) == "created"
        assert await put(client, text=text) == "unchanged"
