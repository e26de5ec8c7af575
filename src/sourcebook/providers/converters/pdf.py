"""Converts PDFs: headings, paragraphs, lists and tables in reading order, with pages and boxes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from liteparse import LiteParse, ParseError
from liteparse.types import LayoutBlock, ParsedPage

from sourcebook.core.documents import Box, ConvertedDocument, Location
from sourcebook.core.errors import BookUnreadable
from sourcebook.providers.converters.hyphens import Spelling, read_spelling
from sourcebook.providers.converters.pdf_lines import Rectangle, around, divide, read_lines
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
    areas = ((page, around(block.bbox)) for page in pages for block in page.blocks or [])
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
    for part, lines in divide(*read_lines(page, block, text, spelling)):
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


def _boxes(page: ParsedPage, area: Rectangle | None) -> tuple[Box, ...]:
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
