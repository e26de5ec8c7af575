"""Finds the passages that an answer may cite, in all corpora together."""

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from sourcebook.answering.corpora import (
    NOTHING,
    AdoptedCorpus,
    BookCorpus,
    Corpus,
    PostedCorpus,
    choose_corpora,
    is_visible,
)
from sourcebook.answering.evidence import Passage, renumbered, whole_extent
from sourcebook.core.answers import Question
from sourcebook.core.chunk_sections import each_section
from sourcebook.core.documents import Hit
from sourcebook.core.errors import (
    EmbeddingFailed,
    EmbeddingRefused,
    InvalidInput,
    ModelNotLoaded,
    NotFound,
    RateLimited,
    RetrievalDelayed,
    RetrievalUnavailable,
    SourcebookError,
    Unavailable,
)
from sourcebook.core.filters import Filter
from sourcebook.core.retry import RATE_LIMIT_BACKOFF, Backoff, Sleep, retry
from sourcebook.core.search_modes import SearchMode
from sourcebook.core.text import shorten
from sourcebook.search.corrector import MAX_LOOKED_AT
from sourcebook.search.default_books import DefaultBooks
from sourcebook.search.fusion import best_first
from sourcebook.search.searcher import Searcher, SearchResult

log = logging.getLogger(__name__)
T = TypeVar("T")
# The corpora whose collections are created with their first document.
_CREATED_LATER = (BookCorpus, PostedCorpus)
# How often a search is retried after each kind of failure, as specification 004 has it.
# The first that fits counts.
MAX_RETRIES: Mapping[type[SourcebookError], int] = {
    RetrievalUnavailable: 3,
    EmbeddingRefused: 0,
    EmbeddingFailed: 2,
}
FIRST_BACKOFF_S = 0.2
RETRIEVAL_TIMEOUT_S = 5.0
# Of that time. An embedder that does not answer is told from a store that does not.
EMBEDDING_SHARE = 0.8
# Ours are searched meanwhile, and are not to be given up for somebody else's store.
ADOPTED_TIMEOUT_S = 4.0
MAX_LISTED_NAMES = 20


class SearchRetry:
    """Retries a search as often as its kind of failure deserves."""

    def __init__(
        self,
        sleep: Sleep = asyncio.sleep,
        jitter: Callable[[float, float], float] = random.uniform,
    ) -> None:
        self._sleep = sleep
        self._backoff = Backoff(FIRST_BACKOFF_S, jitter=jitter)
        self._rate_limit_backoff = replace(RATE_LIMIT_BACKOFF, jitter=jitter)

    async def call(self, work: Callable[[], Awaitable[T]], timeout_s: float) -> T:
        """Return what `work` gives; raise its last failure if it goes on failing.

        No retry begins that would come after the timeout.
        """
        deadline_s = time.monotonic() + timeout_s
        return await retry(work, self._wait_s, deadline_s=deadline_s, sleep=self._sleep)

    def _wait_s(self, error: Exception, failures: int) -> float | None:
        allowed = next((most for kind, most in MAX_RETRIES.items() if isinstance(error, kind)), 0)
        if failures > allowed:
            return None
        if isinstance(error, RateLimited):
            return self._rate_limit_backoff.wait_s(failures, error.retry_after_s or 0.0)
        return self._backoff.wait_s(failures)


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What was found: passages numbered from 1, and the collections that were searched.

    `mode` is what the searches went by: `dense` if none of the collections indexes words.
    `corrected` is the question that was searched for instead of one with unknown words, where the
    best passage was found that way.
    """

    passages: tuple[Passage, ...]
    collections: tuple[str, ...]
    mode: SearchMode | None = None
    corrected: str | None = None


@dataclass(frozen=True, slots=True)
class _Searched:
    """What a corpus has, and what of it the question may see and asks for."""

    result: SearchResult
    corpus: Corpus
    scope: Filter


class Retriever:
    """Searches several corpora at once and takes the best hits.

    Those are the corpora that the question names; without names, the ones given here.
    """

    def __init__(
        self,
        searcher: Searcher,
        corpora: Sequence[Corpus],
        timeout_s: float = RETRIEVAL_TIMEOUT_S,
        retrying: SearchRetry | None = None,
        default_books: DefaultBooks | None = None,
    ) -> None:
        self._searcher = searcher
        self._corpora = corpora
        self._default_books = default_books
        self._timeout_s = timeout_s
        self._retry = retrying or SearchRetry()

    async def find(self, question: Question, text: str) -> tuple[Passage, ...]:
        """The passages that fit the text best, numbered from 1, that the question may see."""
        return (await self.retrieve(question, text)).passages

    async def retrieve(self, question: Question, text: str) -> Retrieved:
        """What `find` finds, and where. NotFound if the question names an unknown collection."""
        embed_by_s = asyncio.get_running_loop().time() + EMBEDDING_SHARE * self._timeout_s
        try:
            async with asyncio.timeout(self._timeout_s):
                found = await self._search_all(question, text, embed_by_s)
                if not any(one.result.hits for one in found):
                    await self._searcher.check_store()
                searched = {one.result.collection.id: one for one in found}
                nearest = best_first([one.result for one in found])[: question.top_k]
                ours = (
                    item.hit.chunk.id
                    for item in nearest
                    if not isinstance(searched[item.found.collection.id].corpus, AdoptedCorpus)
                )
                kept = await self._searcher.statements([*ours])
        except TimeoutError:
            raise RetrievalDelayed(
                f"The search took longer than {self._timeout_s:g} s; try again in a moment"
            ) from None
        passages = [
            _passage(item.hit, searched[item.found.collection.id], kept.get(item.hit.chunk.id))
            for item in nearest
        ]
        collections = tuple(one.corpus.collection for one in found)
        corrected = nearest[0].found.corrected if nearest else None
        wanted = renumbered(one for one in passages if one is not None)
        mode = _mode([one.result for one in found])
        return Retrieved(wanted, collections, mode, corrected)

    async def _search_all(
        self, question: Question, text: str, embed_by_s: float
    ) -> list[_Searched]:
        """What all corpora have. If one of ours fails, the others are given up."""
        corpora = choose_corpora(self._corpora, question.collections)
        ours = [corpus for corpus in corpora if not isinstance(corpus, AdoptedCorpus)]
        theirs = [corpus for corpus in corpora if isinstance(corpus, AdoptedCorpus)]
        try:
            async with asyncio.TaskGroup() as group:
                # Ours together: they share the embedding of the text, also when it is tried again.
                searching = group.create_task(
                    self._retry.call(
                        lambda: self._search_ours(ours, question, text, embed_by_s),
                        self._timeout_s,
                    )
                )
                adopted = [
                    group.create_task(self._search_adopted(corpus, question, text))
                    for corpus in theirs
                ]
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        outcomes = [task.result() for task in adopted]
        found = searching.result() + [one for one in outcomes if isinstance(one, _Searched)]
        away = [one for one in outcomes if isinstance(one, Unavailable)]
        # Nothing else has an answer, and one that is away might: that is not nothing.
        if away and not any(one.result.hits for one in found):
            raise away[0]
        return found

    async def _search_ours(
        self, corpora: Sequence[Corpus], question: Question, text: str, embed_by_s: float
    ) -> list[_Searched]:
        is_open = question.book_ids is None and question.default_book_ids is None
        if is_open and self._default_books is not None:
            question = replace(question, default_book_ids=await self._default_books.ids())
        try:
            async with asyncio.TaskGroup() as group:
                searches = [
                    group.create_task(self._search(corpus, question, text, embed_by_s))
                    for corpus in corpora
                ]
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return [found for search in searches if (found := search.result()) is not None]

    async def _search_adopted(
        self, corpus: Corpus, question: Question, text: str
    ) -> _Searched | Unavailable | None:
        """What it has, or why it cannot say: that must not keep our own from answering."""
        try:
            async with asyncio.timeout(ADOPTED_TIMEOUT_S):
                return await self._retry.call(
                    lambda: self._search(corpus, question, text), ADOPTED_TIMEOUT_S
                )
        except TimeoutError:
            away: Unavailable = RetrievalUnavailable(
                f"The adopted collection {corpus.collection!r} took longer than"
                f" {ADOPTED_TIMEOUT_S:g} s"
            )
        except (ModelNotLoaded, InvalidInput) as error:
            # Nobody asked for this one: it cannot embed the text, or cannot be searched by words.
            if question.collections is not None:
                raise
            log.warning("adopted_not_searched", extra={"reason": error.message})
            return None
        except Unavailable as error:
            away = error
        log.warning("adopted_not_searched", extra={"reason": away.message})
        return away

    async def _search(
        self, corpus: Corpus, question: Question, text: str, embed_by_s: float | None = None
    ) -> _Searched | None:
        scope = corpus.scope(question)
        if scope == NOTHING:
            return None
        try:
            found = await self._visible(corpus.collection, question, text, scope, embed_by_s)
            return _Searched(found, corpus, scope)
        except NotFound:
            if question.collections is None or isinstance(corpus, _CREATED_LATER):
                # Nothing was put there yet.
                return None
            raise await self._unknown(corpus.collection) from None

    async def _visible(
        self,
        collection: str,
        question: Question,
        text: str,
        scope: Filter,
        embed_by_s: float | None,
    ) -> SearchResult:
        """The best hits that the question may see.

        Filters cannot read every way of writing a tier, so some hits may have to go; those that
        come after them are searched for, up to a limit.
        """
        limit, least = question.top_k, question.least_score or 0.0
        may_see = None if question.hardware_tier is None else partial(is_visible, question)
        while True:
            found = await self._searcher.search(
                collection,
                text,
                limit,
                scope,
                least_score=least,
                previous=question.previous,
                mode=question.search_mode,
                correct_spelling=True,
                may_see=may_see,
                embed_by_s=embed_by_s,
            )
            hits = tuple(hit for hit in found.hits if is_visible(question, hit.chunk))
            is_all = len(found.hits) < limit or limit >= MAX_LOOKED_AT
            if is_all or len(hits) >= question.top_k:
                return replace(found, hits=hits)
            limit = MAX_LOOKED_AT

    async def _unknown(self, name: str) -> NotFound:
        created_later = [one for one in self._corpora if isinstance(one, _CREATED_LATER)]
        found = {one.collection for one in created_later} | set(await self._searcher.names())
        names = sorted(found)
        more = len(names) - MAX_LISTED_NAMES
        listed = f"{names[:MAX_LISTED_NAMES]}" + (f" and {more} more" if more > 0 else "")
        return NotFound(f"Collection {shorten(name, 60)!r} not found. Available: {listed}")


def _mode(found: Sequence[SearchResult]) -> SearchMode | None:
    """What the searches went by: the same everywhere, but for collections that index no words."""
    modes = {one.mode for one in found}
    return next(iter(modes - {"dense"} or modes), None)


def _passage(hit: Hit, searched: _Searched, kept: bytes | None) -> Passage | None:
    """Those sections of a hit that the question asks for; its chunk may have others."""
    chunk, extent, corpus = hit.chunk, hit.chunk.extent, searched.corpus
    if extent is None and not isinstance(corpus, AdoptedCorpus):
        # A document of the collections contract is one chunk, in whichever collection it is.
        extent = whole_extent(chunk.text)
    passage = Passage(1, chunk.text, corpus.source(chunk), hit.score, extent, hit.similarity, kept)
    return passage.only([searched.scope.matches(one) for one in each_section(chunk.metadata)])
