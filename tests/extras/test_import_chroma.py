"""`sourcebook import chroma` copies collections of a folder and of a server without embedding."""

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest
from chromadb.api import ClientAPI

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import NotFound
from sourcebook.core.ports import Ledger
from sourcebook.ingestion.transfer.foreign_import import (
    PlannedCollection,
    plan_import,
    planned_records,
)
from sourcebook.ingestion.transfer.importer import Importer
from sourcebook.ingestion.transfer.targets import Targets
from sourcebook.ingestion.upkeep.verifier import Verifier
from sourcebook.providers.vector_stores.chroma.folder_names import collections_in_folder
from sourcebook.providers.vector_stores.chroma.reader import (
    ForeignChroma,
    open_foreign_chroma,
)
from sourcebook.providers.vector_stores.chroma.settings import ChromaFolderSettings
from sourcebook.providers.vector_stores.field_mapping import FieldMapping
from tests.extras.chroma_stores import server_settings
from tests.extras.test_adopted_chroma import other_tool, remote_tool
from tests.fakes import FakeEmbedder
from tests.memory_store import MemoryStore

TEXTS = ["gears turn", "bees dance in the sun", "bread rises slowly"]


@pytest.fixture
def name() -> str:
    """A name that no other test uses at the server."""
    return f"faq-{uuid4().hex[:8]}"


async def fill(client: ClientAPI, name: str) -> None:
    """Leave a collection as FlexChat does: it names the model of its vectors."""
    embedded = await FakeEmbedder().embed_documents(TEXTS)
    collection = client.create_collection(
        name,
        metadata={"embedding_model": "minilm", "hnsw:space": "cosine"},
        embedding_function=None,
    )
    collection.add(
        ids=["a", "b", "c"],
        embeddings=[list(vectors[0]) for vectors in embedded],
        documents=TEXTS,
        metadatas=[{"source": f"https://x/{n}"} for n in range(3)],
    )


async def filled_folder(parent: Path, name: str) -> Path:
    folder = parent / "chroma_db"
    with other_tool(folder) as client:
        await fill(client, name)
    return folder


@pytest.fixture(params=["folder", "server"])
async def chroma(
    request: pytest.FixtureRequest, tmp_path: Path, name: str
) -> AsyncIterator[ForeignChroma]:
    """Another tool's Chroma, opened to be copied."""
    if request.param == "folder":
        folder = ChromaFolderSettings(path=await filled_folder(tmp_path, name))
        async with open_foreign_chroma(folder, FieldMapping()) as store:
            yield store
        return
    url = request.getfixturevalue("chroma_url")
    with remote_tool(url) as client:
        await fill(client, name)
    async with open_foreign_chroma(server_settings(url), FieldMapping()) as store:
        yield store


async def test_a_collection_is_copied_without_embedding(
    chroma: ForeignChroma,
    name: str,
    ledger: Ledger,
    store: MemoryStore,
    models: EmbeddingModels,
    embedder: FakeEmbedder,
) -> None:
    (plan,) = await plan_import(chroma, [name], models)
    assert isinstance(plan, PlannedCollection)
    assert (plan.problem, plan.points, plan.embedder.id) == (None, 3, "minilm")
    embedder.batches.clear()
    importer = Importer(ledger, store, Targets(ledger, store, models))

    report = await importer.take(planned_records([plan]))

    assert report.complete
    assert report.collections[name].created == 3
    assert embedder.batches == []
    collection = await ledger.collections.get(name)
    found = await ledger.documents.get(collection.id, ["b"])
    assert found["b"].text == TEXTS[1]
    assert found["b"].metadata == {"source": "https://x/1"}
    assert all(one.clean for one in await Verifier(ledger, store).verify())


async def test_an_unknown_collection_names_those_that_are_there(
    chroma: ForeignChroma, name: str
) -> None:
    with pytest.raises(NotFound, match=name):
        await chroma.collection("other")


async def test_the_names_in_a_folder_are_known_without_the_library(
    tmp_path: Path, name: str
) -> None:
    assert collections_in_folder(await filled_folder(tmp_path, name)) == [name]
