"""An adopted collection over HTTP: described and asked, never changed."""

from collections.abc import AsyncIterator
from dataclasses import replace

import httpx2
import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.ports import Ledger
from sourcebook.search.catalog import Catalog
from sourcebook.search.searcher import Searcher
from sourcebook.surfaces.use_cases import UseCases
from tests.adopted import FakeAdopted
from tests.conftest import open_client
from tests.fakes import FakeEmbedder
from tests.memory_store import MemoryStore

PATH = "/collections/rag_embedding"
DESCRIBED = {
    "name": "rag_embedding",
    "count": 1,
    "metadata": {"embedding_model": "minilm", "adopted": True, "read_only": True},
    "reindex_required": False,
}


@pytest.fixture
async def adopted(embedder: FakeEmbedder) -> FakeAdopted:
    adopted = FakeAdopted(embedder)
    await adopted.put({"p1": ("robot arm", {"page_title": "Arms"})})
    return adopted


@pytest.fixture
async def adopting(
    use_cases: UseCases,
    ledger: Ledger,
    store: MemoryStore,
    models: EmbeddingModels,
    adopted: FakeAdopted,
) -> AsyncIterator[httpx2.AsyncClient]:
    known = {adopted.name: adopted}
    use = replace(
        use_cases,
        catalog=Catalog(ledger, store, models, adopted=known),
        searcher=Searcher(ledger, store, models, adopted=known),
    )
    async with open_client(use) as client:
        yield client


async def test_it_is_described_beside_ours(adopting: httpx2.AsyncClient) -> None:
    await adopting.post("/collections", json={"name": "a", "embedding_model": "minilm"})

    listed = (await adopting.get("/collections")).json()["collections"]

    assert [item["name"] for item in listed] == ["a", "rag_embedding"]
    assert listed[1] == (await adopting.get(PATH)).json() == DESCRIBED


async def test_it_is_asked_like_ours(adopting: httpx2.AsyncClient) -> None:
    body = {"query": "robot arm", "collection": "rag_embedding", "where": {"page_title": "Arms"}}

    reply = (await adopting.post("/query", json=body)).json()

    assert [hit["id"] for hit in reply["results"]] == ["p1"]
    assert reply["collection_metadata"] == DESCRIBED["metadata"]


async def test_while_its_store_is_away_ours_are_still_listed(
    adopting: httpx2.AsyncClient, adopted: FakeAdopted
) -> None:
    adopted.away = True
    body = {"query": "robot arm", "collection": "rag_embedding"}

    assert (await adopting.get("/collections")).json() == {"collections": []}
    assert (await adopting.get(PATH)).status_code == 503
    assert (await adopting.post("/query", json=body)).status_code == 503


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/collections", {"name": "rag_embedding", "embedding_model": "minilm"}),
        ("DELETE", PATH, None),
        ("PUT", f"{PATH}/metadata", {"metadata": {}}),
        ("POST", f"{PATH}/documents", {"documents": [{"text": "robot"}]}),
        ("DELETE", f"{PATH}/documents", ["p1"]),
        ("DELETE", f"{PATH}/documents/all", None),
    ],
)
async def test_it_cannot_be_changed(
    adopting: httpx2.AsyncClient, method: str, path: str, body: object
) -> None:
    reply = await adopting.request(method, path, json=body)

    assert reply.status_code == 409
    assert reply.json() == {
        "detail": "Collection 'rag_embedding' was adopted and is read-only: change it with the"
        " tool that fills it"
    }


@pytest.mark.parametrize("path", [f"{PATH}/documents", f"{PATH}/metadata-values?field=a"])
async def test_it_cannot_be_read_without_a_question(
    adopting: httpx2.AsyncClient, path: str
) -> None:
    reply = await adopting.get(path)

    assert reply.status_code == 409
    assert "POST /query" in reply.json()["detail"]
