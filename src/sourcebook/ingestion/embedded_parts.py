"""Texts that are embedded in parts: each part gets a vector of its own."""

from collections.abc import Sequence

# More than a chunk has: a text with as many separators was not joined here.
MAX_PARTS = 16
_SEPARATOR = "\x1e"


def join_parts(parts: Sequence[str]) -> str:
    """Return one text that can be split into these parts again."""
    return _SEPARATOR.join(part.replace(_SEPARATOR, " ") for part in parts)


def split_parts(text: str) -> list[str]:
    """Return the parts of a text, or the text itself if it has none."""
    parts = text.split(_SEPARATOR)
    return parts if len(parts) <= MAX_PARTS and all(part.strip() for part in parts) else [text]
