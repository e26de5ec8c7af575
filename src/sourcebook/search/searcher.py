"""Searches a collection: the chunks nearest to a question, from one snapshot of the ledger."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from sourcebook.core.collections import Collection
from sourcebook.core.documents import Hit
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import NotFound
from sourcebook.core.filters import EVERYTHING, Filter
from sourcebook.core.meters import Meter, NoMeter
from sourcebook.core.ports import AdoptedCollection, Embedder, Ledger
from sourcebook.core.vectors import Vector
from sourcebook.search.adopted import NO_COLLECTIONS, AdoptedIndex, describe, query_model
from sourcebook.search.live_index import LiveIndex, PointSearch
from sourcebook.search.query_embedding_cache import QueryEmbeddingCache
from sourcebook.search.reranking import HitReranker
from sourcebook.search.timings import SearchTimings, ms_since


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits of a search, best first, and the collection they come from.

    `least_distance` is that of the nearest candidate, which a reranker may have left out. `note`
    says why the hits were not reranked, if they should have been.
    """

    collection: Collection
    hits: tuple[Hit, ...]
    times: SearchTimings = field(default_factory=SearchTimings)
    least_distance: float | None = None
    note: str | None = None


class _Index(Protocol):
    """Somewhere to look for the nearest chunks."""

    async def nearest(
        self, vector: Vector, limit: int, filter_: Filter
    ) -> tuple[list[Hit], SearchTimings]: ...


@dataclass(frozen=True, slots=True)
class _Opened:
    """A collection, what embeds questions for it, and where its chunks are; None if it is empty."""

    collection: Collection
    embedder: Embedder
    index: _Index | None


class Searcher:
    """Embeds a question and searches a collection, also an adopted one.

    With a reranker, it says which of the nearest chunks are the best, and in which order.
    """

    def __init__(
        self,
        ledger: Ledger,
        store: PointSearch,
        models: EmbeddingModels,
        *,
        reranking: HitReranker | None = None,
        adopted: Mapping[str, AdoptedCollection] = NO_COLLECTIONS,
        meter: Meter | None = None,
    ) -> None:
        self._ledger = ledger
        self._store = store
        self._models = models
        self._reranking = reranking
        self._adopted = adopted
        self._meter = meter or NoMeter()

    async def search(
        self,
        collection_name: str,
        question: str,
        limit: int,
        filter_: Filter = EVERYTHING,
        *,
        least_score: float = 0.0,
        embedded: QueryEmbeddingCache | None = None,
    ) -> SearchResult:
        """The `limit` best chunks that pass the filter and reach the least score.

        `embedded` is shared by the searches of one request, so that each model embeds once.
        """
        opened = await self._open(collection_name)
        if opened.index is None:
            return SearchResult(opened.collection, ())
        started_s = time.perf_counter()
        if embedded is None:
            vector = await opened.embedder.embed_query(question)
        else:
            vector = await embedded.vector(opened.embedder, question)
        embedding_ms = ms_since(started_s)
        depth = limit if self._reranking is None else self._reranking.depth(limit)
        hits, times = await opened.index.nearest(vector, depth, filter_)
        # Before anything is cut: the best by the reranker's reading may be below the least score.
        near = tuple(hit for hit in hits if hit.score >= least_score)
        found = SearchResult(
            opened.collection,
            near,
            replace(times, embedding_ms=embedding_ms),
            min((hit.distance for hit in near), default=None),
        )
        found = await self._reranked(question, found)
        self._meter.search(found.times.seconds)
        return replace(found, hits=found.hits[:limit])

    async def names(self) -> list[str]:
        """The names of all collections that can be searched, in order."""
        ours = await self._ledger.collections.all()
        return sorted({*self._adopted, *(collection.name for collection in ours)})

    async def _open(self, name: str) -> _Opened:
        try:
            collection = await self._ledger.collections.get(name)
        except NotFound:
            adopted = self._adopted.get(name)
            if adopted is None:
                raise
            embedder = query_model(adopted, self._models)
            return _Opened(describe(adopted, self._models), embedder, AdoptedIndex(adopted))
        embedder = self._models.for_reading(collection)
        index = LiveIndex(self._ledger, self._store, collection) if collection.count else None
        return _Opened(collection, embedder, index)

    async def _reranked(self, question: str, found: SearchResult) -> SearchResult:
        if self._reranking is None:
            return found
        started_s = time.perf_counter()
        reranked = await self._reranking.order(question, found.hits)
        times = replace(found.times, reranking_ms=ms_since(started_s))
        return replace(found, hits=reranked.hits, times=times, note=reranked.note)
