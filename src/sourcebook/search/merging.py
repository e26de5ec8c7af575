"""Puts the hits of several collections into one order."""

from collections.abc import Sequence
from dataclasses import dataclass

from sourcebook.core.documents import Hit
from sourcebook.search.fusion import fuse
from sourcebook.search.reranking import all_reranked
from sourcebook.search.searcher import Found


@dataclass(frozen=True, slots=True)
class Collected:
    """A hit, among what its collection gave."""

    hit: Hit
    found: Found


def best_first(found: Sequence[Found]) -> list[Collected]:
    """All hits, the best of all first.

    By what a reranker says of them, if it has read them all. Else the nearest first; but the
    distances of different models cannot be compared, so their rankings are fused.
    """
    everything = [Collected(hit, one) for one in found for hit in one.hits]
    nearest = sorted(everything, key=lambda item: (item.hit.distance, item.hit.chunk.id))
    if all_reranked([item.hit for item in everything]):
        return sorted(nearest, key=lambda item: -(item.hit.rerank_score or 0.0))
    by_model: dict[str, list[int]] = {_model(one): [] for one in found}
    for place, item in enumerate(nearest):
        by_model[_model(item.found)].append(place)
    return [nearest[place] for place in fuse(list(by_model.values()))]


def _model(found: Found) -> str:
    return found.collection.generation.model_revision
