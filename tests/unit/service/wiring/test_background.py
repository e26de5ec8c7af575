"""A service starts without its vector store, and mends what needs it once it is back."""

import asyncio
import logging
from dataclasses import replace

import pytest

from sourcebook.core.collections import Collection
from sourcebook.core.documents import Document
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.core.jobs import JobRequest
from sourcebook.core.ports import Ledger
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.ingestion.reindex.outdated_indexes import LOOKS_AT_ONCE, OutdatedIndexes
from sourcebook.providers.lexical.bm25 import Bm25Encoder
from sourcebook.providers.lexical.term_indexing import index_terms
from sourcebook.providers.vector_stores.memory import MemoryStore
from sourcebook.search.catalog import Catalog
from sourcebook.search.searcher import Searcher
from sourcebook.service.config.settings import load_settings
from sourcebook.service.wiring import background
from sourcebook.service.wiring.background import BackgroundParts, open_background
from sourcebook.service.wiring.ingestion import BookConfig, assemble_book, assemble_reindexing
from tests.fakes import MemoryConversations

WAIT_S = 10


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
def place(ledger: Ledger, store: LeavingStore, models: EmbeddingModels) -> BackgroundParts:
    book = assemble_book(ledger, store, models, BookConfig())
    return BackgroundParts(
        ledger,
        store,
        book.book_jobs,
        book.book_collection,
        "book",
        assemble_reindexing(ledger, store, models).jobs,
        (),
        MemoryConversations(),
    )


async def test_it_starts_while_the_store_is_away_and_says_so(
    place: BackgroundParts, store: LeavingStore, caplog: pytest.LogCaptureFixture
) -> None:
    store.away = True

    async with open_background(load_settings(), place, shared=False):
        said = [record for record in caplog.records if record.message == "mending_put_off"]

    assert [record.levelno for record in said] == [logging.WARNING]


async def test_jobs_are_let_go_although_the_store_is_away(
    place: BackgroundParts, store: LeavingStore
) -> None:
    await place.ledger.jobs.enqueue(JobRequest("book"))
    assert await place.ledger.jobs.claim(3_600.0) is not None
    store.away = True

    async with open_background(load_settings(), place, shared=False):
        again = await place.ledger.jobs.claim(30.0)

    assert again is not None


async def test_an_index_that_did_not_come_back_with_the_store_is_rebuilt(
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

    async with open_background(load_settings(), place, shared=False), asyncio.timeout(WAIT_S):
        store.away = False
        while not await _has_moved(ledger, collection):  # noqa: ASYNC110 - chores tell nobody
            await asyncio.sleep(0.01)

    found = await Searcher(ledger, store, models).search("robotics", "robot arms", 1)
    assert [hit.chunk.document_id for hit in found.hits] == ["d1"]


async def test_an_index_without_terms_gains_them_in_the_background(
    place: BackgroundParts, store: LeavingStore, models: EmbeddingModels
) -> None:
    ledger, encoder = place.ledger, Bm25Encoder()
    collection = await Catalog(ledger, store, models).create("robotics", {}, "minilm")
    await Ingestor(ledger, store, models).add("robotics", [Document("d1", "robot arms", {})])
    indexing = index_terms(store, encoder)
    parts = assemble_reindexing(ledger, indexing, models)
    upgraded = replace(place, store=indexing, reindex_jobs=parts.jobs, runners=(parts.runner,))

    async with open_background(load_settings(), upgraded, shared=False), asyncio.timeout(WAIT_S):
        while not await _has_moved(ledger, collection):  # noqa: ASYNC110 - chores tell nobody
            await asyncio.sleep(0.01)

    searcher = Searcher(ledger, indexing, models, terms=encoder)
    found = await searcher.search("robotics", "arms", 1, mode="keyword")
    assert [hit.chunk.document_id for hit in found.hits] == ["d1"]


async def test_an_index_that_cannot_be_read_is_looked_at_again(
    place: BackgroundParts,
    store: LeavingStore,
    models: EmbeddingModels,
    caplog: pytest.LogCaptureFixture,
) -> None:
    await Catalog(place.ledger, store, models).create("robotics", {}, "minilm")
    await Ingestor(place.ledger, store, models).add("robotics", [Document("d1", "arms", {})])
    indexing = index_terms(store, Bm25Encoder())
    parts = assemble_reindexing(place.ledger, indexing, models)
    outdated = OutdatedIndexes(place.ledger, indexing, parts.jobs)
    store.away = True

    assert not await outdated.refresh()
    assert "indexes_not_looked_at" in caplog.messages
    store.away = False
    assert await outdated.refresh()
    assert len(await parts.jobs.refreshing()) == 1


async def test_many_indexes_are_looked_at_a_few_at_a_time(
    place: BackgroundParts, store: LeavingStore, models: EmbeddingModels
) -> None:
    for number in range(LOOKS_AT_ONCE + 1):
        await Catalog(place.ledger, store, models).create(f"c{number}", {}, "minilm")
    outdated = OutdatedIndexes(place.ledger, store, place.reindex_jobs)

    assert not await outdated.refresh()
    assert await outdated.refresh()


async def _has_moved(ledger: Ledger, collection: Collection) -> bool:
    return (await ledger.collections.get(collection.name)).generation != collection.generation
