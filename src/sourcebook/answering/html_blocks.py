"""Finds the rows of HTML tables in Markdown, and the places of their cells."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

from sourcebook.core.documents import Span

HtmlKind: TypeAlias = Literal["row", "header"]

_TAG = re.compile(r"<(?P<name>/?(?:table|thead|tbody|tfoot|tr|t[dh]))(?=[\s/>])", re.IGNORECASE)
_EMPTY_LINE = re.compile(r"(?:\r\n|\r|\n)[ \t]*+[\r\n]")


@dataclass(frozen=True, slots=True)
class HtmlBlock:
    """Something that can be quoted on its own, with its cells; empty ones are among them."""

    kind: HtmlKind
    cells: tuple[Span, ...]

    @property
    def start(self) -> int:
        """Where what a reader sees of it begins."""
        return min(cell.start for cell in self.cells if cell.start < cell.end)

    @property
    def end(self) -> int:
        """Where what a reader sees of it ends."""
        return max(cell.end for cell in self.cells if cell.start < cell.end)


@dataclass(frozen=True, slots=True)
class _Tag:
    """A tag in lower case, `td` or `/td`, and what stands between it and the next of a table."""

    name: str
    inside: Span


def html_blocks(text: str, plain: str) -> Iterator[HtmlBlock]:
    """The rows of HTML tables in order; `plain` is the text without its markup."""
    in_head = in_row = False
    cells: list[_Tag] = []
    for tag in _tags(text, plain):
        if tag.name in {"td", "th"}:
            # A chunk may begin within a row, whose first cells are then not known.
            cells += [tag] if in_row else []
        elif tag.name not in {"/td", "/th"}:
            # What holds a table of its own is no row of values.
            if tag.name != "table":
                yield from _row(cells, text, in_head=in_head)
            cells, in_row = [], tag.name == "tr"
            in_head = tag.name == "thead" or (in_head and tag.name in {"tr", "/tr"})
    yield from _row(cells, text, in_head=in_head)


def _tags(text: str, plain: str) -> Iterator[_Tag]:
    # In code, tags are not hidden.
    found = [tag for tag in _TAG.finditer(text) if plain[tag.start()] == " "]
    places = [*(tag.start() for tag in found), len(text)]
    for tag, (start, end) in zip(found, pairwise(places), strict=True):
        yield _Tag(tag["name"].lower(), _trimmed(plain, start, end))


def _row(cells: Sequence[_Tag], text: str, *, in_head: bool) -> Iterator[HtmlBlock]:
    """A row of values or of names; a single cell or one with paragraphs is only layout."""
    spans = tuple(cell.inside for cell in cells)
    if not any(span.start < span.end for span in spans):
        return
    is_header = in_head or all(cell.name == "th" for cell in cells)
    if len(spans) == 1 and not is_header:
        return
    if not any(_EMPTY_LINE.search(text, span.start, span.end) for span in spans):
        yield HtmlBlock("header" if is_header else "row", spans)


def _trimmed(plain: str, start: int, end: int) -> Span:
    inside = plain[start:end]
    first = start + len(inside) - len(inside.lstrip())
    return Span(first, max(first, start + len(inside.rstrip())))
