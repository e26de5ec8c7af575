"""How good what a collection has is, by the thresholds in its metadata."""

import math
from typing import Literal, TypeAlias

from sourcebook.core.metadata import Metadata
from sourcebook.search.searcher import Found

Verdict: TypeAlias = Literal["match", "partial", "none"]

# Distances; what is nearer counts.
MATCH_THRESHOLD = 0.3
PARTIAL_THRESHOLD = 0.5


def verdict_on(found: Found) -> Verdict:
    """What the nearest candidate of a collection is worth."""
    about = found.collection.metadata
    if found.least_distance is None:
        return "none"
    if found.least_distance < _threshold(about, "match_threshold", MATCH_THRESHOLD):
        return "match"
    if found.least_distance < _threshold(about, "partial_threshold", PARTIAL_THRESHOLD):
        return "partial"
    return "none"


def _threshold(about: Metadata, field: str, default: float) -> float:
    """The number that the metadata have, which clients also store as text; else the default."""
    value = about.get(field)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return default
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return default
    return number if math.isfinite(number) else default
