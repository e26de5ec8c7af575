"""Thresholds may be anything that somebody stored."""

import pytest

from sourcebook.core.collections import Collection, Generation
from sourcebook.core.metadata import JsonValue
from sourcebook.search.searcher import Found
from sourcebook.search.verdicts import verdict_on


def found(least_distance: float | None, match_threshold: JsonValue) -> Found:
    generation = Generation("index", "minilm", "rev-1", 64)
    about = {"match_threshold": match_threshold}
    return Found(Collection("c", "c", about, generation), (), least_distance=least_distance)


@pytest.mark.parametrize(
    ("least_distance", "verdict"),
    [(0.0, "match"), (0.29, "match"), (0.3, "partial"), (0.5, "none"), (None, "none")],
)
def test_a_threshold_itself_is_not_near_enough(least_distance: float | None, verdict: str) -> None:
    assert verdict_on(found(least_distance, 0.3)) == verdict


@pytest.mark.parametrize(
    "threshold", [None, True, "", "tight", "nan", "inf", [0.9], {}, 10**400, float("nan"), 10**30]
)
def test_a_threshold_that_is_no_number_is_the_default(threshold: JsonValue) -> None:
    expected = "match" if threshold == 10**30 else "partial"

    assert verdict_on(found(0.35, threshold)) == expected
