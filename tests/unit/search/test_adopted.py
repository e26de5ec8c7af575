"""Collections that another tool keeps: searched like ours, described beside ours, never changed."""

import asyncio
from collections.abc import Mapping

import pytest

from sourcebook.core.documents import Document
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import Conflict, ModelNotLoaded, NotFound, RetrievalUnavailable
from sourcebook.core.filters import EVERYTHING, OneOf
from sourcebook.core.metadata import Metadata
from sourcebook.core.ports import Ledger
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.search import adopted as adopting
from sourcebook.search.catalog import Catalog
from sourcebook.search.reranking import HitReranker
from sourcebook.search.searcher import Searcher
from tests.adopted import FakeAdopted
from tests.fakes import FakeEmbedder, FakeReranker
from tests.memory_store import MemoryStore

PAGES: Mapping[str, tuple[str, Metadata]] = {
    "p1": ("robot arm joint", {"source_url": "/arm", "level": 1}),
    "p2": ("robot leg", {"source_url": "/leg", "level": 2}),
    "p3": ("cheese and wine", {"source_url": "/food", "level": 1}),
}


@pytest.fixture
async def adopted(embedder: FakeEmbedder) -> FakeAdopted:
    adopted = FakeAdopted(embedder)
    await adopted.put(PAGES)
    return adopted


@pytest.fixture
def searcher(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels, adopted: FakeAdopted
) -> Searcher:
    return Searcher(ledger, store, models, adopted={adopted.name: adopted})


@pytest.fixture
def catalog(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels, adopted: FakeAdopted
) -> Catalog:
    return Catalog(ledger, store, models, adopted={adopted.name: adopted})


async def test_an_adopted_collection_is_searched_like_ours(searcher: Searcher) -> None:
    found = await searcher.search("rag_embedding", "robot arm joint", 2)

    assert [hit.chunk.document_id for hit in found.hits] == ["p1", "p2"]
    assert found.hits[0].cosine == pytest.approx(1.0)
    assert found.collection.id == "adopted:rag_embedding"
    assert found.collection.metadata == {
        "embedding_model": "minilm",
        "adopted": True,
        "read_only": True,
    }


async def test_the_filter_holds_whatever_the_other_store_does(
    searcher: Searcher, adopted: FakeAdopted
) -> None:
    adopted.careless = True

    found = await searcher.search("rag_embedding", "robot arm", 3, OneOf("level", (2,)))

    assert [hit.chunk.document_id for hit in found.hits] == ["p2"]


async def test_its_hits_are_reranked_too(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels, adopted: FakeAdopted
) -> None:
    searcher = Searcher(
        ledger,
        store,
        models,
        reranking=HitReranker(FakeReranker()),
        adopted={adopted.name: adopted},
    )

    found = await searcher.search("rag_embedding", "wine", 1)

    assert [hit.chunk.document_id for hit in found.hits] == ["p3"]
    assert found.hits[0].rerank_score == -1.5
    assert adopted.asked == [4]


async def test_a_name_that_is_nowhere_is_not_found(searcher: Searcher) -> None:
    with pytest.raises(NotFound):
        await searcher.search("nowhere", "robot", 3)


async def test_ours_wins_where_both_have_the_name(
    searcher: Searcher,
    catalog: Catalog,
    ledger: Ledger,
    store: MemoryStore,
    models: EmbeddingModels,
) -> None:
    await Catalog(ledger, store, models).create("rag_embedding", {}, "minilm")
    await Ingestor(ledger, store, models).add("rag_embedding", [Document("ours", "robot", {})])

    found = await searcher.search("rag_embedding", "robot", 3)

    assert [hit.chunk.document_id for hit in found.hits] == ["ours"]
    assert [(c.name, c.count) for c in await catalog.all()] == [("rag_embedding", 1)]
    await catalog.check_writable("rag_embedding")
    assert (await catalog.documents("rag_embedding", EVERYTHING, 10, 0)).total == 1


async def test_the_named_model_reads_it_else_the_first_that_fits(
    models: EmbeddingModels, embedder: FakeEmbedder
) -> None:
    large = FakeEmbedder("large", dimensions=96)

    assert adopting.query_model(FakeAdopted(embedder), models).id == "minilm"
    assert adopting.query_model(FakeAdopted(large), models).id == "mxbai-large"
    named = FakeAdopted(large, model="mxbai-large")
    assert adopting.query_model(named, models).id == "mxbai-large"


@pytest.mark.parametrize(
    ("model", "dimensions", "says"),
    [
        (None, 1536, "needs a model of 1536 dimensions"),
        ("ada", 64, "needs model 'ada' of 64 dimensions"),
        ("minilm", 1536, "needs model 'minilm' of 1536 dimensions"),
    ],
)
async def test_without_a_model_that_fits_the_error_says_which(
    ledger: Ledger,
    store: MemoryStore,
    models: EmbeddingModels,
    embedder: FakeEmbedder,
    model: str | None,
    dimensions: int,
    says: str,
) -> None:
    adopted = FakeAdopted(embedder, model=model, dimensions=dimensions)
    searcher = Searcher(ledger, store, models, adopted={adopted.name: adopted})
    catalog = Catalog(ledger, store, models, adopted={adopted.name: adopted})

    with pytest.raises(ModelNotLoaded, match=says) as caught:
        await searcher.search("rag_embedding", "robot", 3)

    assert "Available: 'minilm' (64), 'mxbai-large' (96)" in caught.value.message
    described = await catalog.get("rag_embedding")
    assert described.metadata.get("embedding_model") == model
    assert not models.reindex_required(described)


async def test_it_is_listed_among_ours_by_name(catalog: Catalog, models: EmbeddingModels) -> None:
    await catalog.create("a", {}, "minilm")
    await catalog.create("z", {}, "minilm")

    listed = await catalog.all()

    assert [(c.name, c.count) for c in listed] == [("a", 0), ("rag_embedding", 3), ("z", 0)]
    assert listed[1] == await catalog.get("rag_embedding")
    assert not models.reindex_required(listed[1])


async def test_a_store_that_is_away_does_not_fail_the_listing(
    catalog: Catalog, adopted: FakeAdopted
) -> None:
    await catalog.create("a", {}, "minilm")
    adopted.away = True

    assert [c.name for c in await catalog.all()] == ["a"]
    with pytest.raises(RetrievalUnavailable):
        await catalog.get("rag_embedding")


async def test_a_store_that_never_answers_does_not_hold_up_the_listing(
    catalog: Catalog, adopted: FakeAdopted, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never() -> int:
        await asyncio.Event().wait()
        return 0

    monkeypatch.setattr(adopted, "count", never)
    monkeypatch.setattr(adopting, "COUNT_TIMEOUT_S", 0.01)

    assert await catalog.all() == []


async def test_it_cannot_be_changed_nor_its_name_be_taken(catalog: Catalog) -> None:
    for attempt in (
        catalog.create("rag_embedding", {}, "minilm"),
        catalog.delete("rag_embedding"),
        catalog.set_metadata("rag_embedding", {"a": 1}, merge=True),
        catalog.check_writable("rag_embedding"),
    ):
        with pytest.raises(Conflict, match="'rag_embedding' was adopted and is read-only"):
            await attempt
    for reading in (
        catalog.documents("rag_embedding", EVERYTHING, 10, 0),
        catalog.field_values("rag_embedding", "level"),
    ):
        with pytest.raises(Conflict, match=r"can only be searched: ask it with POST /query"):
            await reading
