"""Prints an answer: its text while it arrives, then its sources."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from sourcebook.cli.snippets import SNIPPET_LINES, content_pattern, snippet
from sourcebook.cli.terminal import MAX_WIDTH, strip_controls
from sourcebook.core.answers import SELECTION_URL
from sourcebook.core.locations import describe_place

if TYPE_CHECKING:
    from sourcebook.surfaces.book.schemas import ChunkOut
    from sourcebook.surfaces.chat.schemas import CitationOut

INDENT = "    "
NUMBER_STYLE = "cyan"

_PARTS = re.compile(r"\s+|\S+")
_MARKER = re.compile(r"(?:\[\d+\])+")


class AnswerText:
    """Writes a growing text: wrapped between words on a terminal, unchanged elsewhere."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._width = min(console.width, MAX_WIDTH) if console.is_terminal else None
        self._column = 0
        self._gap = ""
        self._begun = False
        # The last word, or the last gap, may go on in the next piece.
        self._growing = ""

    def write(self, piece: str) -> None:
        """Write the words that are complete."""
        *complete, self._growing = _PARTS.findall(self._growing + piece) or [""]
        self._print(complete)

    def end(self) -> None:
        """Write the rest and end the line."""
        self._print([self._growing])
        self._growing = ""
        if self._begun:
            self._console.print()
        self._begun = False

    def _print(self, parts: Sequence[str]) -> None:
        written = Text("".join(self._placed(part) for part in parts))
        written.highlight_regex(_MARKER, NUMBER_STYLE)
        if written:
            self._console.print(written, end="")

    def _placed(self, part: str) -> str:
        """The part after its gap. A gap waits for the next word, so that no line ends in one."""
        if part.isspace():
            self._gap = _gap(part)
            return ""
        word = strip_controls(part)
        if not word:
            return ""
        gap = self._fitting(self._gap, word) if self._begun else ""
        self._gap = ""
        self._begun = True
        line = (gap + word).rpartition("\n")[2]
        self._column = cell_len(line) if "\n" in gap else self._column + cell_len(line)
        return gap + word

    def _fitting(self, gap: str, word: str) -> str:
        full = self._width is not None and self._column + cell_len(gap + word) > self._width
        return "\n" if gap == " " and full else gap


def show_sources(
    sources: Sequence["CitationOut"],
    console: Console,
    *,
    question: str,
    selection: str | None = None,
    names_books: bool = False,
) -> None:
    """Print the sources by number, each with its place and its quote.

    `selection` names the file from which the selected text was read. With `names_books`, each place
    begins with its book.
    """
    pattern = content_pattern(question)
    width = min(console.width, MAX_WIDTH) - len(INDENT)
    for source in sources:
        console.print()
        console.print(_headline(source))
        book = book_prefix(source) if names_books else ""
        console.print(Text(INDENT + book + _place(source, selection), style="green"))
        # Words do not fill their lines to the end, so a little less than fits is asked for.
        said = source.statement_text or source.plain_text or source.chunk_text
        cut = snippet(said, pattern, SNIPPET_LINES * (width - 6))
        quote = Text(strip_controls(cut))
        for line in quote.wrap(console, width) if console.is_terminal else [quote]:
            line.rstrip()
            console.print(Text(INDENT) + line, style="dim")
        if source.source_file and source.source_url.startswith("http"):
            console.print(Text(INDENT + strip_controls(source.source_url), style="blue"))


def _headline(source: "CitationOut") -> Text:
    titles = dict.fromkeys([source.page_title, source.section_heading])
    path = " › ".join(strip_controls(title) for title in titles if title)
    return Text.assemble((f"[{source.number}]".ljust(len(INDENT)), NUMBER_STYLE), (path, "bold"))


def _place(source: "CitationOut", selection: str | None) -> str:
    if source.source_url == SELECTION_URL:
        name = selection or SELECTION_URL
    else:
        name = source.source_file or source.source_url
        name = name or f"{source.collection}/{source.document_id}"
    return strip_controls(name) + place_in_file(source)


def book_prefix(found: "CitationOut | ChunkOut") -> str:
    """Say which book something is from, before its path."""
    return "" if found.book_id is None else f"{strip_controls(found.book_id)}: "


def place_in_file(found: "CitationOut | ChunkOut") -> str:
    """Say where in its file something stands: the page, slide, row or cell, else the lines."""
    fields = {"page": found.page, "slide": found.slide, "row": found.row, "cell": found.cell}
    place = describe_place(fields)
    return f", {place}" if place else _lines(found.line_start, found.line_end)


def _lines(first: int | None, last: int | None) -> str:
    if first is None:
        return ""
    return f":{first}" if last in {None, first} else f":{first}-{last}"


def _gap(space: str) -> str:
    """A space, or one or two line breaks and the next line's indent."""
    ends = space.count("\n")
    if not ends:
        return " "
    return "\n" * min(ends, 2) + " " * len(space.rpartition("\n")[2])
