"""Finds the rows of HTML tables and the entries of definition lists in Markdown."""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import Literal, TypeAlias

from sourcebook.core.documents import Span
from sourcebook.text.definition_lists import quotable_meanings

HtmlKind: TypeAlias = Literal["row", "header", "definition", "heading"]
# By column, a cell that spans later rows of its part, and how many rows are left with its own.
_SpanningRows: TypeAlias = dict[int, tuple[Span, int]]

# In a longer row stand texts, of which sentences are quoted.
MAX_ROW = 1_000
# A longer cell over all columns, or over several rows, is a text.
MAX_SPANNING_CELL = 200
# In later columns, cells belong to their own row alone.
MAX_SPANNING_COLUMNS = 50
_TAG = re.compile(
    r"<(?P<name>/?(?:table|thead|tbody|tfoot|tr|t[dh]|d[ltd]))(?=[\s/>])", re.IGNORECASE
)
_ATTRIBUTES = re.compile(r"[^<>]{0,400}")
_COLUMNS, _ROWS = (
    re.compile(rf"\b{over}span\s*+=[\s\"'{{]*+(?P<count>\d{{1,3}})", re.IGNORECASE)
    for over in ("col", "row")
)
_PARTS = frozenset({"table", "thead", "tbody", "tfoot"})
_ENDS_OF_CELLS = frozenset({"/td", "/th", "/dt", "/dd"})
_EMPTY_LINE = re.compile(r"(?:\r\n|\r|\n)[ \t]*+[\r\n]")


@dataclass(frozen=True, slots=True)
class HtmlBlock:
    """Something that can be quoted on its own, with its cells; empty ones are among them.

    The first cell of a definition is its term. A row has the number of its table, and a header the
    same one if its cells name the columns one by one. Cells of a row before its `opening` are those
    of earlier rows, which span this one.
    """

    kind: HtmlKind
    cells: tuple[Span, ...]
    table: int = 0
    opening: int = 0

    @property
    def start(self) -> int:
        """Where what a reader sees of it begins."""
        return min(cell.start for cell in self._own)

    @property
    def end(self) -> int:
        """Where what a reader sees of it ends."""
        return max(cell.end for cell in self._own)

    @property
    def length(self) -> int:
        """Of what stands between its start and its end, and of the cells that span it."""
        spanning = (cell.end - cell.start for cell in self.cells if cell.start < self.opening)
        return self.end - self.start + sum(spanning)

    @property
    def _own(self) -> Sequence[Span]:
        return [cell for cell in self.cells if _is_seen(cell) and cell.start >= self.opening]


@dataclass(frozen=True, slots=True)
class _Tag:
    """A tag in lower case, `td` or `/td`, and what stands between it and the next."""

    name: str
    inside: Span
    columns: int = 1
    rows: int = 1


@dataclass(frozen=True, slots=True)
class _Group:
    """`tr` with its cells, or `dt` with what it means; `part` counts the parts of all tables."""

    tags: tuple[_Tag, ...]
    in_head: bool
    table: int
    part: int

    @property
    def is_head(self) -> bool:
        """Whether it names columns."""
        names = [tag.name for tag in self.tags[1:]]
        return self.tags[0].name == "tr" and bool(names) and (self.in_head or {*names} == {"th"})


def html_blocks(text: str, plain: str) -> Iterator[HtmlBlock]:
    """The rows and entries in order; `plain` is the text without its markup."""
    term: Span | None = None
    spanning_rows: _SpanningRows = {}
    groups = tuple(_groups(text, plain))
    for group, after in zip_longest(groups, groups[1:]):
        is_last = after is None or after.part != group.part
        cells = _cells(group, spanning_rows)
        seen = [tag.inside for tag in group.tags[1:] if _is_seen(tag.inside)]
        if group.tags[0].name == "dt":
            yield from _entry(group, text, plain)
        elif group.is_head or len(seen) > 1 or (len(cells) > 1 and _is_seen(cells[0])):
            yield from _row(group, cells, text, is_last=is_last)
        elif term and seen and len(cells) > 1 and not _has_paragraphs(text, seen):
            # A cell over all columns, and under it what it means: flags are often listed so.
            yield HtmlBlock("definition", (term, *quotable_meanings(plain, term, seen)))
        spanning = seen if len(cells) == 1 and not group.is_head else []
        term = next((one for one in spanning if one.end - one.start <= MAX_SPANNING_CELL), None)
        if is_last:
            spanning_rows.clear()


def _groups(text: str, plain: str) -> Iterator[_Group]:
    in_head = False
    table = part = 1
    tags: list[_Tag] = []
    for tag in _tags(text, plain):
        if tags and _belongs_to(tags, tag):
            tags.append(tag)
        elif tag.name not in _ENDS_OF_CELLS:
            # What holds a table of its own is no row of values.
            if tags and tag.name != "table":
                yield _Group(tuple(tags), in_head, table, part)
            table += tag.name == "table"
            part += tag.name.removeprefix("/") in _PARTS
            tags = [tag] if tag.name in {"tr", "dt"} else []
            in_head = tag.name == "thead" or (in_head and tag.name in {"tr", "/tr"})
    if tags:
        yield _Group(tuple(tags), in_head, table, part)


def _belongs_to(group: Sequence[_Tag], tag: _Tag) -> bool:
    """Whether a cell is one of a row, or a term or meaning one of an entry with several."""
    if group[0].name == "tr":
        return tag.name in {"td", "th"}
    return tag.name == "dd" or tag.name == group[-1].name == "dt"


def _tags(text: str, plain: str) -> Iterator[_Tag]:
    # In code, tags are not hidden.
    found = [tag for tag in _TAG.finditer(text) if plain[tag.start()] == " "]
    places = [*(tag.start() for tag in found), len(text)]
    for tag, (start, end) in zip(found, pairwise(places), strict=True):
        attributes = _ATTRIBUTES.match(text, tag.end())
        columns, rows = (_count(over, attributes) for over in (_COLUMNS, _ROWS))
        yield _Tag(tag["name"].lower(), Span(start, end).trimmed(plain), columns, rows)


def _count(over: re.Pattern[str], attributes: re.Match[str] | None) -> int:
    """How many columns or rows the attributes of a cell say that it is over."""
    found = over.search(attributes[0]) if attributes else None
    # Of no columns, the next cell would take its place.
    return max(1, int(found["count"])) if found else 1


def _cells(group: _Group, spanning: _SpanningRows) -> tuple[Span, ...]:
    """The cells of a row in order, with those of the rows before it that span this one too.

    Notes which of its own span later rows.
    """
    cells: list[Span] = []
    column = 0
    own = deque(group.tags[1:])
    while own or column in spanning:
        if column in spanning:
            cell, rows = spanning.pop(column)
            columns = 1
        else:
            tag = own.popleft()
            cell, rows, columns = tag.inside, tag.rows, tag.columns
        cells.append(cell)
        if rows > 1 and column < MAX_SPANNING_COLUMNS:
            is_short = cell.end - cell.start <= MAX_SPANNING_CELL
            later = cell if is_short else Span(cell.start, cell.start)
            spanning[column] = later, rows - 1
        column += columns
    return tuple(cells)


def _row(
    group: _Group, cells: tuple[Span, ...], text: str, *, is_last: bool
) -> Iterator[HtmlBlock]:
    """A row of values or of names; one with paragraphs or long texts is only layout."""
    # No cell is over rows after the last of its part, whatever it says.
    wide = (tag.columns > 1 or (tag.rows > 1 and not is_last) for tag in group.tags)
    names_none = group.is_head and any(wide)
    kind: HtmlKind = "header" if group.is_head else "row"
    table = -group.table if names_none else group.table
    row = HtmlBlock(kind, cells, table, group.tags[0].inside.start)
    is_seen = any(_is_seen(tag.inside) for tag in group.tags[1:])
    if is_seen and row.length <= MAX_ROW and not _has_paragraphs(text, cells):
        yield row


def _entry(group: _Group, text: str, plain: str) -> Iterator[HtmlBlock]:
    """A term with what it means; as a heading without, if that has paragraphs."""
    terms = [tag.inside for tag in group.tags if tag.name == "dt"]
    term = Span(terms[0].start, terms[-1].end)
    meanings = [tag.inside for tag in group.tags if tag.name == "dd" and _is_seen(tag.inside)]
    if not _is_seen(term) or not meanings:
        return
    if _has_paragraphs(text, meanings):
        yield HtmlBlock("heading", (term,))
    else:
        yield HtmlBlock("definition", (term, *quotable_meanings(plain, term, meanings)))


def _has_paragraphs(text: str, cells: Iterable[Span]) -> bool:
    return any(_EMPTY_LINE.search(text, cell.start, cell.end) for cell in cells)


def _is_seen(cell: Span) -> bool:
    return cell.start < cell.end
