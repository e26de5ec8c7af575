"""Cutting a text between tokens into pieces of text, for models that take nothing but text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.inference.windows import cut

# Where each token of a text begins and ends.
Offsets: TypeAlias = Callable[[str], Sequence[tuple[int, int]]]
# A cut inside a word can make more tokens of it; so many are left free in each piece.
SLACK_TOKENS = 8


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text, and how many tokens it has."""

    text: str
    weight: int


def cut_text(text: str, room: int, offsets: Offsets) -> list[Piece]:
    """The whole text if it has room, else pieces that touch; nothing is left out."""
    spans = offsets(text)
    if len(spans) <= room:
        return [Piece(text, max(1, len(spans)))]
    size = room - SLACK_TOKENS
    if size < 1:
        raise ConfigurationError(
            f"The model reads only {room} tokens of a text at once, which is too few. Use shorter"
            " prompts or a model that reads more"
        )
    parts = cut(len(spans), size, size)
    starts = [0, *(spans[part.start][0] for part in parts[1:])]
    ends = [*starts[1:], len(text)]
    return [
        Piece(text[start:end], len(part))
        for start, end, part in zip(starts, ends, parts, strict=True)
    ]
