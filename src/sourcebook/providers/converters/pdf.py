"""Converts PDFs: headings, paragraphs, lists and tables in reading order, with pages and boxes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from liteparse import LiteParse, ParseError
from liteparse.types import AnnotationRect, LayoutBlock, ParsedPage, TextItem

from sourcebook.core.documents import Box, ConvertedDocument, Location
from sourcebook.core.errors import BookUnreadable
from sourcebook.providers.converters.text_builder import TextBuilder, clean, table_head, table_row

MAX_PAGES = 5_000
# As many pages are in memory at once.
BATCH_PAGES = 100
# A box is so much larger than its words; it is drawn around them.
_MARGIN = 1.0


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
            for page in batch.result.pages:
                pages.add(page, builder)
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


@dataclass(slots=True)
class _Pages:
    """Writes pages, and counts those with text."""

    total: int = 0
    read: int = 0
    with_text: int = 0
    title: str | None = None

    def add(self, page: ParsedPage, builder: TextBuilder) -> None:
        self.read += 1
        blocks = page.blocks or []
        written = [_written(page, block) for block in blocks]
        self.with_text += any(document.text for document in written)
        for block, document in zip(blocks, written, strict=True):
            if document.text:
                builder.add_document(document)
            if block.kind == "heading" and self.title is None:
                self.title = block.text

    def warnings(self) -> Iterator[str]:
        if self.total > self.read:
            yield f"Only the first {self.read:,} of its {self.total:,} pages were read; divide it"
        if self.with_text < self.read / 2:
            without = self.read - self.with_text
            yield (
                f"{without:,} of its {self.read:,} pages have no text: what they show was not"
                " read. Recognize their text first, for example with ocrmypdf"
            )


def _written(page: ParsedPage, block: LayoutBlock) -> ConvertedDocument:
    """Return a block as markdown, with the box of each of its lines, or of the whole block."""
    before, text = _markdown(block)
    text = clean(text)
    if not text.strip():
        return ConvertedDocument("")
    lines = _lines(page, block, text) or [(0, _around(block.bbox))]
    starts = [len(before) + start for start, _ in lines]
    starts[0] = 0
    ends = [*starts[1:], len(before) + len(text)]
    return ConvertedDocument(
        before + text,
        tuple(
            Location(start, end, page.page_num, _boxes(page, rectangle))
            for (_, rectangle), start, end in zip(lines, starts, ends, strict=True)
        ),
    )


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
            return "", text


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


def _lines(
    page: ParsedPage, block: LayoutBlock, text: str
) -> Sequence[tuple[int, _Rectangle | None]]:
    """Return where each line of a block begins in its text; none if the lines are not its text."""
    area = _around(block.bbox)
    if area is None or block.kind not in {"heading", "paragraph", "list_item"}:
        return []
    found: list[tuple[int, _Rectangle | None]] = []
    reached = 0
    for item in page.text_items:
        words = " ".join(item.text.split())
        if not words or not area.holds(item):
            continue
        # At the end of a line a word may have been divided.
        start = text.find(words, reached)
        if start < 0:
            words = words.rstrip("-\u00ad\u2010")
            start = text.find(words, reached)
        if start < 0:
            return [] if not _is_marker(words) else found
        box = AnnotationRect(item.x, item.y, item.width, item.height)
        found.append((start, _around(box)))
        reached = start + len(words)
    return found


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
