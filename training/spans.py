"""Finds what can be quoted of a text that has no labels: its sentences, items, rows and code."""

from sourcebook.text.segments import split_segments


def spans_of(text: str) -> list[tuple[int, int]]:
    """The places of what the service would quote."""
    return [
        (piece.start, piece.end)
        for piece in split_segments(text)
        if piece.kind not in {"heading", "header"}
        and any(letter.isalnum() for letter in text[piece.start : piece.end])
    ]
