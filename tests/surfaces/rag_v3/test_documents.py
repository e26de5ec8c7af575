"""What was posted can be listed, read, counted and deleted."""

from datetime import datetime

import httpx2
import pytest

from sourcebook.core.health import ServiceHealth
from tests.fakes import FakeClock, FakeEmbedder
from tests.memory_store import MemoryStore
from tests.surfaces.rag_v3.postings import (
    BATCH,
    DOCUMENTS,
    INGEST,
    METRICS,
    SEARCH,
    id_of,
    long_text,
    posting,
)

DOCUMENT_KEYS = [
    "documentId",
    "id",
    "source",
    "path",
    "title",
    "hash",
    "tags",
    "metadata",
    "chunkCount",
    "textLength",
    "createdAt",
    "updatedAt",
]
THEN, LATER = "1970-01-12T13:46:40Z", "1970-01-12T13:47:40Z"


@pytest.fixture
async def _three(client: httpx2.AsyncClient, clock: FakeClock) -> None:
    arm = posting(tags=["manual", "arm"], hash="h1", metadata={"size": 3, "hash": "theirs"})
    leg = posting("/leg.md", title="The leg", tags=["manual", "leg"])
    await client.post(INGEST, json=arm)
    clock.now_s += 60
    await client.post(INGEST, json=leg)
    await client.post(INGEST, json=posting("/note", source="web", text=long_text(20)))


@pytest.mark.spec("003 3.2")
@pytest.mark.usefixtures("_three")
async def test_a_document_is_shown_with_all_that_the_ledger_keeps(
    client: httpx2.AsyncClient,
) -> None:
    reply = await client.get(f"{DOCUMENTS}/{id_of()}")

    assert reply.status_code == 200
    assert reply.json() == {
        "status": "success",
        "documentId": id_of(),
        "data": {
            "documentId": id_of(),
            "id": id_of(),
            "source": "nas-docs",
            "path": "/arm.md",
            "title": "The arm",
            "hash": "h1",
            "tags": ["manual", "arm"],
            "metadata": {"size": 3, "hash": "theirs"},
            "chunkCount": 1,
            "textLength": 25,
            "createdAt": THEN,
            "updatedAt": THEN,
            "text": "The arm lifts up to 3 kg.",
        },
    }


@pytest.mark.spec("003 3.2")
@pytest.mark.usefixtures("_three")
async def test_an_update_changes_one_of_the_times(client: httpx2.AsyncClient) -> None:
    await client.post(INGEST, json=posting(title="An arm"))

    data = (await client.get(f"{DOCUMENTS}/{id_of()}")).json()["data"]

    assert (data["createdAt"], data["updatedAt"]) == (THEN, LATER)
    assert (data["title"], data["hash"], data["tags"], data["metadata"]) == ("An arm", None, [], {})


@pytest.mark.usefixtures("_three")
async def test_the_list_is_there_under_both_names(client: httpx2.AsyncClient) -> None:
    found = (await client.get(DOCUMENTS)).json()

    assert list(found) == ["status", "data", "documents", "stats", "count", "total"]
    assert found["data"] == found["documents"]
    assert all(list(document) == DOCUMENT_KEYS for document in found["data"])
    chunks = sum(document["chunkCount"] for document in found["data"])
    assert (found["status"], found["count"], found["total"]) == ("success", 3, 3)
    assert found["stats"] == {
        "documentCount": 3,
        "chunkCount": chunks,
        "avgChunksPerDoc": f"{chunks / 3:.2f}",
    }


async def test_an_empty_list_has_the_same_shape(client: httpx2.AsyncClient) -> None:
    found = (await client.get(DOCUMENTS)).json()

    assert found == {
        "status": "success",
        "data": [],
        "documents": [],
        "stats": {"documentCount": 0, "chunkCount": 0, "avgChunksPerDoc": "0.00"},
        "count": 0,
        "total": 0,
    }


@pytest.mark.usefixtures("_three")
@pytest.mark.parametrize(
    ("asked", "paths", "total"),
    [
        ({}, ["/arm.md", "/leg.md", "/note"], 3),
        ({"source": "nas-docs"}, ["/arm.md", "/leg.md"], 2),
        ({"source": "nowhere"}, [], 0),
        ({"tags": "leg,arm"}, ["/arm.md", "/leg.md"], 2),
        ({"tags": "arm"}, ["/arm.md"], 1),
        ({"tags": ""}, ["/arm.md", "/leg.md", "/note"], 3),
        ({"source": "web", "tags": "arm"}, [], 0),
        ({"limit": "1"}, ["/arm.md"], 3),
        ({"limit": "1", "offset": "1"}, ["/leg.md"], 3),
        ({"limit": "5000", "offset": "2"}, ["/note"], 3),
        ({"offset": "9"}, [], 3),
        ({"tags": "manual", "limit": "1", "offset": "1"}, ["/leg.md"], 2),
    ],
)
async def test_the_list_can_be_narrowed(
    client: httpx2.AsyncClient, asked: dict[str, str], paths: list[str], total: int
) -> None:
    found = (await client.get(DOCUMENTS, params=asked)).json()

    assert [document["path"] for document in found["documents"]] == paths
    assert (found["count"], found["total"]) == (len(paths), total)
    assert found["stats"]["documentCount"] == 3


async def test_a_page_has_a_thousand_documents_at_most(client: httpx2.AsyncClient) -> None:
    for start in range(0, 1_001, 50):
        some = [posting(f"/{n}") for n in range(start, min(start + 50, 1_001))]
        assert (await client.post(BATCH, json={"documents": some})).status_code == 200

    default = (await client.get(DOCUMENTS)).json()
    most = (await client.get(DOCUMENTS, params={"limit": "5000"})).json()

    assert (default["count"], most["count"], most["total"]) == (100, 1_000, 1_001)


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"limit": "0"}, "limit"),
        ({"limit": "x"}, "limit"),
        ({"offset": "-1"}, "offset"),
        ({"offset": str(10**16)}, "offset"),
        ({"source": "a\x00"}, "source"),
        ({"source": "a" * 201}, "source"),
        ({"tags": "a\x00"}, "tags"),
        ({"tags": "," * 200}, "tags"),
        ({"tags": "," * 60}, "tags"),
    ],
)
async def test_a_bad_page_is_400(
    client: httpx2.AsyncClient, asked: dict[str, str], field: str
) -> None:
    reply = await client.get(DOCUMENTS, params=asked)

    assert reply.status_code == 400, reply.text
    assert list(reply.json()) == ["error", "message", "details"]
    assert reply.json()["details"]["field"] == field


@pytest.mark.usefixtures("_three")
async def test_the_chunks_stand_where_they_say(client: httpx2.AsyncClient) -> None:
    document_id = id_of("/note", "web")
    text = (await client.get(f"{DOCUMENTS}/{document_id}")).json()["data"]["text"]

    found = (await client.get(f"{DOCUMENTS}/{document_id}/chunks")).json()

    assert list(found) == ["status", "documentId", "count", "chunks"]
    assert (found["status"], found["documentId"]) == ("success", document_id)
    assert found["count"] == len(found["chunks"]) > 2
    end = 0
    for index, chunk in enumerate(found["chunks"]):
        assert list(chunk) == [
            "chunkId",
            "chunkIndex",
            "text",
            "start",
            "end",
            "lineStart",
            "lineEnd",
            "overlap",
        ]
        assert chunk["chunkIndex"] == index
        assert text[chunk["start"] : chunk["end"]] == chunk["text"]
        assert chunk["lineStart"] == text[: chunk["start"]].count("\n") + 1
        assert chunk["lineEnd"] == text[: chunk["end"]].count("\n") + 1
        assert not text[end : chunk["start"]].strip()
        assert chunk["overlap"] == max(0, end - chunk["start"])
        end = chunk["end"]
    assert end == len(text.rstrip())


@pytest.mark.usefixtures("_three")
async def test_a_hit_leads_to_its_chunk(client: httpx2.AsyncClient) -> None:
    asked = {"query": "joint number 13", "filters": {"source": "web"}, "topK": 1}
    (hit,) = (await client.post(SEARCH, json=asked)).json()["results"]

    about = hit["metadata"]
    chunks = (await client.get(f"{DOCUMENTS}/{about['documentId']}/chunks")).json()["chunks"]

    assert chunks[about["chunkIndex"]]["text"] == hit["text"]


@pytest.mark.usefixtures("_three")
async def test_a_deleted_document_is_gone(client: httpx2.AsyncClient) -> None:
    reply = await client.delete(f"{DOCUMENTS}/{id_of()}")

    assert reply.status_code == 200
    assert reply.json() == {
        "status": "success",
        "message": "Document deleted successfully",
        "documentId": id_of(),
        "id": id_of(),
    }
    assert (await client.get(DOCUMENTS)).json()["total"] == 2
    found = (await client.post(SEARCH, json={"query": "the arm lifts"})).json()["results"]
    assert id_of() not in {result["metadata"]["documentId"] for result in found}
    again = await client.post(INGEST, json=posting())
    assert again.json()["status"] == "created"


@pytest.mark.usefixtures("_three")
@pytest.mark.parametrize("document_id", ["unknown", "%00", "a%00b", "%F0%9F%98%80", "x" * 300])
@pytest.mark.parametrize(("method", "after"), [("GET", ""), ("GET", "/chunks"), ("DELETE", "")])
async def test_an_unknown_document_is_404(
    client: httpx2.AsyncClient, method: str, document_id: str, after: str
) -> None:
    reply = await client.request(method, f"{DOCUMENTS}/{document_id}{after}")

    assert reply.status_code == 404
    assert list(reply.json()) == ["error", "message"]
    assert reply.json()["error"] == "Not found"
    if document_id == "unknown":
        assert reply.json()["message"] == "Document unknown not found"


@pytest.mark.usefixtures("_three")
async def test_the_metrics_count_by_source(client: httpx2.AsyncClient) -> None:
    found = (await client.get(METRICS)).json()

    chunks = found["stats"]["chunkCount"]
    assert list(found) == ["status", "healthy", "stats", "timestamp"]
    assert (found["status"], found["healthy"]) == ("success", True)
    assert found["stats"] == {
        "documentCount": 3,
        "chunkCount": chunks,
        "avgChunksPerDoc": f"{chunks / 3:.2f}",
        "totalDocuments": 3,
        "totalChunks": chunks,
        "sourceBreakdown": {
            "nas-docs": {"count": 2, "chunks": 2},
            "web": {"count": 1, "chunks": chunks - 2},
        },
        "oldestDocument": THEN,
        "newestDocument": LATER,
    }
    assert datetime.fromisoformat(found["timestamp"])


async def test_the_metrics_of_nothing(client: httpx2.AsyncClient, embedder: FakeEmbedder) -> None:
    embedder.health = ServiceHealth("down")

    found = (await client.get(METRICS)).json()

    assert found["healthy"] is False
    assert found["stats"]["avgChunksPerDoc"] == "0.00"
    assert (found["stats"]["oldestDocument"], found["stats"]["newestDocument"]) == (None, None)


@pytest.mark.usefixtures("_three")
async def test_a_collection_is_described_in_the_words_of_qdrant(
    client: httpx2.AsyncClient,
) -> None:
    found = (await client.get("/api/rag/collections/documents/info")).json()
    unknown = await client.get("/api/rag/collections/nowhere/info")

    chunks = found["info"]["points_count"]
    assert list(found) == ["status", "collection", "info", "timestamp"]
    assert (found["status"], found["collection"], chunks > 3) == ("success", "documents", True)
    assert found["info"] == {
        "status": "green",
        "points_count": chunks,
        "vectors_count": chunks,
        "documents_count": 3,
        "embedding_model": "minilm",
        "dimensions": 64,
    }
    assert unknown.status_code == 404
    assert unknown.json() == {"error": "Not found", "message": "Collection 'nowhere' not found"}


@pytest.mark.usefixtures("_three")
async def test_a_collection_whose_store_is_down_is_red(
    client: httpx2.AsyncClient, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def check() -> ServiceHealth:
        return ServiceHealth("down", message="It answers with errors")

    monkeypatch.setattr(store, "check", check)

    found = (await client.get("/api/rag/collections/documents/info")).json()

    assert found["info"]["status"] == "red"


async def test_documents_of_another_contract_do_not_break_the_list(
    client: httpx2.AsyncClient,
) -> None:
    await client.post("/collections", json={"name": "documents", "embedding_model": "minilm"})
    odd = {"id": "odd", "text": "Odd.", "metadata": {"source": 5, "tags": "x", "chunk_count": True}}
    await client.post("/collections/documents/documents", json={"documents": [odd]})

    (found,) = (await client.get(DOCUMENTS)).json()["data"]
    hits = (await client.post(SEARCH, json={"query": "odd"})).json()["results"]

    assert (found["documentId"], found["source"], found["tags"]) == ("odd", "", [])
    assert hits[0]["metadata"]["path"] == ""
    assert (await client.get(METRICS)).json()["stats"]["totalChunks"] == 1
