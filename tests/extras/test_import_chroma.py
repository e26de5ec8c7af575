"""`sourcebook import chroma` copies collections of a folder and of a server without embedding."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import chromadb
import pytest
from chromadb.config import Settings

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
from sourcebook.providers.vector_stores.chroma.foreign import (
    ForeignChroma,
    open_foreign_chroma_store,
)
from sourcebook.providers.vector_stores.chroma.settings import ChromaFolderSettings
from sourcebook.providers.vector_stores.field_mapping import FieldMapping
from sourcebook.providers.vector_stores.memory import MemoryStore
from tests.fakes import FakeEmbedder

TEXTS = ["gears turn", "bees dance in the sun", "bread rises slowly"]


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    """A folder as FlexChat leaves it: its collection names the model of its vectors."""
    embedded = await FakeEmbedder().embed_documents(TEXTS)
    client = chromadb.PersistentClient(
        str(tmp_path / "chroma_db"), Settings(anonymized_telemetry=False)
    )
    collection = client.create_collection(
        "faq", metadata={"embedding_model": "minilm", "hnsw:space": "cosine"}
    )
    collection.add(
        ids=["a", "b", "c"],
        embeddings=[list(vectors[0]) for vectors in embedded],
        documents=TEXTS,
        metadatas=[{"source": f"https://x/{n}"} for n in range(3)],
    )
    client.close()
    return tmp_path / "chroma_db"


def opened(folder: Path) -> AbstractAsyncContextManager[ForeignChroma]:
    return open_foreign_chroma_store(ChromaFolderSettings(path=folder), FieldMapping())


async def test_a_folder_is_copied_without_embedding(
    folder: Path,
    ledger: Ledger,
    store: MemoryStore,
    models: EmbeddingModels,
    embedder: FakeEmbedder,
) -> None:
    async with opened(folder) as chroma:
        (plan,) = await plan_import(chroma, [], models)
        assert isinstance(plan, PlannedCollection)
        assert (plan.problem, plan.points, plan.embedder.id) == (None, 3, "minilm")
        embedder.batches.clear()
        importer = Importer(ledger, store, Targets(ledger, store, models))
        report = await importer.take(planned_records([plan]))

    assert report.complete
    assert report.collections["faq"].created == 3
    assert embedder.batches == []
    collection = await ledger.collections.get("faq")
    found = await ledger.documents.get(collection.id, ["b"])
    assert found["b"].text == TEXTS[1]
    assert found["b"].metadata["source_url"] == "https://x/1"
    assert all(one.clean for one in await Verifier(ledger, store).verify())


async def test_an_unknown_collection_names_those_that_are_there(folder: Path) -> None:
    async with opened(folder) as chroma:
        with pytest.raises(NotFound, match=r"It has \['faq'\]"):
            await chroma.collection("other")


def test_the_names_in_a_folder_are_known_without_the_library(folder: Path) -> None:
    assert collections_in_folder(folder) == ["faq"]
