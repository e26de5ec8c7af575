"""The passages nearest to a question, of all shelves together."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from sourcebook.answering.retrieval import Retriever
from sourcebook.answering.shelves import BookShelf, PostedShelf
from sourcebook.core.answers import Question
from sourcebook.core.documents import Document
from sourcebook.core.errors import EmbeddingFailed, RetrievalUnavailable
from sourcebook.core.models import EmbeddingModels
from sourcebook.core.ports import Ledger
from sourcebook.core.vectors import IndexQuery, ScoredPoint
from sourcebook.ingestion.ingestor import Ingestor
from sourcebook.providers.vector_stores.memory import MemoryStore
from sourcebook.search.catalog import Catalog
from sourcebook.search.searcher import Searcher
from tests.fakes import FakeEmbedder

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
    within_s: float = 5.0
    indexes: dict[str, str] = field(default_factory=dict)

    async def put(self, collection: str, texts: Mapping[str, str], **about: str | int) -> None:
        catalog = Catalog(self.ledger, self.store, self.models)
        made = await catalog.create(collection, {}, "minilm")
        self.indexes[collection] = made.generation.index_id
        documents = [
            Document(id_, text, {"book_id": "robots", **about}) for id_, text in texts.items()
        ]
        await Ingestor(self.ledger, self.store, self.models).add(collection, documents)

    async def find(
        self, text: str, question: Question | None = None
    ) -> Sequence[tuple[str, float]]:
        retriever = Retriever(
            Searcher(self.ledger, self.store, self.models),
            [BookShelf(BOOK, "robots"), PostedShelf(POSTED)],
            self.within_s,
        )
        found = await retriever.find(question or Question(text), text)
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
    assert await seen(Question("?", book_id="rovers")) == []
    assert sorted(await seen(Question("?", sources={"page_title": ("Arms",)}))) == ["b1", "p1"]
    assert await seen(Question("?", sources={"page_title": ("Legs",)})) == []


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
    library.within_s = 0.05

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
