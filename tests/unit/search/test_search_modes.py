"""Searches by meaning, by words, and by both, on a store that knows terms."""

import pytest

from sourcebook.core.collections import Collection
from sourcebook.core.documents import Document
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import InvalidInput
from sourcebook.core.filters import OneOf
from sourcebook.core.health import BuiltIn
from sourcebook.core.ports import Ledger, VectorStore
from sourcebook.core.vectors import IndexQuery, ScoredPoint, TermMatches
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.ingestion.upkeep.rebuilder import Rebuilder
from sourcebook.ingestion.upkeep.verifier import Verifier
from sourcebook.providers.lexical.bm25 import Bm25Encoder
from sourcebook.providers.lexical.term_indexing import TermIndexingStore
from sourcebook.search.catalog import Catalog
from sourcebook.search.searcher import Searcher, SearchResult
from tests.fakes import CountsNoTerms
from tests.memory_store import MemoryStore

ENCODER = Bm25Encoder()
# Alike but for one word, so that similarity alone cannot tell them apart.
WORDS = ("amber", "basalt", "cobalt", "dolomite", "emerald", "feldspar", "garnet", "halite")
LESSONS = [
    Document(
        word,
        f"The robot stands in bay {n} and waits for the signal. The code word of the day is {word}."
        " Then it walks.",
        {"bay": n, "title": "Signals" if n else "The first amber bay"},
    )
    for n, word in enumerate(WORDS)
]


@pytest.fixture
def indexing(store: MemoryStore) -> VectorStore:
    return TermIndexingStore(store, ENCODER)


@pytest.fixture
async def searcher(ledger: Ledger, indexing: VectorStore, models: EmbeddingModels) -> Searcher:
    await Catalog(ledger, indexing, models).create("bays", {}, "minilm")
    await Ingestor(ledger, indexing, models).add("bays", LESSONS)
    return Searcher(ledger, indexing, models, terms=ENCODER)


def ids(found: SearchResult) -> list[str]:
    return [hit.chunk.document_id for hit in found.hits]


@pytest.mark.parametrize("word", WORDS)
async def test_of_lessons_that_differ_in_one_word_the_asked_one_is_first(
    searcher: Searcher, word: str
) -> None:
    found = await searcher.search("bays", f"Where is the code word {word}?", 3)
    assert ids(found)[0] == word
    assert found.mode == "hybrid"


async def test_scores_fall_and_distances_stay_those_of_the_vectors(searcher: Searcher) -> None:
    found = await searcher.search("bays", "code word garnet", 8)
    by_meaning = await searcher.search("bays", "code word garnet", 8, mode="dense")
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert {(hit.chunk.id, hit.distance) for hit in found.hits} == {
        (hit.chunk.id, hit.distance) for hit in by_meaning.hits
    }
    assert all(hit.score >= hit.similarity for hit in found.hits)


async def test_dense_searches_go_by_similarity_alone(searcher: Searcher) -> None:
    found = await searcher.search("bays", "code word garnet", 8, mode="dense")
    assert found.mode == "dense"
    assert all(hit.terms is None and hit.score == hit.similarity for hit in found.hits)


async def test_keyword_searches_find_only_what_has_a_word(searcher: Searcher) -> None:
    found = await searcher.search("bays", "garnet halite unheard", 8, mode="keyword")
    assert {*ids(found)} == {"garnet", "halite"}
    assert (await searcher.search("bays", "unheard", 8, mode="keyword")).hits == ()


async def test_a_keyword_search_with_few_matches_asks_the_index_once(
    ledger: Ledger, indexing: VectorStore, models: EmbeddingModels
) -> None:
    await Catalog(ledger, indexing, models).create("many", {}, "minilm")
    crowd = [Document(f"d{n}", f"robot number{n}", {}) for n in range(120)]
    await Ingestor(ledger, indexing, models).add("many", crowd)
    searcher = Searcher(ledger, indexing, models, terms=ENCODER)
    found = await searcher.search("many", "number7", 8, mode="keyword")
    assert ids(found) == ["d7"]
    assert found.times.rounds == 1


async def test_words_of_the_title_are_found_weakly(searcher: Searcher) -> None:
    found = await searcher.search("bays", "amber first", 8, mode="keyword")
    assert ids(found) == ["amber"]


async def test_filters_hold_for_what_is_found_by_words(searcher: Searcher) -> None:
    found = await searcher.search("bays", "code word garnet", 8, OneOf("bay", (1, 2)))
    assert {*ids(found)} == {"basalt", "cobalt"}


async def test_the_least_score_applies_to_the_joined_score(searcher: Searcher) -> None:
    question = "code word garnet"
    everything = await searcher.search("bays", question, 8)
    least = everything.hits[0].score
    assert ids(await searcher.search("bays", question, 8, least_score=least)) == ["garnet"]


async def test_a_replaced_document_is_not_found_by_its_old_words(
    searcher: Searcher, ledger: Ledger, indexing: VectorStore, models: EmbeddingModels
) -> None:
    await Ingestor(ledger, indexing, models).add("bays", [Document("garnet", "nothing here", {})])
    assert (await searcher.search("bays", "garnet", 8, mode="keyword")).hits == ()


async def test_the_default_mode_is_the_operators(
    searcher: Searcher, ledger: Ledger, indexing: VectorStore, models: EmbeddingModels
) -> None:
    dense = Searcher(ledger, indexing, models, terms=ENCODER, default_mode="dense")
    assert (await dense.search("bays", "garnet", 3)).mode == "dense"
    assert (await dense.search("bays", "garnet", 3, mode="hybrid")).mode == "hybrid"


class WordyStore(CountsNoTerms, BuiltIn):
    """A store that finds every word in all points but the nearest."""

    finds_terms = True

    def __init__(self, store: VectorStore) -> None:
        self._store = store

    async def search(self, index_id: str, query: IndexQuery) -> list[ScoredPoint]:
        return await self._store.search(index_id, query)

    async def match(self, index_id: str, query: IndexQuery) -> TermMatches:
        points = await self._store.search(index_id, query)
        scores = {point.ref.id: 50.0 for point in points[1:]}
        return TermMatches(tuple(points), scores, is_everything=len(points) < query.limit)


async def test_the_nearest_decides_on_a_match_even_if_words_put_others_before_it(
    searcher: Searcher, ledger: Ledger, store: MemoryStore, models: EmbeddingModels
) -> None:
    wordy = Searcher(ledger, WordyStore(store), models, terms=ENCODER)
    (nearest, *_) = (await searcher.search("bays", "code word garnet", 8, mode="dense")).hits

    found = await wordy.search("bays", "code word garnet", 2)

    assert len(found.hits) == 2
    assert nearest.chunk.id not in {hit.chunk.id for hit in found.hits}
    assert found.least_distance == nearest.distance
    everything = await wordy.search("bays", "code word garnet", 8)
    assert len(everything.hits) == 8
    assert everything.hits[-1].chunk.id == nearest.chunk.id


class StoreWithoutTerms(CountsNoTerms, BuiltIn):
    """A store that only knows vectors."""

    finds_terms = False

    def __init__(self, store: VectorStore) -> None:
        self._store = store

    async def search(self, index_id: str, query: IndexQuery) -> list[ScoredPoint]:
        return await self._store.search(index_id, query)

    async def match(self, index_id: str, query: IndexQuery) -> TermMatches:
        raise AssertionError("nobody asks for words here")


async def test_a_store_without_terms_is_searched_by_similarity_and_says_so(
    searcher: Searcher, ledger: Ledger, store: MemoryStore, models: EmbeddingModels
) -> None:
    plain = Searcher(ledger, StoreWithoutTerms(store), models, terms=ENCODER)
    assert (await plain.search("bays", "garnet", 3)).mode == "dense"
    assert (await plain.search("bays", "garnet", 3, mode="hybrid")).mode == "dense"
    with pytest.raises(InvalidInput, match=r"'bays' cannot be searched by keywords"):
        await plain.search("bays", "garnet", 3, mode="keyword")


async def _collection(ledger: Ledger) -> Collection:
    return await ledger.collections.get("bays")


async def test_an_index_without_terms_is_searched_by_similarity_until_it_is_rebuilt(
    ledger: Ledger, store: MemoryStore, indexing: VectorStore, models: EmbeddingModels
) -> None:
    await Catalog(ledger, store, models).create("bays", {}, "minilm")
    await Ingestor(ledger, store, models).add("bays", LESSONS)
    searcher = Searcher(ledger, indexing, models, terms=ENCODER)
    assert len((await searcher.search("bays", "garnet", 8)).hits) == 8
    assert (await searcher.search("bays", "garnet", 8, mode="keyword")).hits == ()
    (before,) = await Verifier(ledger, indexing, ENCODER).verify()
    assert len(before.outdated) == 8
    await Rebuilder(ledger, indexing).rebuild(await _collection(ledger))
    assert ids(await searcher.search("bays", "garnet", 8, mode="keyword")) == ["garnet"]
    (after,) = await Verifier(ledger, indexing, ENCODER).verify()
    assert (after.clean, after.outdated) == (True, ())
