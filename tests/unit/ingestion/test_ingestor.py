"""A reader sees one whole version of a document, whatever happens while it is replaced."""

from collections.abc import Sequence

import pytest

from sourcebook.core.collections import Collection
from sourcebook.core.documents import Document
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import EmbeddingFailed, RetrievalUnavailable
from sourcebook.core.filters import Compare
from sourcebook.core.ports import Ledger
from sourcebook.core.vectors import IndexQuery, Point, ScoredPoint
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.ingestion.upkeep.verifier import Verifier
from sourcebook.search.catalog import Catalog
from sourcebook.search.searcher import Searcher
from tests.fakes import FakeEmbedder
from tests.memory_store import MemoryStore


@pytest.fixture
async def collection(ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> Collection:
    return await Catalog(ledger, store, models).create("robotics", {}, "minilm")


async def found(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels, limit: int = 10
) -> list[str]:
    hits = (await Searcher(ledger, store, models).search("robotics", "words", limit)).hits
    return [hit.chunk.text for hit in hits]


class InterruptedStore(MemoryStore):
    """Does something else in the middle of a write, or fails there."""

    def __init__(self) -> None:
        super().__init__()
        self.failing = False
        self.between: Ingestor | None = None

    async def upsert(self, index_id: str, points: Sequence[Point]) -> None:
        if self.failing:
            raise RetrievalUnavailable("The disk is full")
        await super().upsert(index_id, points)
        if self.between is not None:
            ingestor, self.between = self.between, None
            await ingestor.empty("robotics")


@pytest.fixture
def store() -> InterruptedStore:
    return InterruptedStore()


async def test_a_failed_embedding_leaves_the_old_version(
    ledger: Ledger,
    store: InterruptedStore,
    models: EmbeddingModels,
    embedder: FakeEmbedder,
    collection: Collection,
) -> None:
    ingestor = Ingestor(ledger, store, models)
    await ingestor.add("robotics", [Document("a", "old words", {})])
    embedder.failing = True

    with pytest.raises(EmbeddingFailed):
        await ingestor.add("robotics", [Document("a", "new words", {})])

    embedder.failing = False
    assert await found(ledger, store, models) == ["old words"]


async def test_a_failed_store_leaves_the_old_version(
    ledger: Ledger, store: InterruptedStore, models: EmbeddingModels, collection: Collection
) -> None:
    ingestor = Ingestor(ledger, store, models)
    await ingestor.add("robotics", [Document("a", "old words", {})])
    store.failing = True

    with pytest.raises(RetrievalUnavailable):
        await ingestor.add("robotics", [Document("a", "new words", {})])

    assert await found(ledger, store, models) == ["old words"]


async def test_a_write_follows_a_collection_that_was_emptied_under_it(
    ledger: Ledger, store: InterruptedStore, models: EmbeddingModels, collection: Collection
) -> None:
    ingestor = Ingestor(ledger, store, models)
    await ingestor.add("robotics", [Document("a", "old words", {})])
    store.between = ingestor

    await ingestor.add("robotics", [Document("b", "new words", {})])

    assert await found(ledger, store, models) == ["new words"]
    (findings,) = await Verifier(ledger, store).verify()
    assert findings.clean


async def test_a_long_text_is_found_by_any_of_its_stretches_and_comes_once(
    ledger: Ledger, store: InterruptedStore, embedder: FakeEmbedder, collection: Collection
) -> None:
    models = EmbeddingModels([embedder])
    embedder.max_tokens = 5
    long = "one two three four five six seven eight nine ten eleven words"
    await Ingestor(ledger, store, models).add("robotics", [Document("a", long, {})])

    assert await store.count(collection.generation.index_id) == 3
    assert await found(ledger, store, models) == [long]


async def test_the_same_text_twice_gives_two_documents(
    ledger: Ledger, store: InterruptedStore, models: EmbeddingModels, collection: Collection
) -> None:
    documents = [Document(id_, "the same words", {}) for id_ in "ab"]

    await Ingestor(ledger, store, models).add("robotics", documents)

    assert await found(ledger, store, models) == ["the same words", "the same words"]


class SlowStore(MemoryStore):
    """Lets a replacement happen between a search and the reading of its hits."""

    def __init__(self) -> None:
        super().__init__()
        self.replacing: Ingestor | None = None

    async def search(self, index_id: str, query: IndexQuery) -> list[ScoredPoint]:
        points = await super().search(index_id, query)
        if self.replacing is not None:
            ingestor, self.replacing = self.replacing, None
            await ingestor.add("robotics", [Document("a", "new words", {})])
        return points


async def test_a_search_answers_as_of_its_beginning(
    ledger: Ledger, models: EmbeddingModels
) -> None:
    store = SlowStore()
    await Catalog(ledger, store, models).create("robotics", {}, "minilm")
    ingestor = Ingestor(ledger, store, models)
    await ingestor.add("robotics", [Document("a", "old words", {})])
    store.replacing = ingestor

    during, after = [await found(ledger, store, models) for _ in range(2)]

    assert (during, after) == (["old words"], ["new words"])


async def test_dead_points_do_not_crowd_out_live_ones(
    ledger: Ledger, store: InterruptedStore, models: EmbeddingModels, collection: Collection
) -> None:
    ingestor = Ingestor(ledger, store, models)
    await ingestor.add("robotics", [Document("far", "other words entirely", {})])
    for _ in range(20):
        await ingestor.add("robotics", [Document("near", "words", {})])
    await ingestor.delete("robotics", ["near"])

    assert await found(ledger, store, models, limit=1) == ["other words entirely"]


async def test_a_filter_holds_even_if_the_index_is_wrong(
    ledger: Ledger, models: EmbeddingModels
) -> None:
    class LeakyStore(MemoryStore):
        async def search(self, index_id: str, query: IndexQuery) -> list[ScoredPoint]:
            return await super().search(index_id, IndexQuery(query.dense, query.limit))

    store = LeakyStore()
    await Catalog(ledger, store, models).create("robotics", {}, "minilm")
    documents = [Document(f"t{tier}", "words", {"tier": tier}) for tier in (1, 2, 3, 4)]
    await Ingestor(ledger, store, models).add("robotics", documents)

    result = await Searcher(ledger, store, models).search(
        "robotics", "words", 10, Compare("tier", "lte", 1)
    )

    assert [hit.chunk.document_id for hit in result.hits] == ["t1"]
