"""Adding, replacing and deleting documents."""

import re

import httpx2
import pytest

from tests.fakes import FakeEmbedder
from tests.memory_store import MemoryStore

DOCUMENTS = "/collections/robotics/documents"


@pytest.fixture(autouse=True)
async def _collection(client: httpx2.AsyncClient) -> None:
    body = {"name": "robotics", "embedding_model": "minilm"}
    assert (await client.post("/collections", json=body)).status_code == 200


async def add(client: httpx2.AsyncClient, *documents: object) -> httpx2.Response:
    return await client.post(DOCUMENTS, json={"documents": documents})


async def texts(client: httpx2.AsyncClient) -> list[str]:
    return [d["text"] for d in (await client.get(DOCUMENTS)).json()["documents"]]


@pytest.mark.spec("001 Add Documents with Text Only")
async def test_texts_are_embedded_and_stored(
    client: httpx2.AsyncClient, embedder: FakeEmbedder
) -> None:
    reply = await add(client, {"text": "a node", "metadata": {"tier": 1}}, {"text": "a topic"})

    assert reply.status_code == 200
    ids = reply.json()["ids"]
    assert reply.json() == {"status": "added", "collection": "robotics", "count": 2, "ids": ids}
    assert all(re.fullmatch(r"doc_[0-9a-f-]{36}", id_) for id_ in ids)
    assert embedder.batches == [["a node", "a topic"]]
    assert await texts(client) == ["a node", "a topic"]


@pytest.mark.spec("001 Batch Embedding Generation")
@pytest.mark.spec("001 Add Documents with Mismatched Embedding Dimensions")
async def test_fifty_documents_are_one_call_of_the_model(
    client: httpx2.AsyncClient, embedder: FakeEmbedder
) -> None:
    reply = await add(client, *({"text": f"lesson {n}"} for n in range(50)))

    assert reply.json()["count"] == 50
    assert [len(batch) for batch in embedder.batches] == [50]


async def test_the_same_text_is_embedded_once(
    client: httpx2.AsyncClient, embedder: FakeEmbedder
) -> None:
    await add(client, {"id": "a", "text": "same"}, {"id": "b", "text": "same"})
    await add(client, {"id": "c", "text": "same"}, {"id": "d", "text": "new"})

    assert embedder.batches == [["same"], ["new"]]
    assert await texts(client) == ["same", "same", "same", "new"]


@pytest.mark.spec("001 Empty Documents Array")
@pytest.mark.spec("000 Empty Documents Array")
@pytest.mark.parametrize("body", [{"documents": []}, {}])
async def test_documents_are_required(client: httpx2.AsyncClient, body: object) -> None:
    reply = await client.post(DOCUMENTS, json=body)

    assert reply.status_code == 400
    assert reply.json() == {"detail": "Documents array is required"}


@pytest.mark.spec("001 Document Missing Text Field")
async def test_a_document_without_text_is_named_by_its_index(client: httpx2.AsyncClient) -> None:
    reply = await add(client, {"text": "fine"}, {"metadata": {}})

    assert reply.status_code == 400
    assert reply.json() == {"detail": "Document at index 1 missing required 'text' field"}
    assert await texts(client) == []


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ({"text": ""}, "'text' is empty"),
        ({"text": " \n\t "}, "'text' is empty"),
        ({"text": "\u200b\u2060\u0001"}, "'text' is empty"),
        ({"text": "x" * 500_001}, "'text' has 500001 characters, 500000 at most"),
        ({"text": "a", "metadata": {"tags": ["x"] * 257}}, "257 values"),
        ({"text": 5}, "must be a string, got 5"),
        ({"text": None}, "must be a string, got null"),
        ({"text": "a\u0000b"}, "NUL character"),
        ({"text": "a", "id": 7}, "must be a string, got 7"),
        ({"text": "a", "id": ""}, "'id' must have 1 to 512 characters"),
        ({"text": "a", "id": "x" * 513}, "'id' must have 1 to 512 characters"),
        ({"text": "a", "metadata": [1]}, "must be an object, got [1]"),
        ({"text": "a", "metadata": {"": 1}}, "Metadata keys must have 1 to 256 characters"),
        ({"text": "a", "metadata": {"k": "\u0000"}}, "NUL character"),
        ("just text", "must be an object"),
        ({"text": "a", "embedding": [0.1]}, "embeddings are generated here"),
    ],
)
async def test_one_bad_document_refuses_the_whole_batch(
    client: httpx2.AsyncClient, document: object, says: str
) -> None:
    reply = await add(client, {"text": "fine"}, document)

    assert reply.status_code == 400
    assert reply.json()["detail"].startswith("Document at index 1")
    assert says in reply.json()["detail"]
    assert await texts(client) == []


async def test_ids_must_differ_within_a_request(client: httpx2.AsyncClient) -> None:
    reply = await add(client, {"id": "a", "text": "one"}, {"id": "a", "text": "two"})

    assert reply.status_code == 400
    assert "repeats the id 'a' of the document at index 0" in reply.json()["detail"]


async def test_a_thousand_documents_at_most(client: httpx2.AsyncClient) -> None:
    reply = await add(client, *({"text": f"{n}"} for n in range(1001)))

    assert reply.status_code == 400
    assert "1000" in reply.json()["detail"]


async def test_posting_a_known_id_replaces_the_document(client: httpx2.AsyncClient) -> None:
    await add(client, {"id": "a", "text": "old words", "metadata": {"v": 1}})

    await add(client, {"id": "a", "text": "new words", "metadata": {"v": 2}})

    listed = (await client.get(DOCUMENTS)).json()
    assert listed["documents"] == [{"id": "a", "text": "new words", "metadata": {"v": 2}}]
    found = await client.post("/query", json={"collection": "robotics", "query": "words"})
    assert [hit["text"] for hit in found.json()["results"]] == ["new words"]


async def test_posting_the_same_again_is_no_work(
    client: httpx2.AsyncClient, embedder: FakeEmbedder, store: MemoryStore
) -> None:
    document = {"id": "a", "text": "words", "metadata": {"v": 1}}
    await add(client, document)
    (index_id,) = await store.indexes()

    again = await add(client, document)
    changed = await add(client, {**document, "metadata": {"v": True}})

    assert (again.status_code, changed.status_code) == (200, 200)
    assert embedder.batches == [["words"]]
    # The first version and the one with other metadata; the repetition wrote nothing.
    assert await store.count(index_id) == 2
    assert (await client.get(DOCUMENTS)).json()["documents"][0]["metadata"] == {"v": True}


async def test_metadata_are_optional_and_come_back_unchanged(client: httpx2.AsyncClient) -> None:
    odd = {"n": None, "list": [1, "a"], "object": {"x": [True]}, "float": 1.0, "ключ": "значение"}
    await add(client, {"id": "a", "text": "a"}, {"id": "b", "text": "b", "metadata": odd})

    listed = (await client.get(DOCUMENTS)).json()["documents"]

    assert [d["metadata"] for d in listed] == [{}, odd]


async def test_unknown_fields_of_a_document_are_ignored(client: httpx2.AsyncClient) -> None:
    assert (await add(client, {"text": "a", "colour": "red"})).status_code == 200


async def test_documents_are_deleted_by_id(client: httpx2.AsyncClient) -> None:
    await add(client, *({"id": id_, "text": f"text {id_}"} for id_ in "abc"))

    reply = await client.request("DELETE", DOCUMENTS, json=["a", "c", "never-was"])

    assert reply.json() == {"status": "deleted", "collection": "robotics", "count": 2}
    assert await texts(client) == ["text b"]
    found = await client.post("/query", json={"collection": "robotics", "query": "text"})
    assert [hit["id"] for hit in found.json()["results"]] == ["b"]


@pytest.mark.parametrize("body", [{"ids": ["a"]}, "a", [1], [None], None])
async def test_ids_to_delete_are_a_plain_array_of_strings(
    client: httpx2.AsyncClient, body: object
) -> None:
    await add(client, {"id": "a", "text": "a"})

    reply = await client.request("DELETE", DOCUMENTS, json=body)

    assert reply.status_code == 400
    assert await texts(client) == ["a"]


async def test_a_collection_is_emptied_and_goes_on(client: httpx2.AsyncClient) -> None:
    await add(client, *({"text": f"text {n}"} for n in range(20)))

    reply = await client.delete(f"{DOCUMENTS}/all")

    assert reply.json() == {"status": "emptied", "collection": "robotics", "count_deleted": 20}
    assert (await client.get("/collections/robotics")).json()["count"] == 0
    await add(client, {"text": "afterwards"})
    found = await client.post("/query", json={"collection": "robotics", "query": "text"})
    assert [hit["text"] for hit in found.json()["results"]] == ["afterwards"]


async def test_a_text_that_the_model_refuses_is_named_by_its_index(
    client: httpx2.AsyncClient, embedder: FakeEmbedder
) -> None:
    await add(client, {"text": "one"})
    embedder.poison = "poison"

    documents = [{"text": text} for text in ("one", "two", "poison", "poison")]
    reply = await client.post(DOCUMENTS, json={"documents": documents})

    assert reply.status_code == 400
    assert reply.json()["detail"].startswith("Document at index 2: the embedding service refuses")


async def test_a_failing_model_stores_nothing(
    client: httpx2.AsyncClient, embedder: FakeEmbedder
) -> None:
    embedder.failing = True

    reply = await add(client, {"text": "a"})

    assert reply.status_code == 503
    assert await texts(client) == []


@pytest.mark.parametrize(
    "vector", [[float("nan")] * 64, [float("inf")] * 64, [0.0] * 64, [1.0] * 63]
)
async def test_unusable_vectors_are_never_stored(
    client: httpx2.AsyncClient, embedder: FakeEmbedder, vector: list[float]
) -> None:
    embedder.override = (vector,)

    reply = await add(client, {"text": "a"})

    assert reply.status_code == 503
    assert await texts(client) == []


async def test_metadata_values_are_distinct_sorted_text(client: httpx2.AsyncClient) -> None:
    values = ["us", "eu", "eu", 3, True, None, ["eu", "apac"]]
    await add(client, *({"text": f"{n}", "metadata": {"region": v}} for n, v in enumerate(values)))

    reply = await client.get("/collections/robotics/metadata-values", params={"field": "region"})

    assert reply.json() == {
        "field": "region",
        "values": ["3", "True", "apac", "eu", "us"],
        "count": 5,
    }


async def test_metadata_values_need_a_field(client: httpx2.AsyncClient) -> None:
    reply = await client.get("/collections/robotics/metadata-values")

    assert reply.status_code == 400
    assert reply.json() == {"detail": "'field' is required"}
