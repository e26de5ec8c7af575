"""Converts PDFs: headings, paragraphs, lists and tables in reading order, with pages and boxes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from liteparse import LiteParse, ParseError
from liteparse.types import AnnotationRect, LayoutBlock, ParsedPage, TextItem

from sourcebook.core.documents import Box, ConvertedDocument, Location
from sourcebook.core.errors import BookUnreadable
from sourcebook.providers.converters.hyphens import HYPHENS, Spelling, read_spelling
from sourcebook.providers.converters.text_builder import (
    TextBuilder,
    as_paragraph,
    clean,
    table_head,
    table_row,
)

MAX_PAGES = 5_000
# As many pages are in memory at once.
BATCH_PAGES = 100
# A box is so much larger than its words; it is drawn around them.
_MARGIN = 1.0
# How far lines of one heading are from each other, in sizes of their letters.
MAX_LEADING = 1.5
# A line that begins so much further left than a list is none of its items.
_INDENT = 3.0
# What the texts of blocks have a backslash before, and those of lines do not.
_ESCAPED = re.compile(r"[\\*_]")


def convert(content: bytes) -> ConvertedDocument:
    """Convert a PDF. Its text is taken as it is: nothing is recognized in pictures."""
    parser = LiteParse(
        ocr_enabled=False,
        quiet=True,
        max_pages=MAX_PAGES,
        num_workers=1,
        image_mode="off",
        extract_links=False,
        extract_blocks=True,
    )
    builder = TextBuilder()
    pages = _Pages()
    try:
        for batch in parser.parse_batches(content, BATCH_PAGES):
            pages.total = max(pages.total, batch.total_pages)
            spelling = _spelling(batch.result.pages)
            for page in batch.result.pages:
                pages.add(page, builder, spelling)
    except ParseError as error:
        raise BookUnreadable(_explained(str(error))) from None
    finally:
        parser.close()
    if not pages.with_text:
        raise BookUnreadable(
            "It has no text: its pages are pictures. Recognize their text first, for example with"
            " ocrmypdf"
        )
    return builder.build(pages.title, tuple(pages.warnings()))


def _spelling(pages: Sequence[ParsedPage]) -> Spelling:
    """Look at the lines block by block: those of columns stand side by side on the page."""
    areas = ((page, _around(block.bbox)) for page in pages for block in page.blocks or [])
    return read_spelling(
        [item.text for page, area in areas if area for item in page.text_items if area.holds(item)]
    )


@dataclass(slots=True)
class _Pages:
    """Writes pages, and counts those with text."""

    total: int = 0
    read: int = 0
    with_text: int = 0
    title: str | None = None

    def add(self, page: ParsedPage, builder: TextBuilder, spelling: Spelling) -> None:
        self.read += 1
        written = False
        for block in page.blocks or []:
            for document in _written(page, block, spelling):
                written = True
                builder.add_document(document)
                if block.kind == "heading" and self.title is None:
                    self.title = document.text.lstrip("# ")
        self.with_text += written

    def warnings(self) -> Iterator[str]:
        if self.total > self.read:
            yield f"Only the first {self.read:,} of its {self.total:,} pages were read; divide it"
        if self.with_text < self.read / 2:
            without = self.read - self.with_text
            yield (
                f"{without:,} of its {self.read:,} pages have no text: what they show was not"
                " read. Recognize their text first, for example with ocrmypdf"
            )


def _written(
    page: ParsedPage, block: LayoutBlock, spelling: Spelling
) -> Iterator[ConvertedDocument]:
    """Yield a block as markdown, with the box of each of its lines, or of the whole block."""
    before, text = _markdown(block)
    text = clean(text)
    if not text.strip():
        return
    for part, lines in _parts(*_lines(page, block, text, spelling)):
        starts = [len(before) + line.start for line in lines]
        starts[0] = 0
        ends = [*starts[1:], len(before) + len(part)]
        yield ConvertedDocument(
            before + part,
            tuple(
                Location(start, end, page.page_num, _boxes(page, line.area))
                for line, start, end in zip(lines, starts, ends, strict=True)
            ),
        )
        # What stands apart from an item of a list is a paragraph.
        before = before if block.kind == "heading" else ""


def _markdown(block: LayoutBlock) -> tuple[str, str]:
    """Return the mark before a block, and its text."""
    text = " ".join((block.text or "").split())
    match block.kind:
        case "heading":
            return "#" * min(block.level or 1, 6) + " ", text
        case "list_item":
            return "  " * (block.level or 0) + _marker(block), text
        case "code":
            return "", "\n".join(["```", *(block.lines or text.split("\n")), "```"])
        case "table" | "grid_fallback" if block.header or block.rows:
            return "", _table(block)
        case "rule" | "figure":
            return "", ""
        case _:
            return "", as_paragraph(text)


def _marker(block: LayoutBlock) -> str:
    number = (block.marker or "").strip(".() ")
    return f"{number}. " if block.ordered and number.isdigit() else "- "


def _table(block: LayoutBlock) -> str:
    rows = [[cell.text for cell in row] for row in block.rows or []]
    head = [cell.text for cell in block.header or []]
    if not head:
        head, rows = rows[0], rows[1:]
    return "\n".join([table_head(head), *(table_row(row) for row in rows)])


@dataclass(frozen=True, slots=True)
class _Rectangle:
    """A part of a page, in its own units, from the top left."""

    left: float
    top: float
    right: float
    bottom: float

    def holds(self, item: TextItem) -> bool:
        x, y = item.x + item.width / 2, item.y + item.height / 2
        return self.left <= x <= self.right and self.top <= y <= self.bottom


def _around(found: AnnotationRect | None) -> _Rectangle | None:
    if found is None:
        return None
    right, bottom = found.x + found.width, found.y + found.height
    return _Rectangle(found.x - _MARGIN, found.y - _MARGIN, right + _MARGIN, bottom + _MARGIN)


@dataclass(frozen=True, slots=True)
class _Line:
    """Where a line of a block begins in its text, and where it stands on the page.

    A line that `is_apart` begins something else, though the layout counts it to the block.
    """

    start: int
    area: _Rectangle | None
    is_apart: bool = False


def _lines(
    page: ParsedPage, block: LayoutBlock, text: str, spelling: Spelling
) -> tuple[str, list[_Line]]:
    """Return the text with its hyphens, and its lines; one line if they are not its text."""
    area = _around(block.bbox)
    whole = text, [_Line(0, area)]
    if area is None or block.kind not in {"heading", "paragraph", "list_item"}:
        return whole
    found: list[_Line] = []
    items: list[TextItem] = []
    reached = 0
    for item in page.text_items:
        words = _words(item, block.marker if not items else None)
        # The box of a heading is that of its first line.
        goes_on = bool(found) and text[reached:].lstrip().startswith(words)
        if not words or not (area.holds(item) or goes_on):
            continue
        items.append(item)
        start = text.find(words, reached)
        if start < 0:
            # At the end of a line a word may have been divided.
            words = words.rstrip(HYPHENS)
            start = text.find(words, reached)
            end = start + len(words)
            is_plain = item.text.rstrip().endswith("-")  # the others are made for the ends of lines
            if start >= 0 and is_plain and spelling.keeps_hyphen(text[:end], text[end:]):
                words, text = f"{words}-", f"{text[:end]}-{text[end:]}"
        if start < 0:
            if _is_marker(words):
                continue
            return whole
        box = AnnotationRect(item.x, item.y, item.width, item.height)
        is_apart = bool(found) and _is_apart(block.kind, items)
        found.append(_Line(start, _around(box), is_apart))
        reached = start + len(words)
    return (text, found) if found else whole


def _words(item: TextItem, marker: str | None) -> str:
    """Return the words of a line as the text of its block has them."""
    words = " ".join(item.text.split())
    if marker and len(words) > len(marker):
        words = words.removeprefix(marker).lstrip()
    return _ESCAPED.sub(r"\\\g<0>", words)


def _is_apart(kind: str, items: Sequence[TextItem]) -> bool:
    """Return whether the last line is another heading, or left of the list that it follows."""
    above, item = items[-2:]
    if kind == "heading":
        size = above.font_size or above.height
        return item.y + item.height - above.y - above.height > MAX_LEADING * size
    left = items[0].x - _INDENT
    return kind == "list_item" and item.x < left <= above.x


def _parts(text: str, lines: Sequence[_Line]) -> Iterator[tuple[str, list[_Line]]]:
    """Divide a block where its lines stand apart."""
    begins = [0, *(at for at, line in enumerate(lines) if line.is_apart), len(lines)]
    for first, last in pairwise(begins):
        begin = lines[first].start if first else 0
        end = lines[last].start if last < len(lines) else len(text)
        moved = [replace(line, start=line.start - begin) for line in lines[first:last]]
        yield text[begin:end].strip(), moved


def _is_marker(words: str) -> bool:
    return len(words) <= 3  # a bullet or a number, which is no text of a list item


def _boxes(page: ParsedPage, area: _Rectangle | None) -> tuple[Box, ...]:
    if area is None or not page.width or not page.height:
        return ()
    left, top = max(0.0, area.left / page.width), max(0.0, area.top / page.height)
    right, bottom = min(1.0, area.right / page.width), min(1.0, area.bottom / page.height)
    if right <= left or bottom <= top:
        return ()
    return ((round(left, 4), round(top, 4), round(right - left, 4), round(bottom - top, 4)),)


def _explained(reason: str) -> str:
    if "password" in reason.lower() or "encrypt" in reason.lower():
        return "It is locked with a password; save it without one"
    return "It is no PDF that can be read: it is damaged or cut off; open it and save it again"
