"""Finds the rows of HTML tables and the entries of definition lists in Markdown."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

from sourcebook.answering.definition_lists import MAX_DEFINITION
from sourcebook.core.documents import Span

HtmlKind: TypeAlias = Literal["row", "header", "definition", "heading"]

_TAG = re.compile(
    r"<(?P<name>/?(?:table|thead|tbody|tfoot|tr|t[dh]|d[ltd]))(?=[\s/>])", re.IGNORECASE
)
_ENDS_OF_CELLS = frozenset({"/td", "/th", "/dt", "/dd"})
# What has paragraphs is no cell with a value.
_EMPTY_LINE = re.compile(r"(?:\r\n|\r|\n)[ \t]*+[\r\n]")


@dataclass(frozen=True, slots=True)
class HtmlBlock:
    """Something that can be quoted on its own, with its cells; empty ones are among them.

    The first cell of a definition is its term.
    """

    kind: HtmlKind
    cells: tuple[Span, ...]

    @property
    def start(self) -> int:
        """Where what a reader sees of it begins."""
        return min(cell.start for cell in self.cells if _is_seen(cell))

    @property
    def end(self) -> int:
        """Where what a reader sees of it ends."""
        return max(cell.end for cell in self.cells if _is_seen(cell))


@dataclass(frozen=True, slots=True)
class _Tag:
    """A tag in lower case, `td` or `/td`, and what stands between it and the next."""

    name: str
    inside: Span


def html_blocks(text: str, plain: str) -> Iterator[HtmlBlock]:
    """The rows and entries in order; `plain` is the text without its markup."""
    in_head = False
    group: list[_Tag] = []
    for tag in _tags(text, plain):
        if group and _belongs_to(group, tag):
            group.append(tag)
        elif tag.name not in _ENDS_OF_CELLS:
            # What holds a table of its own is no row of values.
            if tag.name != "table":
                yield from _block(group, text, in_head=in_head)
            group = [tag] if tag.name in {"tr", "dt"} else []
            in_head = tag.name == "thead" or (in_head and tag.name in {"tr", "/tr"})
    yield from _block(group, text, in_head=in_head)


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
        yield _Tag(tag["name"].lower(), Span(start, end).trimmed(plain))


def _block(group: Sequence[_Tag], text: str, *, in_head: bool) -> Iterator[HtmlBlock]:
    cells = [tag.inside for tag in group]
    parted = any(_EMPTY_LINE.search(text, cell.start, cell.end) for cell in cells)
    if group and group[0].name == "dt":
        terms = [tag.inside for tag in group if tag.name == "dt"]
        term = Span(terms[0].start, terms[-1].end)
        yield from _definition(term, cells[len(terms) :], parted=parted)
    elif group and not parted:
        yield from _row(group[1:], in_head=in_head)


def _row(cells: Sequence[_Tag], *, in_head: bool) -> Iterator[HtmlBlock]:
    """A row of values or of names; a single cell is only layout."""
    spans = tuple(cell.inside for cell in cells)
    is_header = in_head or all(cell.name == "th" for cell in cells)
    if any(map(_is_seen, spans)) and (len(spans) > 1 or is_header):
        yield HtmlBlock("header" if is_header else "row", spans)


def _definition(term: Span, meanings: Sequence[Span], *, parted: bool) -> Iterator[HtmlBlock]:
    """A term with what it means; as a heading without, if that is too long to quote."""
    meanings = [meaning for meaning in meanings if _is_seen(meaning)]
    if not _is_seen(term) or not meanings:
        return
    if parted or meanings[-1].end - term.start > MAX_DEFINITION:
        yield HtmlBlock("heading", (term,))
    else:
        yield HtmlBlock("definition", (term, *meanings))


def _is_seen(cell: Span) -> bool:
    return cell.start < cell.end
