"""A reranker orders every search, and a search never waits long for one."""

import asyncio
import logging
from collections.abc import Sequence

import pytest

from sourcebook.core.documents import Chunk, Document, Hit
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import Unavailable
from sourcebook.core.filters import OneOf
from sourcebook.core.ports import Ledger
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.search.catalog import Catalog
from sourcebook.search.reranking import MAX_QUESTION_LENGTH, MAX_TEXT_LENGTH, HitReranker
from sourcebook.search.searcher import Searcher, SearchResult
from tests.fakes import FakeClock, FakeReranker
from tests.memory_store import MemoryStore

QUESTION = "robot arm"
# The nearer a text is, the fewer signs it has.
TEXTS = {f"d{n:03}": " ".join(["robot arm", *(f"w{n}x{k}" for k in range(n))]) for n in range(120)}


class Judge(FakeReranker):
    """Prefers long texts. Remembers what it read, and does what a test tells it to."""

    def __init__(self) -> None:
        self.read: list[tuple[str, list[str]]] = []
        self.failure: Exception | None = None
        self.silent = False
        self.answer: list[float] | None = None
        self.asked = asyncio.Event()

    async def score(self, query: str, texts: Sequence[str]) -> list[float]:
        self.read.append((query, list(texts)))
        self.asked.set()
        if self.failure is not None:
            raise self.failure
        if self.silent:
            await asyncio.Event().wait()
        return [float(len(text)) for text in texts] if self.answer is None else self.answer


@pytest.fixture
def judge() -> Judge:
    return Judge()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def reranking(judge: Judge, clock: FakeClock) -> HitReranker:
    return HitReranker(judge, timeout_s=0.05, cooldown_s=10, now_s=clock)


@pytest.fixture
async def filled(ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> None:
    await Catalog(ledger, store, models).create("robots", {}, "minilm")
    documents = [
        Document(id_, text, {"even": int(id_[1:]) % 2 == 0}) for id_, text in TEXTS.items()
    ]
    await Ingestor(ledger, store, models).add("robots", documents)


@pytest.fixture
def searcher(
    filled: None,
    ledger: Ledger,
    store: MemoryStore,
    models: EmbeddingModels,
    reranking: HitReranker,
) -> Searcher:
    return Searcher(ledger, store, models, reranking=reranking)


@pytest.fixture
def plain(filled: None, ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> Searcher:
    return Searcher(ledger, store, models)


def ids(found: SearchResult) -> list[str]:
    return [hit.chunk.document_id for hit in found.hits]


def hits(*texts: str) -> list[Hit]:
    return [
        Hit(Chunk(text[:8], text[:8], 0, text, {}), cosine=0.9 - place / 100)
        for place, text in enumerate(texts)
    ]


async def test_the_best_of_four_times_as_many_come_in_the_rerankers_order(
    searcher: Searcher, plain: Searcher, judge: Judge
) -> None:
    nearest = await plain.search("robots", QUESTION, 12)

    found = await searcher.search("robots", QUESTION, 3)

    ((query, read),) = judge.read
    assert query == QUESTION
    assert read == [hit.chunk.text for hit in nearest.hits]
    assert ids(found) == sorted(ids(nearest), key=lambda id_: -len(TEXTS[id_]))[:3]
    assert found.note is None
    assert found.times.reranking_ms is not None


async def test_score_and_distance_stay_those_of_the_vectors(
    searcher: Searcher, plain: Searcher
) -> None:
    raw = {hit.chunk.id: hit.cosine for hit in (await plain.search("robots", QUESTION, 12)).hits}

    found = await searcher.search("robots", QUESTION, 3)

    assert [hit.cosine for hit in found.hits] == [raw[hit.chunk.id] for hit in found.hits]
    assert [hit.rerank_score for hit in found.hits] == [len(hit.chunk.text) for hit in found.hits]
    assert found.least_distance == pytest.approx(1 - max(raw.values()))


async def test_without_a_reranker_nothing_is_reranked(plain: Searcher) -> None:
    found = await plain.search("robots", QUESTION, 5)

    cosines = [hit.cosine for hit in found.hits]
    assert cosines == sorted(cosines, reverse=True)
    assert {hit.rerank_score for hit in found.hits} == {None}
    assert (found.note, found.times.reranking_ms) == (None, None)


@pytest.mark.parametrize(("limit", "read"), [(1, 4), (25, 100), (40, 100), (110, 100)])
async def test_no_search_has_more_than_a_hundred_texts_read(
    searcher: Searcher, judge: Judge, limit: int, read: int
) -> None:
    found = await searcher.search("robots", QUESTION, limit)

    assert [len(texts) for _, texts in judge.read] == [read]
    assert len(found.hits) == limit


async def test_what_the_reranker_did_not_read_stays_behind_by_distance(
    searcher: Searcher, plain: Searcher
) -> None:
    nearest = ids(await plain.search("robots", QUESTION, 110))

    found = await searcher.search("robots", QUESTION, 110)

    assert ids(found)[100:] == nearest[100:]
    assert set(ids(found)[:100]) == set(nearest[:100])


async def test_the_reranker_sees_only_what_passes_the_filter(
    searcher: Searcher, judge: Judge
) -> None:
    found = await searcher.search("robots", QUESTION, 5, OneOf("even", (True,)))

    ((_, read),) = judge.read
    assert len(read) == 20
    allowed = {text for id_, text in TEXTS.items() if int(id_[1:]) % 2 == 0}
    assert set(read) <= allowed
    assert all(int(id_[1:]) % 2 == 0 for id_ in ids(found))


async def test_a_least_score_counts_before_the_reranker_chooses(
    searcher: Searcher, plain: Searcher
) -> None:
    nearest = (await plain.search("robots", QUESTION, 8)).hits
    least = nearest[4].score

    found = await searcher.search("robots", QUESTION, 2, least_score=least)

    reaching = [hit.chunk.document_id for hit in nearest if hit.score >= least]
    assert ids(found) == sorted(reaching, key=lambda id_: -len(TEXTS[id_]))[:2]


@pytest.mark.parametrize(
    "failure", [Unavailable("The reranker is away"), ValueError("a bug in somebody's reranker")]
)
async def test_a_reranker_that_fails_is_skipped_with_a_note(
    searcher: Searcher,
    plain: Searcher,
    judge: Judge,
    failure: Exception,
    caplog: pytest.LogCaptureFixture,
) -> None:
    judge.failure = failure

    found = await searcher.search("robots", QUESTION, 5)

    assert ids(found) == ids(await plain.search("robots", QUESTION, 5))
    assert found.note == "not reranked: the reranker failed"
    (skipped,) = [one for one in caplog.records if one.message == "reranking_skipped"]
    # A stack is for bugs only.
    assert skipped.exc_info is None


async def test_a_reranker_that_is_slow_is_skipped_with_a_note(
    searcher: Searcher, plain: Searcher, judge: Judge
) -> None:
    judge.silent = True

    found = await searcher.search("robots", QUESTION, 5)

    assert ids(found) == ids(await plain.search("robots", QUESTION, 5))
    assert found.note == "not reranked: the reranker took longer than 0.05 s"


@pytest.mark.parametrize("answer", [[1.0], [1.0, 2.0, 3.0], [1.0, float("nan")], []])
async def test_scores_that_make_no_sense_are_a_failure(
    reranking: HitReranker, judge: Judge, answer: list[float]
) -> None:
    judge.answer = answer
    given = hits("one", "two")

    reranked = await reranking.order(QUESTION, given)

    assert reranked.hits == tuple(given)
    assert reranked.note == "not reranked: the reranker failed"


async def test_after_a_failure_the_reranker_is_left_alone_for_a_while(
    searcher: Searcher, judge: Judge, clock: FakeClock
) -> None:
    judge.failure = Unavailable("The reranker is away")
    await searcher.search("robots", QUESTION, 5)
    judge.failure = None

    clock.now_s += 9.9
    resting = await searcher.search("robots", QUESTION, 5)

    assert len(judge.read) == 1
    assert resting.note == "not reranked: the reranker failed a moment ago"

    clock.now_s += 0.2
    again = await searcher.search("robots", QUESTION, 5)

    assert len(judge.read) == 2
    assert again.note is None


async def test_texts_and_questions_are_read_up_to_a_length(
    reranking: HitReranker, judge: Judge
) -> None:
    await reranking.order("why " * MAX_QUESTION_LENGTH, hits("a" * (MAX_TEXT_LENGTH + 1), "b"))

    ((question, texts),) = judge.read
    assert len(question) == MAX_QUESTION_LENGTH
    assert [len(text) for text in texts] == [MAX_TEXT_LENGTH, 1]


async def test_ties_stay_in_the_order_of_the_vectors(reranking: HitReranker, judge: Judge) -> None:
    judge.answer = [1.0, 2.0, 1.0, 2.0]

    reranked = await reranking.order(QUESTION, hits("a", "b", "c", "d"))

    assert [hit.chunk.text for hit in reranked.hits] == ["b", "d", "a", "c"]


async def test_an_empty_collection_asks_nobody(
    ledger: Ledger,
    store: MemoryStore,
    models: EmbeddingModels,
    reranking: HitReranker,
    judge: Judge,
) -> None:
    await Catalog(ledger, store, models).create("empty", {}, "minilm")

    found = await Searcher(ledger, store, models, reranking=reranking).search("empty", "a", 3)

    assert (found.hits, found.note, judge.read) == ((), None, [])


async def test_giving_up_a_search_does_not_count_as_a_slow_reranker(
    filled: None,
    ledger: Ledger,
    store: MemoryStore,
    models: EmbeddingModels,
    judge: Judge,
    caplog: pytest.LogCaptureFixture,
) -> None:
    searcher = Searcher(ledger, store, models, reranking=HitReranker(judge, timeout_s=60))
    judge.silent = True
    searching = asyncio.create_task(searcher.search("robots", QUESTION, 5))
    await judge.asked.wait()
    searching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await searching
    judge.silent = False

    with caplog.at_level(logging.WARNING):
        found = await searcher.search("robots", QUESTION, 5)

    assert found.note is None
    assert caplog.messages == []


async def test_a_small_reranker_counts_beside_the_search_as_much_as_it_says() -> None:
    class Adviser(Judge):
        blend_weight = 0.1

    def hit(name: str, score: float) -> Hit:
        return Hit(Chunk(name, name, 0, name, {}), cosine=score)

    judge = Adviser()
    judge.answer = [-1.0, 1.0, 5.0]
    hits = [hit("a", 0.9), hit("b", 0.8), hit("c", 0.2)]

    ordered = (await HitReranker(judge).order(QUESTION, hits)).hits

    assert [one.chunk.id for one in ordered] == ["b", "a", "c"]
    assert [one.rerank_score for one in ordered] == pytest.approx([0.9, 0.8, 0.7])
