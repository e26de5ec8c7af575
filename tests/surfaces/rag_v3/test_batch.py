"""Fifty documents at a time: a result for each, and none harms another."""

from collections.abc import Sequence

import httpx2
import pytest

from sourcebook.core.errors import EmbeddingFailed
from sourcebook.core.ports import Ledger
from sourcebook.core.vectors import Embedding
from tests.fakes import FakeEmbedder
from tests.surfaces.rag_v3.postings import BATCH, id_of, invalid, posting, without


async def test_every_document_gets_a_result_in_order(client: httpx2.AsyncClient) -> None:
    await client.post(BATCH, json={"documents": [posting("/a"), posting("/b")]})
    documents = [
        posting("/a"),
        without("source"),
        posting("/b", title="New"),
        posting("/c"),
        "no document",
        posting("/c"),
    ]

    reply = await client.post(BATCH, json={"documents": documents})

    def result(status: str, path: str) -> dict[str, object]:
        return {"status": status, "documentId": id_of(path), "chunkCount": 1}

    assert reply.status_code == 200
    assert reply.json() == {
        "results": [
            result("unchanged", "/a"),
            {"status": "error", "index": 1, **invalid("source", "source is required")},
            result("updated", "/b"),
            result("created", "/c"),
            {
                "status": "error",
                "index": 4,
                **invalid("body", "The body must be a JSON object with a document"),
            },
            result("unchanged", "/c"),
        ],
        "created": 1,
        "updated": 1,
        "unchanged": 2,
        "failed": 2,
    }


class _Fussy(FakeEmbedder):
    async def embed_documents(self, texts: Sequence[str]) -> list[Embedding]:
        if any("poison" in text for text in texts):
            raise EmbeddingFailed("I do not take this")
        return await super().embed_documents(texts)


class TestWithAFussyModel:
    @pytest.fixture
    def embedder(self) -> FakeEmbedder:
        return _Fussy("minilm")

    async def test_one_that_cannot_be_embedded_does_not_harm_the_others(
        self, client: httpx2.AsyncClient, ledger: Ledger
    ) -> None:
        documents = [posting("/a"), posting("/b", text="poison"), posting("/c")]

        found = (await client.post(BATCH, json={"documents": documents})).json()

        assert (found["created"], found["failed"]) == (2, 1)
        assert found["results"][1] == {
            "status": "error",
            "index": 1,
            "error": "Service Unavailable",
            "message": f"Embeddings service is not available: {EmbeddingFailed.reader_message}",
        }
        assert (await ledger.collections.get("documents")).count == 2


async def test_a_text_that_the_service_refuses_for_what_it_is_is_the_client_s_to_mend(
    client: httpx2.AsyncClient, embedder: FakeEmbedder
) -> None:
    embedder.poison = "poison"

    found = await client.post("/api/rag/ingest", json=posting("/b", text="poison"))

    message = "The fake embedder refuses texts [0]"
    assert (found.status_code, found.json()) == (400, invalid("text", message))


@pytest.mark.parametrize(
    "body",
    [{}, {"documents": None}, {"documents": {}}, {"documents": []}, {"documents": [1] * 51}],
)
async def test_a_batch_has_one_to_fifty_documents(client: httpx2.AsyncClient, body: object) -> None:
    reply = await client.post(BATCH, json=body)

    message = "documents must be an array of 1 to 50 documents"
    assert (reply.status_code, reply.json()) == (400, invalid("documents", message))


async def test_fifty_bad_ones_are_fifty_results(client: httpx2.AsyncClient, ledger: Ledger) -> None:
    found = (await client.post(BATCH, json={"documents": [{}] * 50})).json()

    assert (found["failed"], len(found["results"])) == (50, 50)
    assert await ledger.collections.all() == []
