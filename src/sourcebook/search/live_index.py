"""Searches the index of a collection, and keeps only chunks that were live when it began."""

import asyncio
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Protocol

from sourcebook.core.chunk_sections import part_count
from sourcebook.core.collections import Collection
from sourcebook.core.documents import Chunk, Hit
from sourcebook.core.filters import Filter
from sourcebook.core.health import ServiceHealth
from sourcebook.core.point_ids import point_ids
from sourcebook.core.ports import Ledger
from sourcebook.core.search_modes import SearchMode
from sourcebook.core.vectors import (
    IndexQuery,
    PointRef,
    ScoredPoint,
    TermMatches,
    Vector,
)
from sourcebook.search.hybrid import Candidate, rank, spread
from sourcebook.search.timings import SearchTimings, ms_since

# A chunk may have several points. In a book with sections of the usual length, as many for each hit
# are enough for 98 % of the questions; with one, half of them would need a second round.
POINTS_PER_CHUNK = 2
# Dead points stay in the index for a moment; each further round looks this many times deeper.
DEPTH_FACTOR = 8
# If that were deeper than this, most points near the question are dead, as after a mass deletion.
# Then the live ones alone are looked at, however many are dead.
MAX_DEPTH = 5_000
# The best by both counts may be far down by one: as many are looked at by each.
MIN_CANDIDATES = 50
# With a context, what it raises may be further down.
MIN_CANDIDATES_IN_CONTEXT = 100
# The context of a follow-up: so many of the best hits of the question before it, if they are good.
CONTEXT_SIZE = 3
MIN_CONTEXT_SCORE = 0.5


class PointSearch(Protocol):
    """What searches need of a vector store: `match` only if it `finds_terms`, and so on."""

    finds_terms: bool
    counts_terms: bool

    async def search(self, index_id: str, query: IndexQuery) -> list[ScoredPoint]:
        """The nearest points that pass the filter, best first; RetrievalUnavailable."""
        ...

    async def match(self, index_id: str, query: IndexQuery) -> TermMatches:
        """The nearest points and those with the terms of the query that pass the filter."""
        ...

    async def count_terms(
        self, index_id: str, wanted: Set[int], filter_: Filter, revision: int
    ) -> Mapping[int, int]:
        """In how many chunks that lived then and pass the filter each term stands."""
        ...

    async def check(self) -> ServiceHealth:
        """Probe once; never raise."""
        ...


@dataclass(frozen=True, slots=True)
class LiveIndex:
    """The index of a collection, and the ledger that says what of it counts."""

    ledger: Ledger
    store: PointSearch
    collection: Collection

    async def nearest(
        self, vector: Vector, limit: int, filter_: Filter
    ) -> tuple[list[Hit], SearchTimings]:
        """The `limit` nearest chunks that pass the filter, and what that took."""
        query = IndexQuery(
            vector,
            limit * POINTS_PER_CHUNK,
            filter_,
            revision=self.collection.revision,
        )
        times = SearchTimings()
        while True:
            started_s = time.perf_counter()
            points = await self.store.search(self.collection.generation.index_id, query)
            index_ms = ms_since(started_s)
            hits = await self._live(points, filter_)
            times = times.plus(index_ms, ms_since(started_s) - index_ms)
            done = len(hits) >= limit or len(points) < query.limit
            deeper = None if done else await self._deeper(query)
            if deeper is None:
                return hits[:limit], times
            query = deeper

    async def best(
        self, query: IndexQuery, words: int, mode: SearchMode
    ) -> tuple[list[Hit], SearchTimings]:
        """The best chunks by similarity and terms, and what that took.

        `words` counts the words that were asked for. If the nearest chunk is not among the best, it
        comes after them, beyond the limit: its distance says whether there is a match at all.
        Without a store that knows terms, the nearest chunks are the best.
        """
        limit = query.limit
        if not self.store.finds_terms:
            return await self.nearest(query.dense, limit, query.filter)
        least = MIN_CANDIDATES_IN_CONTEXT if query.context else MIN_CANDIDATES
        query = replace(
            query,
            limit=max(least, limit * POINTS_PER_CHUNK),
            by_terms_alone=mode == "keyword",
            revision=self.collection.revision,
        )
        times = SearchTimings()
        while True:
            started_s = time.perf_counter()
            index_id = self.collection.generation.index_id
            found = await self.store.match(index_id, query)
            index_ms = ms_since(started_s)
            candidates = spread(rank(found, words, mode), limit)
            hits = await self._live_candidates(candidates, limit, query.filter)
            times = times.plus(index_ms, ms_since(started_s) - index_ms)
            # Looking deeper for words cannot help once all chunks that have them were found.
            has_all_words = mode == "keyword" and len(found.scores) < query.limit
            done = len(hits) >= limit or has_all_words or found.is_everything
            deeper = None if done else await self._deeper(query)
            if deeper is None:
                best = sorted(hits[:limit], key=lambda hit: -hit.score)
                return best + hits[limit:], times
            query = deeper

    async def context(self, query: IndexQuery, words: int) -> tuple[str, ...]:
        """The ids of the best points for a question, to compare those of the next one with.

        The ledger is not asked: a point of an outdated version is as good for a comparison.
        """
        if not self.store.finds_terms:
            return ()
        index_id = self.collection.generation.index_id
        found = await self.store.match(
            index_id, replace(query, limit=MIN_CANDIDATES, revision=self.collection.revision)
        )
        best = rank(found, words, "hybrid")[:CONTEXT_SIZE]
        return tuple(one.ref.id for one in best if one.relevance >= MIN_CONTEXT_SCORE)

    async def count_terms(self, wanted: Set[int], filter_: Filter) -> Mapping[int, int]:
        """In how many chunks that pass the filter each term stands; those in none are left out."""
        index_id, revision = self.collection.generation.index_id, self.collection.revision
        return await self.store.count_terms(index_id, wanted, filter_, revision)

    async def _deeper(self, query: IndexQuery) -> IndexQuery | None:
        """The query to go on with if too few of what it found was live; None if nothing is."""
        depth = query.limit * DEPTH_FACTOR
        # Where so few are live, looking through the dead ones for them costs more.
        if query.among or (depth <= MAX_DEPTH < self.collection.count):
            return replace(query, limit=depth)
        # Those of our revision: what has been replaced since is what we may show, and not the new.
        live = await self.ledger.documents.live_at(self.collection.id, self.collection.revision)
        # In a thread: a large collection has many.
        among = await asyncio.to_thread(_point_ids, live)
        return replace(query, among=among) if among else None

    async def _live_candidates(
        self, candidates: Sequence[Candidate], limit: int, filter_: Filter
    ) -> list[Hit]:
        """The first `limit` candidates that were live at our revision, then the nearest of all."""
        hits: list[Hit] = []
        nearest: list[Hit] = []
        # Few are dead: an embedded index knows when they lived, and on a server most are swept.
        start, step = 0, limit
        while start < len(candidates):
            some = candidates[start : start + step]
            # With the first of them, so that the ledger is not asked once more.
            also = [] if start else [one for one in _nearest(candidates) if one not in some]
            chunks = await self._chunks([one.ref for one in (*some, *also)])
            hits += _passing(some, chunks, filter_)
            nearest += _passing(also, chunks, filter_)
            if len(hits) >= limit:
                break
            # Where all were dead, many more may be: most of a collection was just deleted.
            start, step = start + step, step * DEPTH_FACTOR
        found = {hit.chunk.id for hit in hits[:limit]}
        return [*hits[:limit], *(hit for hit in nearest if hit.chunk.id not in found)]

    async def _live(self, points: Sequence[ScoredPoint], filter_: Filter) -> list[Hit]:
        """The points whose chunk was live at our revision, each chunk once, by its best point."""
        chunks = await self._chunks([point.ref for point in points])
        best: dict[tuple[str, str], Hit] = {}
        for point in points:
            key = point.ref.chunk_id, point.ref.version
            chunk = chunks.get(key)
            # The index is only an index: what leaves has passed the filter on the ledger's data.
            if chunk is not None and key not in best and filter_.matches(chunk.metadata):
                best[key] = Hit(chunk, cosine=point.score, part=_part(chunk, point.ref))
        return list(best.values())

    async def _chunks(self, refs: Sequence[PointRef]) -> Mapping[tuple[str, str], Chunk]:
        return await self.ledger.documents.chunks_at(
            self.collection.id, self.collection.revision, refs
        )


def _point_ids(live: Iterable[tuple[str, str]]) -> frozenset[str]:
    """The first point of each chunk: the others come with it, and mean about the same."""
    return frozenset(point_ids(chunk_id, version, 1)[0] for chunk_id, version in live)


def _nearest(candidates: Sequence[Candidate]) -> list[Candidate]:
    return [max(candidates, key=lambda one: one.cosine)] if candidates else []


def _passing(
    candidates: Iterable[Candidate], chunks: Mapping[tuple[str, str], Chunk], filter_: Filter
) -> Iterator[Hit]:
    """The candidates whose chunk is there and passes the filter."""
    for one in candidates:
        chunk = chunks.get(one.key)
        if chunk is not None and filter_.matches(chunk.metadata):
            yield Hit(chunk, one.cosine, part=_part(chunk, one.ref), terms=one.terms)


def _part(chunk: Chunk, ref: PointRef) -> int | None:
    """Return which part of the chunk a point stands for: the first points are one for each."""
    parts = part_count(chunk.metadata)
    if ref.ordinal is not None:
        return ref.ordinal if 1 < parts > ref.ordinal else None
    ids = point_ids(chunk.id, ref.version, parts) if parts > 1 else []
    return ids.index(ref.id) if ref.id in ids else None
