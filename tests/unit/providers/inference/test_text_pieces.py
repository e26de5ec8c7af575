import re

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.inference.text_pieces import SLACK_TOKENS, cut_text


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
