"""Searches a collection: the chunks nearest to a question, from one snapshot of the ledger."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from sourcebook.core.collections import Collection
from sourcebook.core.documents import Chunk, Hit
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import EmbeddingFailed, InvalidInput, NotFound, RetrievalUnavailable
from sourcebook.core.filters import EVERYTHING, Filter
from sourcebook.core.meters import Meter, NoMeter
from sourcebook.core.ports import AdoptedCollection, Embedder, Ledger, TermEncoder
from sourcebook.core.search_modes import SearchMode
from sourcebook.core.vectors import IndexQuery, Vector
from sourcebook.search.adopted import NO_COLLECTIONS, AdoptedIndex, describe, query_model
from sourcebook.search.corrector import Corrector
from sourcebook.search.live_index import LiveIndex, PointSearch
from sourcebook.search.query_embedding_cache import QueryEmbeddingCache
from sourcebook.search.reranking import HitReranker
from sourcebook.search.timings import SearchTimings, ms_since

# A question with several typos takes several searches.
SPELLING_TIMEOUT_S = 2.0


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits of a search, best first, and the collection they come from.

    `least_distance` is that of the nearest candidate, which a reranker may have left out. `note`
    says why the hits were not reranked, if they should have been. `mode` is what the search went
    by: `dense` where terms are not indexed. `candidates` are the hits as they were ranked before a
    reranker saw them. `corrected` is the question that was searched for instead of one with words
    that nothing knows.
    """

    collection: Collection
    hits: tuple[Hit, ...]
    times: SearchTimings = field(default_factory=SearchTimings)
    least_distance: float | None = None
    note: str | None = None
    mode: SearchMode = "dense"
    candidates: tuple[Hit, ...] = ()
    corrected: str | None = None


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


@dataclass(frozen=True, slots=True)
class _Asked:
    """A search, but for its question."""

    opened: _Opened
    index: _Index
    limit: int
    filter: Filter
    least_score: float
    embedded: QueryEmbeddingCache | None
    mode: SearchMode
    may_see: Callable[[Chunk], bool] | None
    embed_by_s: float | None


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
        terms: TermEncoder | None = None,
        default_mode: SearchMode = "hybrid",
    ) -> None:
        self._ledger = ledger
        self._store = store
        self._models = models
        self._reranking = reranking
        self._adopted = adopted
        self._meter = meter or NoMeter()
        self._terms = terms
        self._default_mode = default_mode

    async def search(
        self,
        collection_name: str,
        question: str,
        limit: int,
        filter_: Filter = EVERYTHING,
        *,
        least_score: float = 0.0,
        embedded: QueryEmbeddingCache | None = None,
        mode: SearchMode | None = None,
        previous: str = "",
        correct_spelling: bool = False,
        may_see: Callable[[Chunk], bool] | None = None,
        embed_by_s: float | None = None,
    ) -> SearchResult:
        """The `limit` best chunks that pass the filter and reach the least score.

        `embedded` is shared by the searches of one request, so that each model embeds once. Chunks
        near what `previous`, the question before this one, finds count more, in hybrid searches.
        InvalidInput if `mode` asks for terms, and the collection has none. With `correct_spelling`,
        a word that no chunk knows is replaced by the nearest one that some do, of those that the
        caller `may_see`, if it does not show every hit that passes the filter. EmbeddingFailed if
        the question is not embedded by `embed_by_s`, by the event loop's clock.
        """
        opened = await self._open(collection_name)
        effective = self._effective_mode(opened, mode)
        if opened.index is None:
            return SearchResult(opened.collection, (), mode=effective)
        asked = _Asked(
            opened,
            opened.index,
            limit,
            filter_,
            least_score,
            embedded,
            effective,
            may_see,
            embed_by_s,
        )
        found = await self._search(asked, question, previous)
        if correct_spelling and effective != "dense":
            better = await self._respelled(asked, question, found)
            if better is not None:
                again = await self._search(asked, better, previous)
                found = replace(again, corrected=better)
        return found

    async def _search(self, asked: "_Asked", question: str, previous: str) -> SearchResult:
        opened, limit, effective = asked.opened, asked.limit, asked.mode
        embed = partial(_embed, opened.embedder, asked)
        started_s = time.perf_counter()
        vector = await embed(question)
        embedding_ms = ms_since(started_s)
        depth = limit if self._reranking is None else self._reranking.depth(limit)
        query = IndexQuery(vector, depth, asked.filter)
        context_ms = None
        if previous and effective == "hybrid":
            started_s = time.perf_counter()
            earlier = replace(query, dense=await embed(previous))
            query = replace(query, context=await self._context(asked.index, previous, earlier))
            context_ms = ms_since(started_s)
        hits, times = await self._candidates(asked.index, question, query, effective)
        # Before anything is cut: the best by the reranker's reading may be below the least score.
        near = tuple(hit for hit in hits if hit.score >= asked.least_score)
        found = SearchResult(
            opened.collection,
            near,
            replace(times, embedding_ms=embedding_ms, context_ms=context_ms),
            min((hit.distance for hit in near), default=None),
            mode=effective,
            candidates=near,
        )
        found = await self._reranked(question, found)
        self._meter.search(found.times.seconds)
        return replace(found, hits=found.hits[:limit])

    async def _respelled(self, asked: "_Asked", question: str, found: SearchResult) -> str | None:
        """The question with known words for unknown ones; None if there is nothing to correct.

        What was found without is better than nothing, so that it may not take long.
        """
        index = asked.index
        if self._terms is None or not isinstance(index, LiveIndex) or not index.store.counts_terms:
            return None
        corrector = Corrector(
            index, self._terms, asked.opened.embedder, asked.filter, asked.may_see
        )
        try:
            async with asyncio.timeout(SPELLING_TIMEOUT_S):
                return await corrector.corrected(question, found.hits)
        except TimeoutError:
            return None

    async def check_store(self) -> None:
        """Raise RetrievalUnavailable if the store is away. For whoever found nothing."""
        found = await self._store.check()
        if found.status == "down":
            raise RetrievalUnavailable(found.message or "The vector store is away")

    async def statements(self, chunk_ids: Sequence[str]) -> Mapping[str, bytes]:
        """What chunks of ours say, packed, by chunk id, as far as it was kept."""
        return await self._ledger.documents.statements(chunk_ids)

    async def names(self) -> list[str]:
        """The names of all collections that can be searched, in order."""
        ours = await self._ledger.collections.all()
        return sorted({*self._adopted, *(collection.name for collection in ours)})

    async def _candidates(
        self, index: _Index, question: str, query: IndexQuery, mode: SearchMode
    ) -> tuple[list[Hit], SearchTimings]:
        if mode == "dense" or self._terms is None or not isinstance(index, LiveIndex):
            return await index.nearest(query.dense, query.limit, query.filter)
        started_s = time.perf_counter()
        terms = self._terms.query(question)
        terms_ms = ms_since(started_s)
        query = replace(query, sparse=terms.vector)
        hits, times = await index.best(query, terms.words, mode)
        return hits, replace(times, terms_ms=terms_ms)

    async def _context(self, index: _Index, previous: str, query: IndexQuery) -> tuple[str, ...]:
        """What to compare hits with: points that the previous question finds."""
        if self._terms is None or not isinstance(index, LiveIndex):
            return ()
        terms = self._terms.query(previous)
        return await index.context(replace(query, sparse=terms.vector), terms.words)

    def _effective_mode(self, opened: _Opened, wanted: SearchMode | None) -> SearchMode:
        mode = wanted or self._default_mode
        has_terms = (
            self._terms is not None
            and self._store.finds_terms
            and not isinstance(opened.index, AdoptedIndex)
        )
        if mode == "dense" or has_terms:
            return mode
        if wanted == "keyword":
            raise InvalidInput(
                f"Collection {opened.collection.name!r} cannot be searched by keywords: its vector"
                " store keeps no terms. Use mode 'dense', or leave the mode out"
            )
        return "dense"

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


async def _embed(embedder: Embedder, asked: _Asked, text: str) -> Vector:
    try:
        async with asyncio.timeout_at(asked.embed_by_s):
            if asked.embedded is None:
                return await embedder.embed_query(text)
            return await asked.embedded.vector(embedder, text)
    except TimeoutError:
        raise EmbeddingFailed(
            f"The model {embedder.id!r} did not embed the question in time"
        ) from None
