"""Explains a search: the rank and the score of each hit in each stage, and each stage's time."""

from dataclasses import dataclass, field

from sourcebook.core.documents import Hit
from sourcebook.core.search_modes import SearchMode
from sourcebook.search.searcher import SearchResult
from sourcebook.search.timings import SearchTimings


@dataclass(frozen=True, slots=True)
class HitStages:
    """Where a hit stood in each stage, counted from 1; None in a stage that did not find it.

    `dense_rank` is by meaning, `keyword_rank` by words, `rank` by the score that joins them.
    """

    hit: Hit
    dense_rank: int | None
    keyword_rank: int | None
    rank: int
    rerank_rank: int | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a search went; `mode` is None if there was nothing to search yet."""

    mode: SearchMode | None = None
    times: SearchTimings = field(default_factory=SearchTimings)
    hits: tuple[HitStages, ...] = ()
    note: str | None = None


@dataclass(frozen=True, slots=True)
class FoundHits:
    """What a search found in a collection that may not be there yet: then there is no result."""

    result: SearchResult | None = None

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The hits, best first."""
        return () if self.result is None else self.result.hits

    @property
    def mode(self) -> SearchMode | None:
        """What the search went by; None if there was nothing to search yet."""
        return None if self.result is None else self.result.mode

    @property
    def corrected(self) -> str | None:
        """The question that was searched for instead of one with unknown words."""
        return None if self.result is None else self.result.corrected

    @property
    def explanation(self) -> Explanation:
        """How the search went."""
        return Explanation() if self.result is None else explain(self.result)


def explain(found: SearchResult) -> Explanation:
    """How the search went that found this."""
    ranks = {hit.chunk.id: rank for rank, hit in enumerate(found.candidates or found.hits, 1)}
    stages = tuple(
        _stages(hit, ranks[hit.chunk.id], place) for place, hit in enumerate(found.hits, 1)
    )
    return Explanation(found.mode, found.times, stages, found.note)


def _stages(hit: Hit, rank: int, place: int) -> HitStages:
    terms = hit.terms
    return HitStages(
        hit,
        dense_rank=rank if terms is None else terms.dense_rank,
        keyword_rank=None if terms is None else terms.keyword_rank,
        rank=rank,
        rerank_rank=None if hit.rerank_score is None else place,
    )
