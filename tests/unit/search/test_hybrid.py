"""How similarity and terms are joined."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.core.search_modes import SearchMode
from sourcebook.core.vectors import PointRef, ScoredPoint, TermMatches
from sourcebook.search.hybrid import Candidate, rank, spread


def point(name: str, cosine: float, number: int = 0, document: str = "d") -> ScoredPoint:
    return ScoredPoint(PointRef(f"{name}-{number}", name, document, "v1", "digest"), cosine)


def ranked(
    *points: ScoredPoint, words: int = 2, mode: SearchMode = "hybrid", **scores: float
) -> list[Candidate]:
    by_point = {f"{name}-0": score for name, score in scores.items()}
    return rank(TermMatches(points, by_point, is_everything=True), words, mode)


def names(candidates: list[Candidate]) -> list[str]:
    return [one.ref.chunk_id for one in candidates]


def test_without_terms_the_score_is_the_similarity() -> None:
    near, far = ranked(point("near", 0.8), point("far", -0.2))
    assert near.terms.relevance == pytest.approx(0.8)
    assert far.terms.relevance == 0.0


def test_terms_raise_a_chunk_above_one_that_is_a_little_nearer() -> None:
    found = ranked(point("near", 0.5), point("named", 0.45), named=12.0)
    assert names(found) == ["named", "near"]
    assert found[0].terms.relevance > found[0].cosine


def test_a_little_of_the_terms_does_not_outweigh_a_much_nearer_chunk() -> None:
    assert names(ranked(point("near", 0.8), point("named", 0.2), named=2.0)) == ["near", "named"]


def test_the_score_of_a_hit_does_not_depend_on_the_others() -> None:
    (alone,) = ranked(point("a", 0.4), a=5.0)
    among = ranked(point("a", 0.4), point("b", 0.9), point("c", 0.1), a=5.0, c=30.0)
    assert alone.terms.relevance in [one.terms.relevance for one in among]


def test_the_more_words_are_asked_for_the_less_each_counts() -> None:
    (few,) = ranked(point("a", 0.4), words=2, a=5.0)
    (many,) = ranked(point("a", 0.4), words=8, a=5.0)
    assert many.terms.relevance < few.terms.relevance


def test_a_chunk_stands_for_its_nearest_point() -> None:
    (found,) = ranked(point("a", 0.2, 0), point("a", 0.7, 1), a=3.0)
    assert found.ref.id == "a-1"
    assert found.cosine == 0.7
    assert found.terms.bm25 == 3.0


def test_by_keywords_only_chunks_with_the_terms_count_by_their_terms() -> None:
    points = point("near", 0.9), point("a", 0.1), point("b", 0.8)
    found = ranked(*points, mode="keyword", a=9.0, b=2.0)
    assert names(found) == ["a", "b"]


def test_ranks_tell_how_a_chunk_was_found() -> None:
    first, second = ranked(point("near", 0.5), point("named", 0.45), named=12.0)
    assert (first.terms.dense_rank, first.terms.keyword_rank) == (2, 1)
    assert (second.terms.dense_rank, second.terms.keyword_rank) == (1, None)


def test_a_chunk_near_the_context_is_raised_and_one_that_is_not_stays() -> None:
    points = point("near", 0.5), point("meant", 0.48)
    matches = TermMatches(points, {}, is_everything=True, context={"near-0": -0.1, "meant-0": 0.9})
    first, second = rank(matches, 2, "hybrid")
    assert (first.ref.chunk_id, first.terms.context) == ("meant", 0.9)
    assert second.terms.relevance == pytest.approx(0.5)
    assert second.terms.context == 0.0


def test_the_context_does_not_outweigh_a_much_nearer_chunk() -> None:
    points = point("near", 0.7), point("old", 0.3)
    matches = TermMatches(points, {}, is_everything=True, context={"near-0": 0.2, "old-0": 1.0})
    assert names(rank(matches, 2, "hybrid")) == ["near", "old"]


def test_a_chunk_is_as_near_to_the_context_as_its_nearest_point() -> None:
    points = point("a", 0.5, 0), point("a", 0.4, 1)
    matches = TermMatches(points, {}, is_everything=True, context={"a-0": 0.2, "a-1": 0.6})
    (found,) = rank(matches, 2, "hybrid")
    assert found.terms.context == 0.6


@given(
    cosine=st.floats(-1, 1),
    bm25=st.floats(0, 1e6),
    words=st.integers(0, 1000),
    context=st.floats(-1, 1),
)
def test_a_score_is_between_the_similarity_and_one(
    cosine: float, bm25: float, words: int, context: float
) -> None:
    matches = TermMatches((point("a", cosine),), {"a-0": bm25}, True, {"a-0": context})
    (found,) = rank(matches, words, "hybrid")
    similarity = max(0.0, cosine)
    assert similarity - 1e-9 <= found.terms.relevance <= 1.0
    assert not math.isnan(found.terms.relevance)


def test_one_document_does_not_fill_the_first_places() -> None:
    crowd = [point(f"c{n}", 0.9 - n / 100, document="crowd") for n in range(10)]
    found = ranked(*crowd, point("x", 0.3, document="x"), point("y", 0.2, document="y"))
    assert names(spread(found, 4)[:4]) == ["c0", "c1", "x", "y"]


def test_a_document_alone_may_fill_the_page() -> None:
    found = ranked(*[point(f"c{n}", 0.9 - n / 100) for n in range(6)])
    assert names(spread(found, 4)[:4]) == ["c0", "c1", "c2", "c3"]


def test_spreading_loses_no_candidate() -> None:
    found = ranked(*[point(f"c{n}", 0.5, document=str(n % 2)) for n in range(9)])
    assert sorted(names(spread(found, 3))) == sorted(names(found))
