"""Finds what can be quoted of a text: its sentences, items, rows and code, as the service does."""

from collections.abc import Sequence

from sourcebook.text.segments import split_segments

Span = tuple[int, int]


def spans_of(text: str) -> list[Span]:
    """Where each statement begins and ends."""
    return [
        (piece.start, piece.end)
        for piece in split_segments(text)
        if piece.kind not in {"heading", "header"}
        and any(letter.isalnum() for letter in text[piece.start : piece.end])
    ]


def statement_at(spans: Sequence[Span], place: int) -> int | None:
    """The number of the statement that a character stands in."""
    return next((number for number, (start, end) in enumerate(spans) if start <= place < end), None)
