import numpy as np
import pytest

from sourcebook.core.errors import EmbeddingFailed
from sourcebook.providers.inference.windows import average, cut, join, stretches


def test_windows_touch_and_leave_nothing_out() -> None:
    parts = cut(1000, first=254, rest=250)
    assert [token for part in parts for token in part] == list(range(1000))
    assert len(parts[0]) == 254
    assert max(map(len, parts[1:])) == 250


@pytest.mark.parametrize("length", [0, 1, 254])
def test_a_short_text_is_one_window(length: int) -> None:
    assert cut(length, first=254, rest=254) == [range(length)]


def test_two_windows_share_a_vector() -> None:
    assert list(stretches([254])) == [range(1)]
    assert list(stretches([254, 254])) == [range(2)]
    assert list(stretches([254, 254, 254])) == [range(2), range(2, 3)]


def test_a_rest_of_few_tokens_gets_no_vector_of_its_own() -> None:
    assert list(stretches([254, 254, 5])) == [range(3)]
    assert list(stretches([5])) == [range(1)]


def test_longer_windows_weigh_more() -> None:
    (vector,) = join([np.array([1, 0], np.float32), np.array([0, 1], np.float32)], [3, 1])
    assert vector == pytest.approx([3 / 10**0.5, 1 / 10**0.5])


def test_vectors_that_are_not_finite_are_refused() -> None:
    with pytest.raises(EmbeddingFailed, match="not finite"):
        average([np.array([np.nan, 1], np.float32)], [1])


def test_zero_vectors_are_refused() -> None:
    with pytest.raises(EmbeddingFailed, match="zero vector"):
        average([np.array([1, 0], np.float32), np.array([-1, 0], np.float32)], [1, 1])
