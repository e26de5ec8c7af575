import re

import numpy as np
import pytest

from sourcebook.core.errors import ConfigurationError, EmbeddingFailed
from sourcebook.providers.inference.windows import (
    SLACK_TOKENS,
    TokenWindow,
    average,
    batched,
    cut,
    cut_text,
    join,
    longest_first,
    regroup,
    restore_order,
    stretches,
)


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


def window(length: int) -> TokenWindow:
    return TokenWindow([1] * length, [0] * length, length)


def test_the_longest_windows_come_first() -> None:
    assert longest_first([window(2), window(9), window(5)]) == [1, 2, 0]


def test_putting_back_undoes_the_order() -> None:
    order = longest_first([window(2), window(9), window(5)])
    assert restore_order(order, ["nine", "five", "two"]) == ["two", "nine", "five"]


def test_batches_hold_every_item_once() -> None:
    assert batched([1, 2, 3, 4, 5], 2) == [[1, 2], [3, 4], [5]]
    assert batched([], 2) == []


def test_regrouping_follows_the_sizes() -> None:
    assert list(regroup("abcdef", [1, 0, 3, 2])) == ["a", "", "bcd", "ef"]


def word_offsets(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"\S+", text)]


def test_a_text_that_has_room_stays_whole() -> None:
    (piece,) = cut_text(" a b c ", 3, word_offsets)
    assert (piece.text, piece.weight) == (" a b c ", 3)


def test_an_empty_text_is_one_piece_with_weight() -> None:
    (piece,) = cut_text("", 3, word_offsets)
    assert (piece.text, piece.weight) == ("", 1)


def test_pieces_touch_and_leave_nothing_out() -> None:
    text = " ".join(f"word{number}" for number in range(100)) + "\n"
    pieces = cut_text(text, 10 + SLACK_TOKENS, word_offsets)
    assert "".join(piece.text for piece in pieces) == text
    assert [piece.weight for piece in pieces] == [10] * 10


def test_too_little_room_is_a_configuration_error() -> None:
    with pytest.raises(ConfigurationError, match="shorter prompts"):
        cut_text("a " * 50, SLACK_TOKENS, word_offsets)
