"""Merges the hits of several collections into one ranking (reciprocal rank fusion)."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from sourcebook.core.documents import Hit
from sourcebook.search.reranking import all_reranked
from sourcebook.search.searcher import SearchResult

T = TypeVar("T", bound=Hashable)
# As Cormack, Clarke and Buettcher (2009) have it: no first place decides alone.
RRF_K = 60


@dataclass(frozen=True, slots=True)
class CollectionHit:
    """A hit, among what its collection gave."""

    hit: Hit
    found: SearchResult


def best_first(found: Sequence[SearchResult]) -> list[CollectionHit]:
    """All hits, the best of all first.

    By what a reranker says of them, if it has read them all. Else by their scores; but those of
    different models cannot be compared, so their rankings are fused.
    """
    everything = [CollectionHit(hit, one) for one in found for hit in one.hits]
    nearest = sorted(everything, key=_from_best)
    if all_reranked([item.hit for item in everything]):
        return sorted(nearest, key=lambda item: -(item.hit.rerank_score or 0.0))
    by_model: dict[str, list[int]] = {_model(one): [] for one in found}
    for place, item in enumerate(nearest):
        by_model[_model(item.found)].append(place)
    return [nearest[place] for place in fuse(list(by_model.values()))]


def fuse(rankings: Sequence[Sequence[T]]) -> list[T]:
    """Everything that is in the rankings, once; what stands high, and in many, comes first.

    Equals stand in the order in which the rankings name them.
    """
    scores: dict[T, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            scores[item] = scores.get(item, 0.0) + 1 / (RRF_K + rank)
    return sorted(scores, key=lambda item: -scores[item])


def _model(found: SearchResult) -> str:
    return found.collection.generation.model_revision


def _from_best(item: CollectionHit) -> tuple[float, float, str]:
    # Scores are cut off at zero, distances are not.
    return -item.hit.score, item.hit.distance, item.hit.chunk.id
