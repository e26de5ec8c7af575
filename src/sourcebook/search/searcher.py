"""Searches a collection: the chunks nearest to a question, from one snapshot of the ledger."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol, TypeAlias

from sourcebook.core.collections import Collection
from sourcebook.core.documents import Chunk, Hit
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import EmbeddingFailed, InvalidInput, NotFound, RetrievalUnavailable
from sourcebook.core.filters import EVERYTHING, Filter
from sourcebook.core.meters import Meter, NoMeter
from sourcebook.core.ports import AdoptedCollection, Embedder, Ledger, TermEncoder
from sourcebook.core.search_modes import SearchMode
from sourcebook.core.vectors import IndexQuery, SparseVector, Vector
from sourcebook.search import identifiers, spelling
from sourcebook.search.adopted import NO_COLLECTIONS, AdoptedIndex, describe, query_model
from sourcebook.search.live_index import LiveIndex, PointSearch, TermSearch
from sourcebook.search.query_embedding_cache import QueryEmbeddingCache
from sourcebook.search.reranking import HitReranker
from sourcebook.search.timings import SearchTimings, ms_since
from sourcebook.search.words import language_of

# As many chunks say how a word is spelled.
CHUNKS_TO_SPELL_BY = 5
# How many hits are looked at in search of those that a question may see.
MAX_LOOKED_AT = 100
POINTS_TO_COUNT = 100
MAX_NEAR_WORDS = 4
# A store that is far away takes long for each of several searches.
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


# Counts the words of texts.
_Counting: TypeAlias = Callable[[Sequence[str]], Mapping[str, int]]


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

    def visible_texts(self, hits: Sequence[Hit]) -> list[str]:
        """The texts of those that may be seen."""
        see = self.may_see
        return [spelling.composed(hit.chunk.text) for hit in hits if not see or see(hit.chunk)]


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
            better = await self._respelled(asked, spelling.composed(question), found)
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
        try:
            async with asyncio.timeout(SPELLING_TIMEOUT_S):
                texts = asked.visible_texts(found.hits)
                corrections = await self._corrections(asked, question, texts)
        except TimeoutError:
            return None
        better = spelling.corrected(question, corrections)
        return better if better != question else None

    async def _corrections(
        self, asked: "_Asked", question: str, texts: Sequence[str]
    ) -> dict[str, str]:
        """The words to correct, with those that were meant."""
        small = spelling.small_words(question, texts)
        found = {word: meant for word, meant in small.items() if not await self._knows(asked, word)}
        doubtful = spelling.doubtful_words(question, texts)
        plain = await _plain_words(doubtful, asked.opened.embedder)
        unknown = [
            word
            for word in doubtful
            if word not in plain and word not in found and not await self._knows(asked, word)
        ]
        # A name that nobody knows is not meant for a word that looks like it.
        names = {word: spelling.is_name(word, question) for word in unknown}
        language = language_of(question)
        counting = {name: partial(spelling.count_words, only_names=name) for name in names.values()}
        said = {name: await asyncio.to_thread(count, texts) for name, count in counting.items()}
        for word, is_name in names.items():
            near = spelling.variants(word)
            # What the rest of the question finds is likely to have the word that was meant.
            known = spelling.likeliest(near, said[is_name])
            known = known or await self._nearest_word(asked, near, counting[is_name])
            if known is not None and not spelling.is_form_of(word, known, language):
                found[word] = known
        return found | await self._meant_identifiers(asked, question, texts)

    async def _meant_identifiers(
        self, asked: "_Asked", question: str, texts: Sequence[str]
    ) -> dict[str, str]:
        """Identifiers that no chunk has, with those that were meant."""
        found = {}
        for typed in identifiers.doubtful_identifiers(question, texts):
            near = [*texts, *await self._texts_with(asked, [typed])]
            slip = await asyncio.to_thread(identifiers.find_slip, typed, near, question)
            if slip and not await self._is_word(asked, slip.part):
                found[typed.lower()] = slip.meant
        return found

    async def _is_word(self, asked: "_Asked", part: str) -> bool:
        """Whether a part of an identifier is meant as it is typed."""
        # Models have many short tokens whole that are no words.
        long = [part] if len(part) >= spelling.MIN_LENGTH else []
        return bool(await _plain_words(long, asked.opened.embedder)) or await self._knows(
            asked, part
        )

    async def _nearest_word(
        self, asked: "_Asked", near: Sequence[str], counting: _Counting
    ) -> str | None:
        """The one of these words that most points have; None if no chunk has any, in any form."""
        found: list[str] = []
        # Rare words are found first, and what is meant is mostly a frequent one.
        for _ in range(MAX_NEAR_WORDS):
            texts = await self._texts_with(asked, near)
            said = await asyncio.to_thread(counting, texts)
            known = spelling.likeliest(near, said)
            if known is None and said:
                plain = await _plain_words(near, asked.opened.embedder)
                known = await asyncio.to_thread(spelling.likeliest_form, plain, said)
            if known is None:
                break
            found.append(known)
            near = await asyncio.to_thread(spelling.without_forms_of, known, near)
        if len(found) < 2:
            return next(iter(found), None)
        counted = [self._points_with(asked, word, POINTS_TO_COUNT) for word in found]
        counts = await asyncio.gather(*counted)
        # Of equals the last: where both have too many to count, it is more frequent.
        return max(zip(counts, range(len(found)), found, strict=True))[2]

    async def _knows(self, asked: "_Asked", word: str) -> bool:
        """Whether a chunk that may be seen has a word; yes where nobody can tell."""
        if self._terms is None or not isinstance(asked.index, LiveIndex):
            return True
        return await self._points_with(asked, word, 1) > 0

    async def _points_with(self, asked: "_Asked", word: str, at_most: int) -> int:
        """How many points that may be seen have a word, up to so many.

        The ledger is asked only if it has to be, which takes longer: otherwise a chunk that was
        just deleted may count.
        """
        if self._terms is None or not isinstance(asked.index, LiveIndex):
            return 0
        if asked.may_see:
            return len(await self._texts_with(asked, [word], at_most))
        sparse = self._terms.any_of([word])
        return await asked.index.count_with_terms(_by_terms_alone(asked, sparse, at_most))

    async def _texts_with(
        self, asked: "_Asked", words: Sequence[str], at_most: int = CHUNKS_TO_SPELL_BY
    ) -> list[str]:
        """The texts of the chunks that fit some words best, of those that may be seen."""
        if self._terms is None or not isinstance(asked.index, LiveIndex):
            return []
        # In a thread: hundreds of words are stemmed.
        sparse = await asyncio.to_thread(self._terms.any_of, words)
        query = _by_terms_alone(asked, sparse, MAX_LOOKED_AT if asked.may_see else at_most)
        hits, _ = await asked.index.best(query, len(words), "keyword")
        found = [hit for hit in hits if hit.terms and hit.terms.bm25 > 0]
        return asked.visible_texts(found)[:at_most]

    async def check_store(self) -> None:
        """Raise RetrievalUnavailable if the store is away. For whoever found nothing."""
        found = await self._store.check()
        if found.status == "down":
            raise RetrievalUnavailable(found.message or "The vector store is away")

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
            and isinstance(self._store, TermSearch)
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


async def _plain_words(words: Sequence[str], embedder: Embedder) -> list[str]:
    """The words that are one token: a model has frequent words whole, and no typos."""
    if not words:
        return []
    tokens = await embedder.tokenize(words)
    return [word for word, spans in zip(words, tokens, strict=True) if len(spans) == 1]


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


def _by_terms_alone(asked: _Asked, sparse: SparseVector, limit: int) -> IndexQuery:
    # Only the words count: any vector will do.
    nowhere = (1.0, *(0.0,) * (asked.opened.embedder.dimensions - 1))
    return IndexQuery(nowhere, limit, asked.filter, sparse=sparse, by_terms_alone=True)
