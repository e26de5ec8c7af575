"""Shows segments as a reader sees them: without marks, code without its margin, rows in words."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace

from sourcebook.text.governing import with_governed
from sourcebook.text.markup import MaskedText, mask_markup
from sourcebook.text.segments import Segment, split_segments, split_selection

# A line of code that stands for a file, which the site's generator puts in its place.
_INCLUDE = re.compile(r"[ \t]*+\{\{[#<%][^{}\r\n]*+\}\}[ \t]*+")
# A line with nothing but links to other places of the book: of a table of contents, a menu.
_LINKS_ALONE = re.compile(
    r"[ \t>]*+(?:\d{1,9}[.)])?+(?:[^\w\[\]]*+\[(?:[^\[\]\r\n]|\[[^\[\]\r\n]*+\])++\]"
    r"\((?![a-z]{2,20}:)[^()\r\n]*+\))++[^\w\[\]]*+"
)
_LINE_END = re.compile(r"[\r\n]")
_END_OF_TERM = re.compile(r"</dt\b", re.IGNORECASE)
_QUOTE_MARKS = re.compile(r"(?:[ ]{0,3}>[ ]?)++")
_MARK = re.compile(r"\\.|`+|\|")


def read_text(text: str, *, is_selection: bool = False) -> tuple[Segment, ...]:
    """Every segment of a text of which a reader sees something, in order, as it is shown."""
    masked = mask_markup(text)
    found = split_selection(text) if is_selection else split_segments(text, masked)
    view = TextView(text, masked)
    shown = [seen for one in found if (seen := view.show(one)) is not None]
    return tuple(with_governed(shown))


class TextView:
    """A text as its readers see it."""

    def __init__(self, text: str, masked: MaskedText) -> None:
        self._text = text
        self._masked = masked
        self._starts = [0, *(end.end() for end in _LINE_END.finditer(text)), len(text)]
        # Of lines that many sentences stand in, each is read once.
        self._known: dict[tuple[int, int], bool] = {}

    def show(self, one: Segment) -> Segment | None:
        """A segment with what a reader sees of it; None if that is nothing."""
        if one.kind == "code":
            shown = _code(self._text[one.start : one.end])
        else:
            shown = self._masked.plain(one.start, one.end)
        if not shown:
            return None
        values = _values(one, shown, self._text, self._masked)
        leads_away = one.kind in {"prose", "item"} and self._leads_away(one)
        return replace(one, shown=shown, values=values, leads_away=leads_away)

    def _leads_away(self, one: Segment) -> bool:
        """Whether the lines that something stands in are links to other places and nothing else."""
        start = self._starts[bisect_right(self._starts, one.start) - 1]
        end = self._starts[bisect_left(self._starts, one.end)]
        if (start, end) not in self._known:
            links = _LINKS_ALONE.fullmatch(self._text, start, end)
            self._known[start, end] = links is not None
        return self._known[start, end]


def _values(piece: Segment, shown: str, text: str, masked: MaskedText) -> tuple[str, ...]:
    """The cells of a row or a definition; of a row in Markdown, what its pipes part."""
    cells = tuple(masked.plain(cell.start, cell.end) for cell in piece.cells)
    if piece.kind == "definition":
        return (_terms(piece, text, masked), *cells[1:])
    if cells or piece.kind == "prose":
        return cells
    return read_cells(shown) if piece.kind in {"row", "header"} else ()


def _terms(piece: Segment, text: str, masked: MaskedText) -> str:
    """The terms of a definition, each of which has a line or an element of its own."""
    term, meaning = piece.cells[:2]
    is_html = "<" in text[term.end : meaning.start]
    ends = (_END_OF_TERM if is_html else _LINE_END).finditer(text, term.start, term.end)
    at, terms = term.start, []
    for end in ends:
        terms.append(masked.plain(at, end.start()))
        at = end.start()
    return ", ".join(filter(None, [*terms, masked.plain(at, term.end)]))


def _code(block: str) -> str:
    """A block of code without the margin or the marks of the list or quotation that it stands in.

    Nothing if all that stands in it is to be put in by the site's generator.
    """
    first, *inside = block.splitlines()
    if inside and (marks := _quote_marks(inside[-1])):
        inside = [_without_quote_marks(line, marks) for line in inside]
        block = "\n".join([first, *inside])
    if len(inside) > 1 and all(_INCLUDE.fullmatch(line) for line in inside[:-1]):
        return ""
    closing = inside[-1] if inside else ""
    margin = len(closing) - len(closing.lstrip(" "))
    if not margin or not closing.lstrip().startswith(("```", "~~~")):
        return block
    return "\n".join([first, *(_without_margin(line, margin) for line in inside)])


def _quote_marks(line: str) -> int:
    """How many `>` a line begins with."""
    found = _QUOTE_MARKS.match(line)
    return found[0].count(">") if found else 0


def _without_quote_marks(line: str, marks: int) -> str:
    """A line without so many marks: another `>` is a sign of the code."""
    marks = min(marks, _quote_marks(line))
    return line.split(">", marks)[-1].removeprefix(" ") if marks else line


def _without_margin(line: str, margin: int) -> str:
    return line[min(margin, len(line) - len(line.lstrip(" "))) :]


def show_row(names: Sequence[str], values: Sequence[str]) -> str:
    """The cells of a row with the names of their columns; empty ones are left out.

    "Flag", "Default" and "`--jobs`", "4" give "Flag: `--jobs`; Default: 4".
    """
    # A row with other cells than the header has names for none of them.
    names = names if len(names) == len(values) else [""] * len(values)
    shown = [
        f"{name.removesuffix(':')}: {value}" if name else value
        for name, value in zip(names, values, strict=True)
        if value
    ]
    return "; ".join(shown)


def read_cells(row: str) -> tuple[str, ...]:
    """What stands between the pipes; one that is escaped or in code ends no cell."""
    inside = row.strip().removeprefix("|").removesuffix("|")
    cells, begin, ticks = [], 0, ""
    for mark in _MARK.finditer(inside):
        if mark[0] == "|" and not ticks:
            cells.append(_cell(inside[begin : mark.start()]))
            begin = mark.end()
        elif mark[0].startswith("`"):
            ticks = "" if mark[0] == ticks else ticks or _closed(inside, mark)
    return (*cells, _cell(inside[begin:]))


def _closed(text: str, ticks: re.Match[str]) -> str:
    """The ticks that open code, if the same ones close it."""
    return ticks[0] if ticks[0] in text[ticks.end() :] else ""


def _cell(cell: str) -> str:
    return cell.strip().replace("\\|", "|")
