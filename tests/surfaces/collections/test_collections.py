"""Creating, describing, changing and deleting collections."""

import httpx2
import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.ports import Ledger
from sourcebook.service.wiring.storage import Storage
from sourcebook.service.wiring.use_cases import build_use_cases
from tests.conftest import open_client
from tests.fakes import FakeEmbedder
from tests.memory_store import MemoryStore

BOTH = "['minilm', 'mxbai-large']"


async def create(client: httpx2.AsyncClient, name: str = "robotics", **more: object) -> None:
    body = {"name": name, "embedding_model": "minilm", **more}
    assert (await client.post("/collections", json=body)).status_code == 200


async def add(client: httpx2.AsyncClient, text: str, name: str = "robotics") -> httpx2.Response:
    body = {"documents": [{"id": "a", "text": text}]}
    return await client.post(f"/collections/{name}/documents", json=body)


async def ask(client: httpx2.AsyncClient, name: str = "robotics") -> httpx2.Response:
    return await client.post("/query", json={"collection": name, "query": "node"})


@pytest.mark.spec("001 Create Collection with Valid Embedding Model")
@pytest.mark.spec("000 Create Collection with Metadata")
async def test_a_collection_is_created_with_its_model(client: httpx2.AsyncClient) -> None:
    body = {
        "name": "robotics",
        "embedding_model": "mxbai-large",
        "metadata": {"description": "ROS 2"},
    }

    reply = await client.post("/collections", json=body)

    assert reply.status_code == 200
    assert reply.json() == {
        "status": "created",
        "name": "robotics",
        "metadata": {
            "description": "ROS 2",
            "embedding_model": "mxbai-large",
            "hnsw:space": "cosine",
        },
    }


@pytest.mark.spec("000 Create Collection with Metadata")
@pytest.mark.parametrize("metadata", [None, {}, {"embedding_provider": "another"}])
async def test_a_provider_named_beside_the_metadata_is_kept_among_them(
    client: httpx2.AsyncClient, metadata: dict[str, str] | None
) -> None:
    await create(client, embedding_provider="anything at all", metadata=metadata)

    found = (await client.get("/collections/robotics")).json()

    assert found["metadata"] == {
        "embedding_model": "minilm",
        "embedding_provider": "anything at all",
        "hnsw:space": "cosine",
    }


@pytest.mark.parametrize("provider", [5, True, ["openai"], {"name": "openai"}, "a\x00b"])
async def test_a_provider_that_is_no_text_is_refused(
    client: httpx2.AsyncClient, provider: object
) -> None:
    body = {"name": "robotics", "embedding_model": "minilm", "embedding_provider": provider}

    reply = await client.post("/collections", json=body)

    assert reply.status_code == 400
    assert "embedding_provider" in reply.json()["detail"]


@pytest.mark.spec("001 Create Collection Without Embedding Model")
@pytest.mark.parametrize("model", [{}, {"embedding_model": None}, {"embedding_model": ""}])
async def test_a_collection_needs_a_model(
    client: httpx2.AsyncClient, model: dict[str, object]
) -> None:
    reply = await client.post("/collections", json={"name": "robotics", **model})

    assert reply.status_code == 400
    assert reply.json() == {"detail": f"embedding_model is required. Available models: {BOTH}"}


@pytest.mark.spec("001 Create Collection with Invalid Embedding Model")
async def test_a_collection_needs_a_model_that_is_loaded(client: httpx2.AsyncClient) -> None:
    body = {"name": "robotics", "embedding_model": "invalid-model"}

    reply = await client.post("/collections", json=body)

    assert reply.status_code == 400
    assert reply.json() == {"detail": f"Model 'invalid-model' not loaded. Available: {BOTH}"}


async def test_a_name_that_is_taken_is_refused(client: httpx2.AsyncClient) -> None:
    await create(client)

    reply = await client.post(
        "/collections", json={"name": "robotics", "embedding_model": "minilm"}
    )

    assert reply.status_code == 400
    assert reply.json() == {"detail": "Collection 'robotics' already exists"}


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "/etc", "a/b", "C:\\x", "..", ".", "", "a b", "é", "-a", "x" * 513]
)
async def test_names_that_could_be_paths_are_refused(
    client: httpx2.AsyncClient, store: MemoryStore, name: str
) -> None:
    reply = await client.post("/collections", json={"name": name, "embedding_model": "minilm"})

    assert reply.status_code == 400
    assert reply.json()["detail"].startswith("Collection name ")
    assert await store.indexes() == set()


@pytest.mark.spec("001 Retrieve Collection with Metadata")
@pytest.mark.spec("000 Retrieve Collection with Metadata")
async def test_a_collection_is_described(client: httpx2.AsyncClient) -> None:
    await create(client, metadata={"display_name": "Robots", "query_profile": '{"a": 1}'})
    await add(client, "a node")

    reply = await client.get("/collections/robotics")

    assert reply.json() == {
        "name": "robotics",
        "count": 1,
        "metadata": {
            "display_name": "Robots",
            "query_profile": '{"a": 1}',
            "embedding_model": "minilm",
            "hnsw:space": "cosine",
        },
        "reindex_required": False,
    }


@pytest.mark.spec("001 Retrieve All Collections with Metadata")
@pytest.mark.spec("000 Retrieve All Collections with Metadata")
async def test_all_collections_are_listed(client: httpx2.AsyncClient) -> None:
    await create(client, "one")
    await create(client, "two", embedding_model="mxbai-large")

    listed = (await client.get("/collections")).json()["collections"]

    models = {item["name"]: item["metadata"]["embedding_model"] for item in listed}
    assert models == {"one": "minilm", "two": "mxbai-large"}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/collections/nonexistent", None),
        ("DELETE", "/collections/nonexistent", None),
        ("PUT", "/collections/nonexistent/metadata", {"metadata": {}}),
        ("GET", "/collections/nonexistent/documents", None),
        ("POST", "/collections/nonexistent/documents", {"documents": [{"text": "a"}]}),
        ("DELETE", "/collections/nonexistent/documents", ["a"]),
        ("DELETE", "/collections/nonexistent/documents/all", None),
        ("GET", "/collections/nonexistent/metadata-values?field=a", None),
        ("POST", "/query", {"collection": "nonexistent", "query": "a"}),
    ],
)
@pytest.mark.spec("000 Collection not found")
async def test_an_unknown_collection_is_404_everywhere(
    client: httpx2.AsyncClient, method: str, path: str, body: object
) -> None:
    reply = await client.request(method, path, json=body)

    assert reply.status_code == 404
    assert reply.json() == {"detail": "Collection 'nonexistent' not found"}


async def test_a_deleted_collection_is_gone_and_its_name_is_free(
    client: httpx2.AsyncClient,
) -> None:
    await create(client)
    await add(client, "a node")

    reply = await client.delete("/collections/robotics")

    assert reply.json() == {"status": "deleted", "name": "robotics"}
    assert (await client.get("/collections/robotics")).status_code == 404
    await create(client)
    assert (await ask(client)).json()["results"] == []


@pytest.mark.spec("001 Update Collection Metadata")
@pytest.mark.spec("000 Update Collection Metadata")
async def test_metadata_are_replaced_and_the_model_is_kept(client: httpx2.AsyncClient) -> None:
    await create(client, metadata={"old": 1})

    reply = await client.put("/collections/robotics/metadata", json={"metadata": {"new": 2}})

    assert reply.status_code == 200
    assert reply.json() == {
        "status": "updated",
        "name": "robotics",
        "metadata": {"new": 2, "embedding_model": "minilm", "hnsw:space": "cosine"},
        "merge": False,
        "reindex_required": False,
    }
    assert (await add(client, "still writable")).status_code == 200


async def test_metadata_are_merged_when_asked(client: httpx2.AsyncClient) -> None:
    await create(client, metadata={"old": 1, "both": 1})

    await client.put(
        "/collections/robotics/metadata?merge=true", json={"metadata": {"both": 2, "new": 2}}
    )

    metadata = (await client.get("/collections/robotics")).json()["metadata"]
    assert {key: metadata.get(key) for key in ("old", "both", "new")} == {
        "old": 1,
        "both": 2,
        "new": 2,
    }


async def test_another_model_marks_a_filled_collection_for_reindexing(
    client: httpx2.AsyncClient, embedder: FakeEmbedder
) -> None:
    await create(client)
    await add(client, "a node")
    change = {"metadata": {"embedding_model": "mxbai-large"}}

    changed = await client.put("/collections/robotics/metadata?merge=true", json=change)

    assert changed.json()["reindex_required"] is True
    refused = await add(client, "another node")
    assert refused.status_code == 409
    assert "'minilm'" in refused.json()["detail"]
    assert "'mxbai-large'" in refused.json()["detail"]
    # Questions go on with the model that embedded the documents.
    assert [r["text"] for r in (await ask(client)).json()["results"]] == ["a node"]
    assert embedder.queries == ["node"]


async def test_an_empty_collection_takes_another_model_at_once(client: httpx2.AsyncClient) -> None:
    await create(client)
    change = {"metadata": {"embedding_model": "mxbai-large"}}

    changed = await client.put("/collections/robotics/metadata", json=change)

    assert changed.json()["reindex_required"] is False
    assert (await add(client, "a node")).status_code == 200
    assert len((await ask(client)).json()["results"]) == 1


@pytest.mark.spec("001 Collection references non-loaded model")
@pytest.mark.spec("001 Add Documents with Embedding Model Not Loaded")
async def test_a_model_that_is_not_loaded_is_503(client: httpx2.AsyncClient) -> None:
    await create(client)
    await add(client, "a node")
    change = {"metadata": {"embedding_model": "model-x"}}
    assert (await client.put("/collections/robotics/metadata", json=change)).status_code == 200

    for reply in (await add(client, "more"), await ask(client)):
        assert reply.status_code == 503
        message = f"Embedding model 'model-x' not loaded. Available: {BOTH}"
        assert reply.json()["detail"].startswith(message)
        assert "config" in reply.json()["detail"]


@pytest.mark.spec("001 Collection missing embedding_model metadata")
@pytest.mark.spec("001 Add Documents to Collection Without Embedding Model")
async def test_a_collection_whose_model_was_removed_says_which_there_are(
    client: httpx2.AsyncClient,
) -> None:
    await create(client)
    change = {"metadata": {"embedding_model": None}}
    await client.put("/collections/robotics/metadata?merge=true", json=change)

    for reply in (await add(client, "a node"), await ask(client)):
        assert reply.status_code == 400
        message = f"Collection has no embedding_model in metadata. Available models: {BOTH}"
        assert reply.json()["detail"].startswith(message)


@pytest.mark.spec("001 Get model for collection with valid metadata")
async def test_each_collection_embeds_with_its_own_model(
    client: httpx2.AsyncClient, models: EmbeddingModels, embedder: FakeEmbedder
) -> None:
    other = models.find("mxbai-large")
    assert isinstance(other, FakeEmbedder)
    await create(client, "small")
    await create(client, "large", embedding_model="mxbai-large")

    await add(client, "into small", "small")
    await add(client, "into large", "large")

    assert embedder.batches == [["into small"]]
    assert other.batches == [["into large"]]


async def test_emptying_lets_the_wanted_model_in(client: httpx2.AsyncClient) -> None:
    await create(client)
    await add(client, "a node")
    change = {"metadata": {"embedding_model": "mxbai-large"}}
    await client.put("/collections/robotics/metadata", json=change)

    await client.delete("/collections/robotics/documents/all")

    assert (await client.get("/collections/robotics")).json()["reindex_required"] is False
    assert (await ask(client)).json()["results"] == []
    assert (await add(client, "a node")).status_code == 200
    assert len((await ask(client)).json()["results"]) == 1


async def test_another_alias_of_the_same_model_is_the_same_model(
    client: httpx2.AsyncClient, ledger: Ledger, store: MemoryStore
) -> None:
    await create(client)
    await add(client, "a node")
    renamed = EmbeddingModels([FakeEmbedder("new-name")])

    async with open_client(build_use_cases(Storage(ledger, store), renamed, None)) as restarted:
        change = {"metadata": {"embedding_model": "new-name"}}
        changed = await restarted.put("/collections/robotics/metadata", json=change)
        assert changed.json()["reindex_required"] is False
        assert (await add(restarted, "another node")).status_code == 200
        assert len((await ask(restarted)).json()["results"]) == 1


async def test_the_same_alias_with_other_weights_is_not_mixed_in(
    client: httpx2.AsyncClient, ledger: Ledger, store: MemoryStore
) -> None:
    await create(client)
    await add(client, "a node")
    changed = EmbeddingModels([FakeEmbedder("minilm", revision="rev-2")])

    async with open_client(build_use_cases(Storage(ledger, store), changed, None)) as restarted:
        for reply in (await add(restarted, "more"), await ask(restarted)):
            assert reply.status_code == 503
            assert "no longer the one that embedded" in reply.json()["detail"]
