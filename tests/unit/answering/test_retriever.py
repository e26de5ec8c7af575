"""The passages nearest to a question, of all shelves together."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import pytest

from sourcebook.answering import retriever as module
from sourcebook.answering.corpora import AdoptedCorpus, BookCorpus, PostedCorpus
from sourcebook.answering.retriever import Retriever, SearchRetry
from sourcebook.core.answers import Question
from sourcebook.core.documents import Document, Hit
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import (
    EmbeddingFailed,
    InvalidInput,
    Overloaded,
    RateLimited,
    RetrievalUnavailable,
    SourcebookError,
)
from sourcebook.core.filters import Filter
from sourcebook.core.ports import Ledger
from sourcebook.core.vectors import IndexQuery, ScoredPoint, Vector
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.providers.lexical.bm25 import Bm25Encoder
from sourcebook.providers.lexical.term_indexing import TermIndexingStore
from sourcebook.providers.vector_stores.mirror.store import MirrorStore
from sourcebook.search.catalog import Catalog
from sourcebook.search.reranking import HitReranker
from sourcebook.search.searcher import Searcher
from sourcebook.text.kept_segments import unpack_segments
from tests.adopted import FakeAdopted
from tests.fakes import FakeEmbedder, FakeReranker
from tests.memory_store import MemoryStore
from tests.unit.search.test_spelling import WordPieceEmbedder

BOOK, POSTED = "book", "posted"


class BrokenStore(MemoryStore):
    """Fails, or never answers, when some index is searched."""

    def __init__(self) -> None:
        super().__init__()
        self.failing: set[str] = set()
        self.silent = False

    async def search(self, index_id: str, query: IndexQuery) -> list[ScoredPoint]:
        if index_id in self.failing:
            raise RetrievalUnavailable("The fake store is away")
        if self.silent:
            await asyncio.Event().wait()
        return await super().search(index_id, query)


@dataclass
class Library:
    """Two collections that a test fills."""

    ledger: Ledger
    store: BrokenStore
    models: EmbeddingModels
    timeout_s: float = 5.0
    indexes: dict[str, str] = field(default_factory=dict)
    reranking: HitReranker | None = None
    adopted: FakeAdopted | None = None
    terms: Bm25Encoder | None = None

    async def put(self, collection: str, texts: Mapping[str, str], **about: str | int) -> None:
        catalog = Catalog(self.ledger, self.store, self.models)
        made = await catalog.create(collection, {}, "minilm")
        self.indexes[collection] = made.generation.index_id
        await self.add(collection, texts, **about)

    async def add(self, collection: str, texts: Mapping[str, str], **about: str | int) -> None:
        documents = [
            Document(id_, text, {"book_id": "robots", **about}) for id_, text in texts.items()
        ]
        store = self.store if self.terms is None else TermIndexingStore(self.store, self.terms)
        await Ingestor(self.ledger, store, self.models).add(collection, documents)

    def retriever(self) -> Retriever:
        adopted = {} if self.adopted is None else {self.adopted.name: self.adopted}
        return Retriever(
            Searcher(
                self.ledger,
                self.store,
                self.models,
                reranking=self.reranking,
                adopted=adopted,
                terms=self.terms,
            ),
            [
                BookCorpus(BOOK, "robots"),
                PostedCorpus(POSTED),
                *(AdoptedCorpus(name) for name in adopted),
            ],
            self.timeout_s,
        )

    async def find(
        self, text: str, question: Question | None = None
    ) -> Sequence[tuple[str, float]]:
        found = await self.retriever().find(question or Question(text), text)
        assert [passage.number for passage in found] == list(range(1, len(found) + 1))
        return [(passage.source.document_id or "", passage.score) for passage in found]


@pytest.fixture
def library(ledger: Ledger, models: EmbeddingModels) -> Library:
    return Library(ledger, BrokenStore(), models)


async def test_the_nearest_of_both_collections_come_first(library: Library) -> None:
    await library.put(BOOK, {"b1": "robot arm joint", "b2": "robot moon cheese"})
    await library.put(POSTED, {"p1": "robot arm moon", "p2": "cake cheese wine"})

    found = await library.find("robot arm joint")

    assert [name for name, _ in found] == ["b1", "p1", "b2", "p2"]
    scores = [score for _, score in found]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.spec("004 US4.1")
@pytest.mark.spec("004 FR-008")
@pytest.mark.parametrize("top_k", [1, 3, 10, 20])
async def test_top_k_counts_over_both_collections(library: Library, top_k: int) -> None:
    await library.put(BOOK, {f"b{n:02}": f"robot arm {n}" for n in range(12)})
    await library.put(POSTED, {f"p{n:02}": f"robot arm {n}" for n in range(12)})

    assert len(await library.find("robot arm", Question("?", top_k=top_k))) == top_k


@pytest.mark.spec("004 US4.2")
async def test_a_threshold_lets_by_what_reaches_it(library: Library) -> None:
    await library.put(BOOK, {"b1": "robot arm", "b2": "robot moon", "b3": "cheese wine"})
    scores = dict(await library.find("robot arm"))

    exactly = Question("?", least_score=scores["b2"])
    above = Question("?", least_score=scores["b2"] + 1e-9)

    assert [name for name, _ in await library.find("robot arm", exactly)] == ["b1", "b2"]
    assert [name for name, _ in await library.find("robot arm", above)] == ["b1"]


async def test_what_is_not_there_yet_holds_nothing(library: Library) -> None:
    assert await library.find("robot arm") == []

    await library.put(POSTED, {"p1": "robot arm"})

    assert [name for name, _ in await library.find("robot arm")] == ["p1"]


async def test_equals_stand_in_the_order_of_their_ids(library: Library) -> None:
    await library.put(BOOK, dict.fromkeys(("c", "a"), "robot arm"))
    await library.put(POSTED, dict.fromkeys(("d", "b"), "robot arm"))
    ids = {}
    for name, collection in (("a", BOOK), ("b", POSTED), ("c", BOOK), ("d", POSTED)):
        made = await library.ledger.collections.get(collection)
        whole = await library.ledger.documents.whole(made.id, name)
        assert whole is not None
        ids[name] = whole.chunks[0].id

    found = [name for name, _ in await library.find("robot arm")]

    assert found == sorted(ids, key=lambda name: ids[name])


@pytest.mark.spec("004 US4.3")
async def test_only_what_the_question_may_see_is_found(library: Library) -> None:
    await library.put(BOOK, {"b1": "robot arm"}, hardware_tier=3, lesson_title="Arms")
    await library.put(POSTED, {"p1": "robot arm"}, hardware_tier=1, title="Arms")

    async def seen(question: Question) -> list[str]:
        return [name for name, _ in await library.find("robot arm", question)]

    assert await seen(Question("?", hardware_tier=2)) == []
    assert await seen(Question("?", hardware_tier=3)) == ["b1"]
    assert await seen(Question("?", book_ids=("rovers",))) == []
    assert sorted(await seen(Question("?", sources={"page_title": ("Arms",)}))) == ["b1", "p1"]
    assert await seen(Question("?", sources={"page_title": ("Legs",)})) == []


async def test_what_is_hidden_does_not_crowd_out_what_is_not(library: Library) -> None:
    await library.put("notes", {"low": "robot arm moon"}, hardware_tier="tier-1")
    hidden = {f"h{n}": "robot arm joint" for n in range(8)}
    await library.add("notes", hidden, hardware_tier="tier-3")

    question = Question("robot arm joint", hardware_tier=1, collections=("notes",), top_k=2)

    found = await library.find("robot arm joint", question)
    assert [id_ for id_, _ in found] == ["low"]


@pytest.mark.parametrize(("tier", "corrected"), [(1, None), (4, "Is the actuator calibrated?")])
async def test_a_correction_never_tells_a_word_above_the_tier_however_that_is_written(
    ledger: Ledger, tier: int, corrected: str | None
) -> None:
    models, encoder = EmbeddingModels([WordPieceEmbedder("minilm")]), Bm25Encoder()
    counting = cast("BrokenStore", MirrorStore(ledger.mirrors, encoder))
    library = Library(ledger, counting, models, terms=encoder)
    await library.put("notes", {"low": "The pump is calibrated."}, hardware_tier=1)
    await library.add("notes", {"high": "The actuator is calibrated."}, hardware_tier="TIER 4")
    question = Question("Is the actuatir calibrated?", hardware_tier=tier, collections=("notes",))

    found = await library.retriever().retrieve(question, question.text)

    assert found.corrected == corrected


@pytest.mark.parametrize("broken", [BOOK, POSTED])
async def test_half_of_the_evidence_is_none(library: Library, broken: str) -> None:
    await library.put(BOOK, {"b1": "robot arm"})
    await library.put(POSTED, {"p1": "robot arm"})
    library.store.failing = {library.indexes[broken]}

    with pytest.raises(RetrievalUnavailable):
        await library.find("robot arm")


async def test_a_failing_store_leaves_no_search_behind(library: Library) -> None:
    await library.put(BOOK, {"b1": "robot arm"})
    await library.put(POSTED, {"p1": "robot arm"})
    library.store.silent = True
    library.store.failing = {library.indexes[POSTED]}

    with pytest.raises(RetrievalUnavailable):
        await library.find("robot arm")

    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_store_that_never_answers_is_given_up(library: Library) -> None:
    await library.put(BOOK, {"b1": "robot arm"})
    await library.put(POSTED, {"p1": "robot arm"})
    library.store.silent = True
    library.timeout_s = 0.05

    with pytest.raises(RetrievalUnavailable, match=r"longer than 0\.05 s"):
        await library.find("robot arm")

    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_question_that_cannot_be_embedded_says_so(
    library: Library, embedder: FakeEmbedder
) -> None:
    await library.put(BOOK, {"b1": "robot arm"})
    embedder.failing = True

    with pytest.raises(EmbeddingFailed):
        await library.find("robot arm")


@pytest.mark.spec("004 Edge: embedding failure")
async def test_a_model_that_never_embeds_the_question_says_so(
    library: Library, models: EmbeddingModels
) -> None:
    class Hanging(FakeEmbedder):
        async def embed_query(self, text: str) -> Vector:
            await asyncio.Event().wait()
            return ()

    await library.put(BOOK, {"b1": "robot arm"})
    library.models = EmbeddingModels([Hanging("minilm")])
    library.timeout_s = 0.05

    with pytest.raises(EmbeddingFailed, match="'minilm' did not embed the question in time"):
        await library.find("robot arm")


async def test_what_a_reranker_has_read_is_in_its_order_over_all_collections(
    library: Library,
) -> None:
    await library.put(BOOK, {"b1": "robot arm", "b2": "robot arm joint and more words of no use"})
    await library.put(POSTED, {"p1": "robot arm arm", "p2": "robot joint with many other words"})
    nearest = await library.find("robot arm joint", Question("?", top_k=4))
    library.reranking = HitReranker(FakeReranker())

    found = await library.find("robot arm joint", Question("?", top_k=2))

    assert found[0][0] == "b2"
    assert nearest[0][0] != "b2"
    # The scores are still those of the vectors.
    assert dict(found).items() <= dict(nearest).items()


async def test_if_only_some_could_be_reranked_the_nearest_come_first(library: Library) -> None:
    class Choosy(FakeReranker):
        async def score(self, query: str, texts: Sequence[str]) -> list[float]:
            if any("posted" in text for text in texts):
                raise RetrievalUnavailable("The reranker does not like posted documents")
            return [0.0 for _ in texts]

    await library.put(BOOK, {"b1": "robot moon", "b2": "robot arm joint"})
    await library.put(POSTED, {"p1": "robot arm posted"})
    library.reranking = HitReranker(Choosy())

    found = await library.find("robot arm joint")

    assert [name for name, _ in found] == ["b2", "p1", "b1"]


async def test_a_search_by_words_leaves_out_an_adopted_collection_that_nobody_named(
    library: Library, embedder: FakeEmbedder
) -> None:
    library.adopted = FakeAdopted(embedder)
    library.terms = Bm25Encoder()
    await library.adopted.put({"a1": ("robot arm joint", {"page_title": "Arms"})})
    await library.put(BOOK, {"b1": "robot arm joint"})
    by_words = Question("robot arm", search_mode="keyword")

    assert [name for name, _ in await library.find("robot arm", by_words)] == ["b1"]
    with pytest.raises(InvalidInput, match="cannot be searched by keywords"):
        await library.find("robot arm", replace(by_words, collections=(library.adopted.name,)))


async def test_an_adopted_collection_is_one_more_shelf(
    library: Library, embedder: FakeEmbedder
) -> None:
    library.adopted = FakeAdopted(embedder)
    await library.adopted.put({"a1": ("robot arm joint", {"page_title": "Arms"})})
    await library.put(BOOK, {"b1": "robot arm"})

    assert [name for name, _ in await library.find("robot arm joint")] == ["a1", "b1"]
    arms = Question("?", sources={"page_title": ("Arms",)})
    assert [name for name, _ in await library.find("robot arm joint", arms)] == ["a1"]


async def test_a_question_bound_to_a_book_does_not_ask_other_tools(
    library: Library, embedder: FakeEmbedder
) -> None:
    library.adopted = FakeAdopted(embedder)
    library.adopted.away = True
    await library.put(BOOK, {"b1": "robot arm"}, hardware_tier=1)

    for question in (Question("?", book_ids=("robots",)), Question("?", hardware_tier=1)):
        assert [name for name, _ in await library.find("robot arm", question)] == ["b1"]


async def test_an_adopted_collection_that_is_away_does_not_keep_ours_from_answering(
    library: Library, embedder: FakeEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    library.adopted = FakeAdopted(embedder)
    library.adopted.away = True
    await library.put(BOOK, {"b1": "robot arm"})

    assert [name for name, _ in await library.find("robot arm")] == ["b1"]
    assert "adopted_not_searched" in [record.message for record in caplog.records]


async def test_if_nothing_else_is_found_one_that_is_away_is_not_passed_over(
    library: Library, embedder: FakeEmbedder
) -> None:
    library.adopted = FakeAdopted(embedder)
    library.adopted.away = True

    with pytest.raises(RetrievalUnavailable):
        await library.find("robot arm")


async def test_an_adopted_collection_that_never_answers_leaves_time_for_ours(
    library: Library, embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Silent(FakeAdopted):
        async def nearest(self, vector: Vector, limit: int, filter_: Filter) -> list[Hit]:
            return await asyncio.Future()

    monkeypatch.setattr(module, "ADOPTED_TIMEOUT_S", 0.05)
    library.adopted = Silent(embedder)
    await library.put(BOOK, {"b1": "robot arm"})

    assert [name for name, _ in await library.find("robot arm")] == ["b1"]


class Flaky:
    """Fails so many times, then gives its answer."""

    def __init__(self, error: SourcebookError, times: int) -> None:
        self._error = error
        self._left = times
        self.calls = 0

    async def __call__(self) -> str:
        self.calls += 1
        if self._left:
            self._left -= 1
            raise self._error
        return "found"


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def retrying(pauses: list[float]) -> SearchRetry:
    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    return SearchRetry(sleep, jitter=lambda low, high: (low + high) / 2)


@pytest.mark.parametrize(
    ("error", "retries"),
    [
        (RetrievalUnavailable("away"), 3),
        (EmbeddingFailed("away"), 2),
        (InvalidInput("wrong"), 0),
        (Overloaded("busy"), 0),
    ],
)
async def test_each_kind_of_failure_is_retried_as_often_as_the_taxonomy_says(
    error: SourcebookError, retries: int, retrying: SearchRetry, pauses: list[float]
) -> None:
    lasting = Flaky(error, times=100)
    passing = Flaky(error, times=retries)

    with pytest.raises(type(error)):
        await retrying.call(lasting, 5.0)
    assert lasting.calls == retries + 1
    pauses.clear()
    assert await retrying.call(passing, 5.0) == "found"
    assert pauses == pytest.approx([0.15, 0.3, 0.6][:retries])


async def test_a_service_that_asks_to_wait_is_not_asked_before(
    retrying: SearchRetry, pauses: list[float]
) -> None:
    assert await retrying.call(Flaky(RateLimited("full", 1.0), times=2), 5.0) == "found"
    assert pauses == [1.75, 2.5]


async def test_a_service_that_takes_no_more_and_asks_for_nothing_gets_a_real_wait(
    retrying: SearchRetry, pauses: list[float]
) -> None:
    assert await retrying.call(Flaky(RateLimited("full"), times=2), 5.0) == "found"
    assert pauses == [0.75, 1.5]


async def test_a_service_that_asks_to_wait_for_too_long_is_left_alone(
    retrying: SearchRetry, pauses: list[float]
) -> None:
    full = Flaky(RateLimited("full", 60.0), times=2)

    with pytest.raises(RateLimited):
        await retrying.call(full, 5.0)
    assert (full.calls, pauses) == (1, [])


async def test_a_passage_comes_with_what_was_kept_of_it(library: Library) -> None:
    await library.put(BOOK, {"b1": "robot arm joint"})

    (found,) = await library.retriever().find(Question("arm"), "robot arm joint")

    kept = unpack_segments(found.kept or b"", found.text) or ()
    assert [one.shown for one in kept] == ["robot arm joint"]
