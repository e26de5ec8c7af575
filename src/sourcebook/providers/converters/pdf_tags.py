"""The blocks of a tagged page of a PDF: what the program that wrote it says they are.

Browsers, Word and LibreOffice tag headings, lists and the cells of tables. What is tagged needs no
guess from the layout: a narrow table looks like columns of the page.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from liteparse.types import ParsedPage, StructureTreeElement, TextItem, WordBox

from sourcebook.providers.converters.pdf_lines import is_beside

# Running heads and page numbers carry no tags; they stand this close to the edge of the page.
MAX_MARGIN = 1 / 12
# No table of paper is wider or longer.
MAX_SPAN = 100
_HEADING = re.compile(r"H([1-6])?|Title")
# What holds blocks. All other elements stand in a line: spans, links, emphasis.
_BLOCK = re.compile(
    r"Document(Fragment)?|Part|Art|Sect|Div|Aside|BlockQuote|Caption|Figure|Form|(FE)?Note|TOCI?"
    r"|Index|P|L|LI|LBody|Table|THead|TBody|TFoot|TR|TH|TD|H[1-6]?|Title"
)
# Words that are so few points apart touch each other.
_CLOSE = 0.2
_LABEL = re.compile(r"\S+(?:\s+|$)")


@dataclass(slots=True)
class Cell:
    """A cell of a table; the columns and rows that it spans."""

    mcids: frozenset[int]
    columns: int = 1
    rows: int = 1
    items: list[TextItem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Row:
    cells: list[Cell]
    is_head: bool


@dataclass(frozen=True, slots=True)
class TaggedBlock:
    """A heading, a paragraph, an item of a list, a table, or a text of which no more is known."""

    kind: str
    items: list[TextItem] = field(default_factory=list)
    level: int = 0
    label: str = ""
    rows: list[Row] = field(default_factory=list)

    @property
    def all_items(self) -> Iterator[TextItem]:
        """What is written in it, and in the cells of a table."""
        yield from self.items
        for row in self.rows:
            for cell in row.cells:
                yield from cell.items


class TagReader:
    """Reads the tags of page after page.

    What goes on over several pages names its pieces on all of them on each: their numbers begin
    again on a new page.
    """

    def __init__(self) -> None:
        self._pages_read: dict[tuple[int, ...], int] = {}

    def read(self, page: ParsedPage) -> list[TaggedBlock] | None:
        """Return the blocks of a page; None if tags do not hold all of its text but its margins."""
        roots = page.structure_tree.roots if page.structure_tree else []
        read_before, self._pages_read = self._pages_read, {}
        for root in roots:
            self._keep_own(root, read_before)
        tagged = frozenset(mcid for root in roots for mcid in _mcids(root))
        if not tagged:
            return None
        margin = page.height * MAX_MARGIN
        items: dict[int, list[TextItem]] = {}
        for item in page.text_items:
            if item.mcid in tagged:
                items.setdefault(item.mcid, []).append(item)
            elif margin < item.y + item.height / 2 < page.height - margin and item.text.strip():
                return None
        reader = _Reader(items)
        blocks = [block for root in roots for block in reader.blocks(root, 0)]
        written = {item.mcid for block in blocks for item in block.all_items}
        # Tags that are nested in no known way must not cost text.
        return blocks if items.keys() <= written | reader.labels else None

    def _keep_own(
        self, element: StructureTreeElement, read_before: dict[tuple[int, ...], int]
    ) -> None:
        """Take the pieces of other pages out of an element."""
        numbers = tuple(element.marked_content_ids)
        breaks = [at for at, (one, other) in enumerate(pairwise(numbers), 1) if other <= one]
        if breaks:
            bounds = list(pairwise([0, *breaks, len(numbers)]))
            page = min(read_before.pop(numbers, 0), len(breaks))
            element.marked_content_ids = list(numbers[slice(*bounds[page])])
            if page < len(breaks):
                self._pages_read[numbers] = page + 1
        for child in element.children:
            self._keep_own(child, read_before)


class _Reader:
    """Walks the elements of a page, with the items that stand in each."""

    def __init__(self, items: dict[int, list[TextItem]]) -> None:
        self._items = items
        self.labels: set[int] = set()

    def blocks(self, element: StructureTreeElement, depth: int) -> Iterator[TaggedBlock]:
        """Yield the blocks of an element that stands so deep in lists."""
        heading = _HEADING.fullmatch(element.type)
        if heading is not None:
            items = self._found(_mcids(element))
            yield from [TaggedBlock("heading", items, int(heading[1] or 1))] if items else []
        elif element.type == "Table" and not any(map(_is_layout, element.children)):
            rows = self._table(list(_rows(element)))
            yield from (block for each in element.children for block in self._captions(each))
            yield from [TaggedBlock("table", rows=rows)] if any(map(_is_written, rows)) else []
        elif element.type == "LI":
            yield from self._list_item(element, depth)
        else:
            yield from self._paragraphs(element, depth + (element.type == "L"))

    def _captions(self, element: StructureTreeElement) -> Iterator[TaggedBlock]:
        if element.type == "Caption":
            yield from self.blocks(element, 0)

    def _list_item(self, element: StructureTreeElement, depth: int) -> Iterator[TaggedBlock]:
        """Yield an item of a list; its first paragraph has the label."""
        for child in element.children:
            self.labels.update(_mcids(child) if child.type == "Lbl" else ())
        is_first = True
        for block in self._paragraphs(element, depth):
            if not is_first or block.kind not in {"paragraph", "text"}:
                yield block
                continue
            items, label = block.items, None
            if items[0].mcid in self.labels:
                label = _LABEL.match(items[0].text.lstrip())
            if label is not None:
                rest = items[0].text.lstrip()[label.end() :]
                items = [*([replace(items[0], text=rest)] if rest else []), *items[1:]]
            if items:
                is_first = False
                shown = label[0].strip() if label else ""
                yield TaggedBlock("list_item", items, max(0, depth - 1), shown)

    def _paragraphs(self, element: StructureTreeElement, depth: int) -> Iterator[TaggedBlock]:
        """Yield what stands in an element: its text, up to each block in it."""
        kind = "paragraph" if element.type == "P" else "text"
        run = list(element.marked_content_ids)
        for part, may_begin in _parts(element):
            is_block = _BLOCK.fullmatch(part.type) is not None
            if is_block or (may_begin and kind == "text" and self._begins_line(part, run)):
                yield from self._text(kind, run)
                run = []
            if is_block:
                yield from self.blocks(part, depth)
            else:
                run += part.marked_content_ids
        yield from self._text(kind, run)

    def _text(self, kind: str, mcids: Sequence[int]) -> Iterator[TaggedBlock]:
        items = self._found(mcids)
        if items:
            yield TaggedBlock(kind, items)

    def _begins_line(self, part: StructureTreeElement, before: Sequence[int]) -> bool:
        above = next((self._items[mcid] for mcid in reversed(before) if mcid in self._items), [])
        items = self._found(part.marked_content_ids)
        return bool(above and items) and not is_beside(above[-1], items[0])

    def _table(self, elements: Sequence[StructureTreeElement]) -> list[Row]:
        rows = [_row(element) for element in elements]
        columns = _Columns(
            [[each for cell in row.cells for each in self._found(cell.mcids)] for row in rows]
        )
        for row in rows:
            for at, cell in enumerate(row.cells):
                begun = [cell, *self._merged(row.cells[at + 1 :])]
                for item in self._found(cell.mcids):
                    for each, piece in zip(begun, columns.pieces(item, len(begun)), strict=False):
                        each.items.append(piece)
        return rows

    def _merged(self, cells: Sequence[Cell]) -> Iterator[Cell]:
        """Yield the cells that an item before them may go on into: no other one begins there."""
        for cell in cells:
            if self._found(cell.mcids):
                return
            if cell.mcids:
                yield cell

    def _found(self, mcids: Iterable[int]) -> list[TextItem]:
        """Return what is written in marked content, in the order of the page."""
        return [item for mcid in sorted(mcids) for item in self._items.get(mcid, [])]


def _row(element: StructureTreeElement) -> Row:
    found = [each for each in element.children if each.type in {"TH", "TD"}]
    cells = [
        Cell(frozenset(_mcids(each)), _span(each, "ColSpan"), _span(each, "RowSpan"))
        for each in found
    ]
    return Row(cells, all(each.type == "TH" for each in found))


class _Columns:
    """Where the words of a table stand, which shows where its columns begin.

    Texts that stand close to each other on a line are one item, even those of several cells.
    """

    def __init__(self, rows: Sequence[Sequence[TextItem]]) -> None:
        words = [[word for item in row for word in item.words] for row in rows]
        self._starts = Counter(x for row in words for x in {round(word.x) for word in row})
        self._taken: list[tuple[float, float]] = []
        for left, right in sorted((one.x, one.x + one.width) for row in words for one in row):
            begin, end = self._taken.pop() if self._taken else (left, right)
            if left > end:
                self._taken.append((begin, end))
                begin = left
            self._taken.append((begin, max(end, right)))

    def pieces(self, item: TextItem, most: int) -> Iterator[TextItem]:
        """Divide an item that goes over so many cells at most.

        A column begins where no row has a word across, and where most of the rows have one begin.
        """
        words = item.words
        if most == 1 or " ".join(word.text for word in words) != item.text:
            yield item
            return
        gaps = [
            (
                self._is_free(before, after),
                self._starts[round(after.x)],
                after.x - before.x - before.width,
                at,
            )
            for at, (before, after) in enumerate(pairwise(words), 1)
        ]
        cuts = sorted(at for *_, at in sorted(gaps, reverse=True)[: most - 1])
        for first, last in pairwise([0, *cuts, len(words)]):
            some = words[first:last]
            width = some[-1].x + some[-1].width - some[0].x
            text = " ".join(word.text for word in some)
            yield replace(item, text=text, x=some[0].x, width=width, words=some)

    def _is_free(self, before: WordBox, after: WordBox) -> bool:
        """Return whether no row has a word in all of the gap between two words."""
        left, right = before.x + before.width, after.x
        return not any(
            start <= left + _CLOSE and right - _CLOSE <= end for start, end in self._taken
        )


def _mcids(element: StructureTreeElement) -> Iterator[int]:
    yield from element.marked_content_ids
    for child in element.children:
        yield from _mcids(child)


def _parts(
    element: StructureTreeElement, *, may_begin: bool = False
) -> Iterator[tuple[StructureTreeElement, bool]]:
    """Yield the blocks and the pieces of text in an element.

    What has no tag of its own, but pieces, may be part of a line or begin one: browsers write both
    so.
    """
    for child in element.children:
        if _BLOCK.fullmatch(child.type):
            yield child, True
            continue
        begins = may_begin or (child.type == "NonStruct" and bool(child.children))
        if child.marked_content_ids:
            yield child, begins
        yield from _parts(child, may_begin=begins and not child.marked_content_ids)
        may_begin = False


def _rows(element: StructureTreeElement) -> Iterator[StructureTreeElement]:
    """Yield the rows of a table, and of its parts."""
    for child in element.children:
        if child.type == "TR":
            yield child
        elif child.type != "Caption":
            yield from _rows(child)


def _is_layout(element: StructureTreeElement) -> bool:
    """Return whether a table only arranges the page: it holds headings or tables."""
    is_one = element.type == "Table" or _HEADING.fullmatch(element.type) is not None
    return is_one or any(map(_is_layout, element.children))


def _is_written(row: Row) -> bool:
    return any(cell.items for cell in row.cells)


def _span(element: StructureTreeElement, name: str) -> int:
    given = element.attributes.get(name)
    return min(max(1, int(given)), MAX_SPAN) if isinstance(given, float) else 1
