"""The terminal: where commands write, and text of others made harmless for it."""

import unicodedata

from rich.console import Console

# Results go to standard output; what only people want to see goes beside the logs.
out = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)

_BIDI_CONTROLS = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)


def harmless(text: str) -> str:
    """The text on one line, without anything that could steer a terminal."""
    return "".join(character for character in " ".join(text.split()) if not _steers(character))


def counted(count: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _steers(character: str) -> bool:
    return character in _BIDI_CONTROLS or unicodedata.category(character) in {"Cc", "Cs"}
