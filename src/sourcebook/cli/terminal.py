"""Where commands write, and how they make other people's text safe to print."""

import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from rich.console import Console

from sourcebook.cli.exit_codes import FAILED, NOT_KNOWN
from sourcebook.core.errors import SourcebookError

# Results go to standard output; what only people want to see goes beside the logs.
out = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)

# Longer lines of prose are hard to read, however wide the terminal is.
MAX_WIDTH = 100

_BIDI_CONTROLS = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)


def strip_controls(text: str) -> str:
    """Put the text on one line, without anything that could control a terminal."""
    return "".join(character for character in " ".join(text.split()) if not _controls(character))


def counted(count: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def nothing_indexed(book_id: str, *, has_open_job: bool) -> str:
    """Say what to do about a book that has no chunks yet."""
    if has_open_job:
        return (
            f"Nothing is indexed of the book {book_id!r} yet, but a job that indexes it has not"
            " ended: try again in a moment. `sourcebook books` shows it"
        )
    return (
        f"Nothing is indexed of the book {book_id!r} yet: run `sourcebook ingest DOCS` with its"
        " folder, or name another book with --book; `sourcebook books` lists them"
    )


@contextmanager
def answering_a_question() -> Iterator[None]:
    """Exit with NOT_KNOWN if an error keeps a command from its answer."""
    try:
        yield
    except SourcebookError as error:
        fail(error, code=NOT_KNOWN)


def fail(error: SourcebookError, code: int = FAILED) -> NoReturn:
    """Print the error's message and exit with this code."""
    print(f"FATAL: {error.message}", file=sys.stderr)
    sys.exit(code)


def _controls(character: str) -> bool:
    return character in _BIDI_CONTROLS or unicodedata.category(character) in {"Cc", "Cs"}
