"""An answer on the terminal: its text as it comes, and what it stands on under it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from sourcebook.cli.searching import MAX_WIDTH, SNIPPET_LINES
from sourcebook.cli.snippets import content_pattern, snippet
from sourcebook.cli.terminal import harmless
from sourcebook.core.answers import SELECTION_URL
from sourcebook.surfaces.chat.schemas import CitationOut

INDENT = "    "
NUMBER_STYLE = "cyan"

_PARTS = re.compile(r"\s+|\S+")
_MARKER = re.compile(r"(?:\[\d+\])+")


class AnswerText:
    """Writes a text while it grows: on a terminal wrapped between words, elsewhere as it is."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._width = min(console.width, MAX_WIDTH) if console.is_terminal else None
        self._column = 0
        self._gap = ""
        self._begun = False
        # The last word, or the last gap, may go on in the next piece.
        self._growing = ""

    def write(self, piece: str) -> None:
        """Write what is complete."""
        *complete, self._growing = _PARTS.findall(self._growing + piece) or [""]
        self._print(complete)

    def end(self) -> None:
        """Write the rest, and end the line."""
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
        """The part, behind the gap before it. Gaps wait for a word: no line ends in one."""
        if part.isspace():
            self._gap = _gap(part)
            return ""
        word = harmless(part)
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


@dataclass(frozen=True, slots=True)
class Asking:
    """What the sources are for: the question, and where a selection was read."""

    question: str
    selection: str | None = None


def show_sources(sources: Sequence[CitationOut], asking: Asking, console: Console) -> None:
    """Print the sources by their numbers, each with its place and its quote."""
    pattern = content_pattern(asking.question)
    width = min(console.width, MAX_WIDTH) - len(INDENT)
    for source in sources:
        console.print()
        console.print(_headline(source))
        console.print(Text(INDENT + _place(source, asking.selection), style="green"))
        # Words do not fill their lines to the end, so a little less than fits is asked for.
        quote = Text(harmless(snippet(source.chunk_text, pattern, SNIPPET_LINES * (width - 6))))
        for line in quote.wrap(console, width) if console.is_terminal else [quote]:
            line.rstrip()
            console.print(Text(INDENT) + line, style="dim")
        if source.source_file and source.source_url.startswith("http"):
            console.print(Text(INDENT + harmless(source.source_url), style="blue"))


def _headline(source: CitationOut) -> Text:
    titles = dict.fromkeys([source.page_title, source.section_heading])
    path = " › ".join(harmless(title) for title in titles if title)
    return Text.assemble((f"[{source.number}]".ljust(len(INDENT)), NUMBER_STYLE), (path, "bold"))


def _place(source: CitationOut, selection: str | None) -> str:
    if source.source_url == SELECTION_URL:
        name = selection or SELECTION_URL
    else:
        name = source.source_file or source.source_url
    return harmless(name) + _lines(source.line_start, source.line_end)


def _lines(first: int | None, last: int | None) -> str:
    if first is None:
        return ""
    return f":{first}" if last in {None, first} else f":{first}-{last}"


def _gap(space: str) -> str:
    """A space, or one line's end or two with what the next line is indented by."""
    ends = space.count("\n")
    if not ends:
        return " "
    return "\n" * min(ends, 2) + " " * len(space.rpartition("\n")[2])
