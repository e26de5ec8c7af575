import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.providers.embedders.remote.token_estimate import token_spans
from sourcebook.providers.inference.windows import cut_text


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        (" \n\t", []),
        ("The sun rises.", ["The", "sun", "rise", "s", "."]),
        ("1234567", ["123", "456", "7"]),
        ("snake_case", ["snak", "e", "_", "case"]),
        ("naïve", ["na", "ï", "ve"]),
        ("Привет", ["Пр", "ив", "ет"]),
        ("日本語", ["日", "本", "語"]),
        ("ไทย한국", ["ไ", "ท", "ย", "한", "국"]),
        ("====", ["=", "=", "=", "="]),
        ("👩‍🚀", ["👩", "\u200d", "🚀"]),
    ],
)
def test_tokens_are_estimated_by_kinds_of_characters(text: str, tokens: list[str]) -> None:
    assert [text[begin:end] for begin, end in token_spans(text)] == tokens


@given(st.text())
def test_tokens_only_grow_and_leave_out_nothing_but_white_space(text: str) -> None:
    spans = token_spans(text)
    edges = [edge for span in spans for edge in span]
    assert edges == sorted(edges)
    assert all(begin < end for begin, end in spans)
    kept = "".join(text[begin:end] for begin, end in spans)
    assert kept == "".join(text.split())


@given(st.text(max_size=2_000), st.integers(10, 100))
def test_pieces_that_are_cut_by_the_estimate_hold_it(text: str, room: int) -> None:
    pieces = cut_text(text, room, token_spans)
    assert "".join(piece.text for piece in pieces) == text
    assert all(len(token_spans(piece.text)) <= room for piece in pieces)
