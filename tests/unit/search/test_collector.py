"""Several collections, asked together."""

import asyncio
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from sourcebook.core.collections import Collection, Generation
from sourcebook.core.documents import Document
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import NotFound, RetrievalUnavailable
from sourcebook.core.metadata import JsonValue, Metadata
from sourcebook.core.ports import Ledger
from sourcebook.core.vectors import IndexQuery, ScoredPoint
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.search.catalog import Catalog
from sourcebook.search.collector import CollectedHits, Collector, match_level
from sourcebook.search.reranking import HitReranker
from sourcebook.search.searcher import Searcher, SearchResult
from tests.adopted import FakeAdopted
from tests.fakes import FakeEmbedder, FakeReranker
from tests.memory_store import MemoryStore

# The same words are at distance 0; two of three at about 0.18, one of three at about 0.42.
SAME, NEAR, FAR, AWAY = "robot arm joint", "robot arm", "robot", "cheese wine"


class HeldStore(MemoryStore):
    """Some indexes fail, some crash, some never answer; it notes how many are asked at once."""

    def __init__(self) -> None:
        super().__init__()
        self.failing: set[str] = set()
        self.crashing: set[str] = set()
        self.silent: set[str] = set()
        self.asked_at_once = 0
        self.most_at_once = 0
        self.held_until = 1  # so many are asked at once
        self._enough = asyncio.Event()

    async def search(self, index_id: str, query: IndexQuery) -> list[ScoredPoint]:
        self.asked_at_once += 1
        self.most_at_once = max(self.most_at_once, self.asked_at_once)
        if self.asked_at_once >= self.held_until:
            self._enough.set()
        try:
            await self._enough.wait()
            if index_id in self.failing:
                raise RetrievalUnavailable("The fake store is away")
            if index_id in self.crashing:
                raise KeyError("a store that somebody wrote")
            if index_id in self.silent:
                await asyncio.Event().wait()
            for _ in range(3):
                await asyncio.sleep(0)
            return await super().search(index_id, query)
        finally:
            self.asked_at_once -= 1


class Shelf:
    """Collections that a test fills."""

    def __init__(self, ledger: Ledger, models: EmbeddingModels) -> None:
        self.ledger = ledger
        self.store = HeldStore()
        self.models = models

    async def put(
        self,
        name: str,
        texts: Mapping[str, str] | Sequence[str],
        model: str = "minilm",
        about: Metadata | None = None,
    ) -> str:
        made = await Catalog(self.ledger, self.store, self.models).create(name, about or {}, model)
        named = texts if isinstance(texts, Mapping) else {f"{name}-{t}": t for t in texts}
        documents = [Document(id_, text, {}) for id_, text in named.items()]
        await Ingestor(self.ledger, self.store, self.models).add(name, documents)
        return made.generation.index_id

    def collector(self, timeout_s: float = 10.0, **searching: object) -> Collector:
        searcher = Searcher(self.ledger, self.store, self.models, **searching)  # type: ignore[arg-type]
        return Collector(searcher, timeout_s=timeout_s)

    async def collect(self, *names: str, top_k: int = 3) -> CollectedHits:
        return await self.collector().collect(SAME, names, top_k)


@pytest.fixture
def shelf(ledger: Ledger, models: EmbeddingModels) -> Shelf:
    return Shelf(ledger, models)


def texts(harvest: CollectedHits) -> list[tuple[str, str]]:
    return [(item.found.collection.name, item.hit.chunk.text) for item in harvest.documents]


async def test_the_first_match_wins_and_only_its_documents_return(shelf: Shelf) -> None:
    await shelf.put("partial", [FAR])
    await shelf.put("near", [NEAR, AWAY])
    await shelf.put("same", [SAME])

    harvest = await shelf.collect("partial", "near", "same")

    assert harvest.verdict == "match"
    assert texts(harvest) == [("near", NEAR), ("near", AWAY)]
    assert (await shelf.collect("same", "near")).documents[0].hit.chunk.text == SAME


async def test_without_a_match_all_that_comes_near_is_collected(shelf: Shelf) -> None:
    await shelf.put("one", {"o1": FAR, "o2": AWAY})
    await shelf.put("two", {"t1": FAR + " x y", "t2": FAR + " z"}, about={"partial_threshold": 0.6})
    await shelf.put("nothing", [AWAY])

    harvest = await shelf.collect("nothing", "two", "one")

    assert harvest.verdict == "partial"
    distances = [item.hit.distance for item in harvest.documents]
    assert distances == sorted(distances)
    assert {name for name, _ in texts(harvest)} == {"one", "two"}
    assert len(harvest.documents) == 4


async def test_what_is_far_away_is_none(shelf: Shelf) -> None:
    await shelf.put("nothing", [AWAY])
    await Catalog(shelf.ledger, shelf.store, shelf.models).create("empty", {}, "minilm")

    found = await shelf.collect("nothing", "empty")

    assert replace(found, searches=()) == CollectedHits("none", ())
    assert [one.collection.name for one in found.searches] == ["nothing", "empty"]


@pytest.mark.parametrize(
    ("about", "verdict"),
    [
        ({}, "match"),
        ({"match_threshold": 0.1}, "partial"),
        ({"match_threshold": "0.1"}, "partial"),
        ({"match_threshold": 0, "partial_threshold": 0.1}, "none"),
        ({"match_threshold": "0", "partial_threshold": " 0.1 "}, "none"),
        ({"match_threshold": "tight"}, "match"),
        ({"match_threshold": "nan"}, "match"),
        ({"match_threshold": True}, "match"),
        ({"match_threshold": None}, "match"),
        ({"match_threshold": [0]}, "match"),
    ],
)
async def test_each_collection_has_thresholds_of_its_own(
    shelf: Shelf, about: Metadata, verdict: str
) -> None:
    await shelf.put("near", [NEAR], about=about)

    assert (await shelf.collect("near")).verdict == verdict


async def test_one_failing_collection_does_not_fail_the_others(shelf: Shelf) -> None:
    await shelf.put("good", [SAME])
    broken = await shelf.put("broken", [SAME])
    silent = await shelf.put("silent", [SAME])
    await shelf.put("unloaded", [SAME])
    await Catalog(shelf.ledger, shelf.store, shelf.models).set_metadata(
        "unloaded", {"embedding_model": "gone"}, merge=True
    )
    shelf.store.failing, shelf.store.silent = {broken}, {silent}
    names = ["broken", "silent", "nowhere", "unloaded", "good"]

    harvest = await shelf.collector(timeout_s=0.2).collect(SAME, names, 3)

    assert harvest.verdict == "match"
    assert texts(harvest) == [("good", SAME)]
    details = {failure.collection: failure.error.message for failure in harvest.failures}
    assert list(details) == ["broken", "silent", "nowhere", "unloaded"]
    assert details["broken"] == "The fake store is away"
    assert details["silent"] == "The search took longer than 0.2 s"
    assert details["nowhere"] == "Collection 'nowhere' not found"
    assert "'gone' not loaded" in details["unloaded"]
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_collection_that_crashes_does_not_fail_the_others(
    shelf: Shelf, caplog: pytest.LogCaptureFixture
) -> None:
    shelf.store.crashing = {await shelf.put("broken", [SAME])}
    await shelf.put("whole", [SAME])

    harvest = await shelf.collect("broken", "whole")

    assert [item.hit.chunk.document_id for item in harvest.documents] == [f"whole-{SAME}"]
    [failure] = harvest.failures
    assert (failure.collection, failure.error.message) == ("broken", "The search failed")
    assert "collection_crashed" in caplog.messages


async def test_when_all_fail_the_collector_fails(
    shelf: Shelf, caplog: pytest.LogCaptureFixture
) -> None:
    broken = await shelf.put("broken", [SAME])
    shelf.store.failing = {broken}

    told = f"broken: {RetrievalUnavailable.reader_message}; nowhere: "
    with pytest.raises(RetrievalUnavailable, match=re.escape(told)):
        await shelf.collect("broken", "nowhere")
    assert "The fake store is away" in [vars(one).get("reason") for one in caplog.records]
    with pytest.raises(NotFound, match="'nowhere' not found"):
        await shelf.collect("nowhere", "nor here")


async def test_a_question_that_cannot_be_embedded_fails_once(
    shelf: Shelf, embedder: FakeEmbedder
) -> None:
    await shelf.put("one", [SAME])
    await shelf.put("two", [SAME])
    embedder.failing = True

    with pytest.raises(RetrievalUnavailable, match="The embedding model is not available"):
        await shelf.collect("one", "two")

    assert embedder.queries == [SAME]


@pytest.mark.spec("000 Embedding Cache Efficiency")
async def test_the_question_is_embedded_once_for_each_model(
    shelf: Shelf, embedder: FakeEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("one", "two", "three"):
        await shelf.put(name, [FAR])
    await shelf.put("large", [FAR], model="mxbai-large")
    large = shelf.models.find("mxbai-large")
    assert isinstance(large, FakeEmbedder)

    with caplog.at_level(logging.INFO):
        await shelf.collect("one", "large", "two", "three")

    assert (embedder.queries, large.queries) == ([SAME], [SAME])
    assert caplog.messages == ["Reusing cached embedding for minilm:fakes/minilm"] * 2


async def test_different_models_are_put_together_by_rank(shelf: Shelf) -> None:
    small = {"s1": FAR, "s2": FAR + " x", "s3": FAR + " x y"}
    large = {"l1": NEAR, "l2": NEAR + " x"}
    await shelf.put("small", small)
    await shelf.put("more", {"m1": FAR + " u v w"})
    await shelf.put("large", large, model="mxbai-large", about={"match_threshold": 0})

    harvest = await shelf.collect("small", "more", "large")

    assert harvest.verdict == "partial"
    order = [item.hit.chunk.document_id for item in harvest.documents]
    assert order == ["s1", "l1", "s2", "l2", "s3"]
    # By distance alone, all of the large model would have come first.
    distances = {item.hit.chunk.document_id: item.hit.distance for item in harvest.documents}
    assert distances["l2"] < distances["s1"]


async def test_what_a_reranker_has_read_is_in_its_order(shelf: Shelf) -> None:
    await shelf.put("small", {"s1": FAR, "s2": FAR + " joint x y z"}, about={"match_threshold": 0})
    await shelf.put("large", {"l1": FAR}, model="mxbai-large")
    collector = shelf.collector(reranking=HitReranker(FakeReranker()))

    harvest = await collector.collect(SAME, ["large", "small"], 3)

    assert harvest.documents[0].hit.chunk.document_id == "s2"
    assert harvest.documents[0].hit.rerank_score == -0.5


async def test_the_nearest_candidate_decides_even_if_the_reranker_leaves_it_out(
    shelf: Shelf,
) -> None:
    class Contrary(FakeReranker):
        async def score(self, query: str, texts: Sequence[str]) -> list[float]:
            return [-score for score in await super().score(query, texts)]

    await shelf.put("one", {"same": SAME, "away": AWAY})
    collector = shelf.collector(reranking=HitReranker(Contrary()))

    harvest = await collector.collect(SAME, ["one"], 1)

    assert harvest.verdict == "match"
    assert [item.hit.chunk.document_id for item in harvest.documents] == ["away"]


async def test_an_adopted_collection_is_asked_like_ours(
    shelf: Shelf, embedder: FakeEmbedder
) -> None:
    adopted = FakeAdopted(embedder)
    await adopted.put({"p1": (SAME, {})})
    collector = shelf.collector(adopted={adopted.name: adopted})

    harvest = await collector.collect(SAME, ["rag_embedding"], 3)

    assert (harvest.verdict, texts(harvest)) == ("match", [("rag_embedding", SAME)])


async def test_collections_are_searched_at_the_same_time_but_not_all(shelf: Shelf) -> None:
    names = [f"c{number:02}" for number in range(20)]
    for name in names:
        await shelf.put(name, [AWAY])
    shelf.store.held_until = 8

    async with asyncio.timeout(30):
        await shelf.collector().collect(SAME, names, 3)

    assert shelf.store.most_at_once == 8


async def test_a_collection_that_is_named_twice_is_asked_once(shelf: Shelf) -> None:
    await shelf.put("one", [FAR])

    assert len((await shelf.collect("one", "one")).documents) == 1


def found(least_distance: float | None, match_threshold: JsonValue) -> SearchResult:
    generation = Generation("index", "minilm", "rev-1", 64)
    about = {"match_threshold": match_threshold}
    return SearchResult(Collection("c", "c", about, generation), (), least_distance=least_distance)


@pytest.mark.parametrize(
    ("least_distance", "verdict"),
    [(0.0, "match"), (0.29, "match"), (0.3, "partial"), (0.5, "none"), (None, "none")],
)
def test_a_threshold_itself_is_not_near_enough(least_distance: float | None, verdict: str) -> None:
    assert match_level(found(least_distance, 0.3)) == verdict


@pytest.mark.parametrize(
    "threshold", [None, True, "", "tight", "nan", "inf", [0.9], {}, 10**400, float("nan"), 10**30]
)
def test_a_threshold_that_is_no_number_is_the_default(threshold: JsonValue) -> None:
    expected = "match" if threshold == 10**30 else "partial"

    assert match_level(found(0.35, threshold)) == expected
