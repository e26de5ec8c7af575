"""A service starts without its vector store, and mends what needs it once it is back."""

import asyncio
import logging
from pathlib import Path

import pytest

from sourcebook.core.collections import Collection
from sourcebook.core.documents import Document
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.core.ports import Ledger
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.search.catalog import Catalog
from sourcebook.search.searcher import Searcher
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import load_settings
from sourcebook.service.wiring import background
from sourcebook.service.wiring.background import BackgroundParts, open_background
from sourcebook.service.wiring.ingestion import BookConfig, assemble_book
from tests.fakes import MemoryConversations
from tests.memory_store import MemoryStore

WAIT_S = 10
SETTINGS = load_settings()


class LeavingStore(MemoryStore):
    """A store that can be away: then every call fails."""

    def __init__(self) -> None:
        super().__init__()
        self.away = False

    def __getattribute__(self, name: str) -> object:
        if name in {"create", "drop", "indexes", "upsert", "delete", "search", "count", "scan"}:
            object.__getattribute__(self, "_check_here")()
        return object.__getattribute__(self, name)

    def _check_here(self) -> None:
        if self.away:
            raise RetrievalUnavailable("The store is away")


@pytest.fixture
def store() -> LeavingStore:
    return LeavingStore()


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path)


@pytest.fixture
def place(ledger: Ledger, store: LeavingStore, models: EmbeddingModels) -> BackgroundParts:
    book = assemble_book(ledger, store, models, BookConfig())
    return BackgroundParts(
        ledger,
        store,
        book.book_jobs,
        book.book_collection,
        "book",
        (),
        MemoryConversations(),
    )


async def test_it_starts_while_the_store_is_away_and_says_so(
    folder: DataFolder,
    place: BackgroundParts,
    store: LeavingStore,
    caplog: pytest.LogCaptureFixture,
) -> None:
    store.away = True

    async with open_background(SETTINGS, folder, place, shared=False):
        said = [record for record in caplog.records if record.message == "mending_put_off"]

    assert [record.levelno for record in said] == [logging.WARNING]


async def test_an_index_that_did_not_come_back_with_the_store_is_rebuilt(
    folder: DataFolder,
    place: BackgroundParts,
    store: LeavingStore,
    models: EmbeddingModels,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(background, "LEADERSHIP_INTERVAL_S", 0.01)
    ledger = place.ledger
    collection = await Catalog(ledger, store, models).create("robotics", {}, "minilm")
    await Ingestor(ledger, store, models).add("robotics", [Document("d1", "robot arms", {})])
    await store.drop(collection.generation.index_id)
    store.away = True

    async with (
        open_background(SETTINGS, folder, place, shared=False),
        asyncio.timeout(WAIT_S),
    ):
        store.away = False
        while not await _has_moved(ledger, collection):  # noqa: ASYNC110 - chores tell nobody
            await asyncio.sleep(0.01)

    found = await Searcher(ledger, store, models).search("robotics", "robot arms", 1)
    assert [hit.chunk.document_id for hit in found.hits] == ["d1"]


async def _has_moved(ledger: Ledger, collection: Collection) -> bool:
    return (await ledger.collections.get(collection.name)).generation != collection.generation
