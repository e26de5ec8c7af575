"""Follow-ups are searched beside what the question before them found."""

import pytest

from sourcebook.core.documents import Document
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.filters import OneOf
from sourcebook.core.ports import Ledger
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.providers.lexical.bm25 import Bm25Encoder
from sourcebook.providers.lexical.term_indexing import TermIndexingStore
from sourcebook.search.catalog import Catalog
from sourcebook.search.searcher import Searcher, SearchResult
from tests.fakes import FakeEmbedder
from tests.memory_store import MemoryStore

ENCODER = Bm25Encoder()
# Both say as much about charges; which of them is meant depends on what was asked before.
DOCUMENTS = [
    Document("kettle", "kettle boils water", {"tier": 1}),
    Document("kettle-price", "charges apply kettle water", {"tier": 1}),
    Document("ladder", "ladder reaches roofs", {"tier": 2}),
    Document("ladder-price", "charges apply ladder roofs", {"tier": 1}),
]
CHARGES = "Which charges apply?"
KETTLE = "What boils water in a kettle?"
LADDER = "Which ladder reaches roofs?"


@pytest.fixture
async def searcher(ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> Searcher:
    indexing = TermIndexingStore(store, ENCODER)
    await Catalog(ledger, indexing, models).create("shop", {}, "minilm")
    await Ingestor(ledger, indexing, models).add("shop", DOCUMENTS)
    return Searcher(ledger, indexing, models, terms=ENCODER)


def ids(found: SearchResult) -> list[str]:
    return [hit.chunk.document_id for hit in found.hits]


@pytest.mark.parametrize(
    ("previous", "meant"), [(KETTLE, "kettle-price"), (LADDER, "ladder-price")]
)
async def test_of_equals_the_one_near_what_was_found_before_comes_first(
    searcher: Searcher, previous: str, meant: str
) -> None:
    plain = await searcher.search("shop", CHARGES, 4)
    found = await searcher.search("shop", CHARGES, 4, previous=previous)

    assert plain.hits[0].score == pytest.approx(plain.hits[1].score, abs=1e-3)
    assert ids(found)[0] == meant
    assert found.hits[0].score > found.hits[1].score


async def test_scores_stay_absolute_and_similarities_stay_those_of_the_question(
    searcher: Searcher,
) -> None:
    plain = await searcher.search("shop", CHARGES, 4)
    found = await searcher.search("shop", CHARGES, 4, previous=KETTLE)

    assert {(hit.chunk.id, hit.similarity) for hit in found.hits} == {
        (hit.chunk.id, hit.similarity) for hit in plain.hits
    }
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in scores)


async def test_a_question_about_something_else_is_not_dragged_back(searcher: Searcher) -> None:
    found = await searcher.search("shop", LADDER, 4, previous=KETTLE)

    assert ids(found)[0] == "ladder"


async def test_a_question_that_found_nothing_good_is_no_context(searcher: Searcher) -> None:
    plain = await searcher.search("shop", CHARGES, 4)
    found = await searcher.search("shop", CHARGES, 4, previous="Who painted the ceiling?")

    assert [hit.score for hit in found.hits] == [hit.score for hit in plain.hits]


async def test_what_the_filter_hides_is_no_context(searcher: Searcher) -> None:
    # Of the ladder, only its price is for this reader, and that alone is compared with.
    found = await searcher.search("shop", CHARGES, 4, OneOf("tier", (1,)), previous=LADDER)

    assert "ladder" not in ids(found)
    by_id = {hit.chunk.document_id: hit for hit in found.hits}
    terms = by_id["ladder-price"].terms
    assert terms is not None
    assert terms.context == pytest.approx(1.0)


async def test_searches_by_similarity_or_keywords_alone_embed_no_earlier_question(
    searcher: Searcher, embedder: FakeEmbedder
) -> None:
    await searcher.search("shop", CHARGES, 4, mode="dense", previous=KETTLE)
    await searcher.search("shop", CHARGES, 4, mode="keyword", previous=KETTLE)

    assert KETTLE not in embedder.queries


async def test_a_store_without_terms_is_searched_as_if_nothing_was_asked_before(
    searcher: Searcher, ledger: Ledger, store: MemoryStore, models: EmbeddingModels
) -> None:
    plain = Searcher(ledger, store, models)

    alone = await plain.search("shop", CHARGES, 4)
    found = await plain.search("shop", CHARGES, 4, previous=KETTLE)

    assert found.hits == alone.hits
