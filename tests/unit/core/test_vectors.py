"""Which vectors may be stored."""

import math

import pytest

from sourcebook.core.errors import EmbeddingFailed
from sourcebook.core.filters import EVERYTHING
from sourcebook.core.vectors import IndexQuery, check_vector


@pytest.mark.parametrize("vector", [(1.0, 0.0), (-1e-100, 0.0), (1, 2), (1e100, -1e100)])
def test_a_finite_vector_of_the_right_length_is_accepted(vector: tuple[float, ...]) -> None:
    check_vector(vector, 2)


@pytest.mark.parametrize("vector", [(), (1.0,), (1.0, 0.0, 0.0)])
def test_a_vector_of_another_length_is_refused_with_both_lengths(
    vector: tuple[float, ...],
) -> None:
    with pytest.raises(EmbeddingFailed, match=f"of {len(vector)} dimensions, not 2"):
        check_vector(vector, 2)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e200])
def test_a_vector_without_a_finite_length_is_refused(bad: float) -> None:
    with pytest.raises(EmbeddingFailed, match="not finite"):
        check_vector((1.0, bad), 2)


@pytest.mark.parametrize("bad", [0.0, -0.0, 1e-200])
def test_a_vector_without_a_direction_is_refused(bad: float) -> None:
    with pytest.raises(EmbeddingFailed, match="zero vector"):
        check_vector((0.0, bad), 2)


def test_a_query_without_a_filter_looks_at_every_point() -> None:
    assert IndexQuery((1.0, 0.0), 5).filter == EVERYTHING
