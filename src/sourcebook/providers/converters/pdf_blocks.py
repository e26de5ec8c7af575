"""The blocks of a page of a PDF as markdown: by its tags, or by its layout where it has none."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from liteparse.types import LayoutBlock, ParsedPage

from sourcebook.providers.converters.hyphens import Spelling
from sourcebook.providers.converters.pdf_lines import (
    Line,
    Rectangle,
    around,
    around_items,
    divide,
    join_lines,
    part_lines,
    read_lines,
)
from sourcebook.providers.converters.pdf_tags import TaggedBlock
from sourcebook.providers.converters.text_builder import (
    as_paragraph,
    clean,
    table_head,
    table_row,
)

# What stands before a text, the text, and its lines.
Written: TypeAlias = tuple[str, str, list[Line]]


@dataclass(frozen=True, slots=True)
class PageBlock:
    """A heading, a paragraph, an item of a list, or code."""

    kind: str
    before: str
    text: str
    lines: list[Line]

    def continues(self, _: "PageBlock | PageTable | None") -> bool:
        return False

    def written(self, *, with_head: bool) -> Iterator[Written]:
        """Yield the parts of a block: what stands apart from an item of a list is a paragraph."""
        if not self.text.strip():
            return
        before = self.before
        for part, lines in divide(self.text, self.lines):
            yield before, part, lines
            before = before if self.kind == "heading" else ""


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table, and where its rows stand."""

    rows: Sequence[list[str]]
    areas: Sequence[Rectangle | None]
    has_head: bool
    kind: str = "table"

    def continues(self, above: "PageBlock | PageTable | None") -> bool:
        """Return whether it goes on with a table at the end of the page before."""
        is_alike = isinstance(above, PageTable) and len(above.rows[0]) == len(self.rows[0])
        return is_alike and not self.has_head

    def written(self, *, with_head: bool) -> Iterator[Written]:
        """Yield the rows; the first one is the head of a markdown table."""
        first, *others = self.rows
        written = [table_head(first) if with_head else table_row(first), *map(table_row, others)]
        starts = [sum(len(each) + 1 for each in written[:at]) for at in range(len(written))]
        lines = [Line(start, area) for start, area in zip(starts, self.areas, strict=True)]
        yield "", "\n".join(written), lines


def layout_blocks(page: ParsedPage, spelling: Spelling) -> Iterator[PageBlock | PageTable]:
    """Yield the blocks that the layout of a page shows."""
    for block in page.blocks or []:
        if block.kind not in {"rule", "figure"}:
            yield _of_layout(page, block, spelling)


def _of_layout(page: ParsedPage, block: LayoutBlock, spelling: Spelling) -> PageBlock | PageTable:
    if block.kind in {"table", "grid_fallback"} and (block.header or block.rows):
        return _layout_table(block)
    before, text = _markdown(block)
    return PageBlock(block.kind, before, *read_lines(page, block, clean(text), spelling))


def _markdown(block: LayoutBlock) -> tuple[str, str]:
    """Return the mark before a block, and its text."""
    text = " ".join((block.text or "").split())
    match block.kind:
        case "heading":
            return _heading_mark(block.level), text
        case "list_item":
            return _list_mark(block.level or 0, block.marker if block.ordered else None), text
        case "code":
            return "", "\n".join(["```", *(block.lines or text.split("\n")), "```"])
        case _:
            return "", as_paragraph(text)


def _heading_mark(level: int | None) -> str:
    return "#" * min(level or 1, 6) + " "


def _list_mark(depth: int, label: str | None) -> str:
    number = (label or "").strip(".() ")
    return "  " * depth + (f"{number}. " if number.isdigit() else "- ")


def _layout_table(block: LayoutBlock) -> PageTable:
    rows = [*([block.header] if block.header else []), *(block.rows or [])]
    area = around(block.bbox)
    return PageTable(
        [[clean(cell.text) for cell in row] for row in rows],
        [area for _ in rows],
        has_head=block.header is not None,
    )


def tagged_blocks(
    page: ParsedPage, tags: Sequence[TaggedBlock], spelling: Spelling, *, has_headings: bool
) -> Iterator[PageBlock | PageTable]:
    """Yield the blocks that the tags of a page say it has.

    Code and tables that nobody tagged show in its layout, as headings do if none is tagged.
    """
    done: list[LayoutBlock] = []
    for tag in tags:
        shown = None
        if tag.kind in {"paragraph", "text"}:
            shown = _shown(page, tag, tags, has_headings=has_headings)
        if tag.kind == "table":
            yield _tagged_table(tag, spelling)
        elif shown is None:
            yield _tagged_block(page, tag, spelling)
        elif all(one is not shown for one in done):
            done.append(shown)
            yield _of_layout(page, shown, spelling)


def _shown(
    page: ParsedPage, tag: TaggedBlock, tags: Sequence[TaggedBlock], *, has_headings: bool
) -> LayoutBlock | None:
    """Return what the layout knows better of a text."""
    kinds = {"code", *(() if has_headings else ("heading",))}
    for block in page.blocks or []:
        area = around(block.bbox)
        if area is None or not all(map(area.holds, tag.items)):
            continue
        if block.kind in kinds:
            return block
        if block.kind == "table" and tag.kind == "text":
            others = (one for one in tags if one.kind != "text")
            if not any(area.holds(item) for one in others for item in one.all_items):
                return block
    return None


def _tagged_block(page: ParsedPage, block: TaggedBlock, spelling: Spelling) -> PageBlock:
    text, lines = join_lines(block.items, spelling)
    if block.kind != "heading":
        lines = part_lines(page, block.items, lines)
    match block.kind:
        case "heading":
            before = _heading_mark(block.level)
        case "list_item":
            before = _list_mark(block.level, block.label)
        case _:
            before = as_paragraph(text).removesuffix(text)
    return PageBlock(block.kind, before, text, lines)


def _tagged_table(block: TaggedBlock, spelling: Spelling) -> PageTable:
    """Place the cells in columns; one that spans several stands in the first of them."""
    placed = [dict[int, str]() for _ in block.rows]
    rows_left: dict[int, int] = {}
    for row, texts in zip(block.rows, placed, strict=True):
        rows_left = {column: left - 1 for column, left in rows_left.items() if left > 1}
        column = 0
        for cell in row.cells:
            while column in rows_left:
                column += 1
            texts[column] = join_lines(cell.items, spelling)[0]
            spanned = range(column, column + cell.columns)
            rows_left |= dict.fromkeys(spanned, cell.rows)
            column += cell.columns
    columns = range(1 + max(max(texts, default=0) for texts in placed))
    return PageTable(
        [[texts.get(column, "") for column in columns] for texts in placed],
        [around_items([item for cell in row.cells for item in cell.items]) for row in block.rows],
        has_head=block.rows[0].is_head,
    )
