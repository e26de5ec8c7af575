"""Converts PDFs: headings, paragraphs, lists and tables in reading order, with pages and boxes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypedDict, Unpack

from liteparse import LiteParse, ParseError
from liteparse.types import ParsedPage

from sourcebook.core.documents import Box, ConvertedDocument, Location
from sourcebook.core.errors import BookUnreadable
from sourcebook.providers.converters.hyphens import Spelling, read_spelling
from sourcebook.providers.converters.pdf_blocks import (
    PageBlock,
    PageTable,
    layout_blocks,
    tagged_blocks,
)
from sourcebook.providers.converters.pdf_lines import Rectangle, around
from sourcebook.providers.converters.pdf_tags import TagReader
from sourcebook.providers.converters.text_builder import TextBuilder

MAX_PAGES = 5_000
# Tesseract wants letters of about 30 pixels; a larger page takes longer.
OCR_DPI = 200.0
# As many pages are in memory at once.
BATCH_PAGES = 100


class _Options(TypedDict, total=False):
    """What differs between the ways to read a file."""

    ocr_enabled: bool
    ocr_language: str
    tessdata_path: str
    max_pages: int
    target_pages: str
    dpi: float
    extract_structure_tree: bool
    extract_text_metadata: bool
    extract_content_bounds: bool
    emit_word_boxes: bool


def convert(content: bytes) -> ConvertedDocument:
    """Convert a PDF. Its text is taken as it is: nothing is recognized in pictures."""
    parser = _parser(
        ocr_enabled=False,
        max_pages=MAX_PAGES,
        extract_structure_tree=True,
        extract_text_metadata=True,
        emit_word_boxes=True,
        extract_content_bounds=True,
    )
    builder = TextBuilder()
    pages = _Pages()
    tag_reader = TagReader()
    try:
        for batch in parser.parse_batches(content, BATCH_PAGES):
            pages.total = max(pages.total, batch.total_pages)
            spelling = _spelling(batch.result.pages)
            tagged = [(page, tag_reader.read(page)) for page in batch.result.pages]
            has_headings = any(
                block.kind == "heading" for _, tags in tagged for block in tags or []
            )
            for page, tags in tagged:
                blocks = (
                    layout_blocks(page, spelling)
                    if tags is None
                    else tagged_blocks(page, tags, spelling, has_headings=has_headings)
                )
                pages.add(page, blocks, builder)
    except ParseError as error:
        raise BookUnreadable(_explained(str(error))) from None
    finally:
        parser.close()
    if not builder.length and not pages.unread:
        raise BookUnreadable("It has no text: its pages are empty")
    document = builder.build(pages.title, tuple(pages.warnings()))
    return replace(document, unread_pages=tuple(pages.unread))


def recognize(content: bytes, page: int, language: str, tessdata: str) -> ConvertedDocument:
    """Recognize the text of a page that is a picture; BookUnreadable."""
    parser = _parser(
        ocr_enabled=True,
        ocr_language=language,
        tessdata_path=tessdata,
        target_pages=str(page),
        dpi=OCR_DPI,
    )
    builder = TextBuilder()
    try:
        found = parser.parse(content).pages
    except ParseError:
        raise BookUnreadable("Tesseract failed") from None
    for one in found:
        _Pages().add(one, layout_blocks(one, _spelling(found)), builder)
    return builder.build()


def _parser(**options: Unpack[_Options]) -> LiteParse:
    return LiteParse(
        quiet=True,
        num_workers=1,
        image_mode="off",
        extract_links=False,
        extract_blocks=True,
        **options,
    )


def _spelling(pages: Sequence[ParsedPage]) -> Spelling:
    """Look at the lines block by block: those of columns stand side by side on the page."""
    areas = ((page, around(block.bbox)) for page in pages for block in page.blocks or [])
    return read_spelling(
        [item.text for page, area in areas if area for item in page.text_items if area.holds(item)]
    )


@dataclass(slots=True)
class _Pages:
    """Writes pages, and collects those that show something and have no text."""

    total: int = 0
    read: int = 0
    unread: list[int] = field(default_factory=list)
    title: str | None = None
    last: PageBlock | PageTable | None = None

    def add(
        self, page: ParsedPage, blocks: Iterable[PageBlock | PageTable], builder: TextBuilder
    ) -> None:
        self.read += 1
        written = False
        for block in blocks:
            goes_on = not written and block.continues(self.last)
            for document in _documents(page, block, with_head=not goes_on):
                builder.add_document(document, goes_on=goes_on)
                written = True
                if block.kind == "heading" and self.title is None:
                    self.title = document.text.lstrip("# ")
            self.last = block
        if not written and page.content_bounds is not None:
            self.unread.append(page.page_num)

    def warnings(self) -> Iterator[str]:
        if self.total > self.read:
            yield f"Only the first {self.read:,} of its {self.total:,} pages were read; divide it"


def _documents(
    page: ParsedPage, block: PageBlock | PageTable, *, with_head: bool
) -> Iterator[ConvertedDocument]:
    """Yield a block as markdown, with the boxes of its lines."""
    for before, text, lines in block.written(with_head=with_head):
        starts = [len(before) + line.start for line in lines]
        starts[0] = 0
        ends = [*starts[1:], len(before) + len(text)]
        yield ConvertedDocument(
            before + text,
            tuple(
                Location(start, end, page.page_num, _boxes(page, line.area))
                for line, start, end in zip(lines, starts, ends, strict=True)
            ),
        )


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
