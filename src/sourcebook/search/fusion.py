"""Puts rankings that cannot be compared into one: reciprocal rank fusion."""

from collections.abc import Hashable, Sequence
from typing import TypeVar

T = TypeVar("T", bound=Hashable)

# As Cormack, Clarke and Buettcher (2009) have it: no first place decides alone.
SMOOTHING = 60


def fuse(rankings: Sequence[Sequence[T]]) -> list[T]:
    """Everything that is in the rankings, once; what stands high, and in many, comes first.

    Equals stand in the order in which the rankings name them.
    """
    scores: dict[T, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            scores[item] = scores.get(item, 0.0) + 1 / (SMOOTHING + rank)
    return sorted(scores, key=lambda item: -scores[item])
