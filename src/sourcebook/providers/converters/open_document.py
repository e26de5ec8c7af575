"""Converts OpenDocument texts (ODT): headings with their bookmarks, paragraphs, lists, tables."""

import xml.etree.ElementTree as ET
from dataclasses import dataclass, field, replace
from itertools import groupby

from sourcebook.core.documents import ConvertedDocument
from sourcebook.core.errors import BookUnreadable
from sourcebook.providers.converters.archives import open_archive, read_part
from sourcebook.providers.converters.text_builder import (
    TextBuilder,
    anchored,
    as_paragraph,
    table_head,
    table_row,
)

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_BOOKMARKS = frozenset({f"{_TEXT}bookmark", f"{_TEXT}bookmark-start"})
_MAX_LEVEL = 6
MAX_SPACES = 200
_CODE = frozenset({"Preformatted_20_Text", "Source_20_Code"})
# What is no text of the document, or stands elsewhere in it a second time.
_LEFT_OUT = frozenset(
    {f"{_TEXT}tracked-changes", f"{_TEXT}table-of-content", f"{_OFFICE}annotation", f"{_TEXT}note"}
)


def convert(content: bytes) -> ConvertedDocument:
    """Convert a document."""
    with open_archive(content) as archive:
        xml = read_part(archive, "content.xml")
    try:
        root = ET.fromstring(xml)  # noqa: S314 - open_archive refuses entities
    except ET.ParseError:
        raise BookUnreadable("The document is damaged; open it and save it again") from None
    body = root.find(f"{_OFFICE}body/{_OFFICE}text")
    writer = _Writer(TextBuilder(), _code_styles(root))
    writer.add_blocks(body if body is not None else root)
    document = writer.builder.build()
    return replace(document, locations=anchored(writer.anchors, len(document.text)))


def _code_styles(root: ET.Element) -> frozenset[str]:
    """Return the names of the styles for code, also of those that are made from them."""
    derived = (
        one.get(f"{_STYLE}name", "")
        for one in root.iter(f"{_STYLE}style")
        if one.get(f"{_STYLE}parent-style-name") in _CODE
    )
    return _CODE | frozenset(derived)


@dataclass(slots=True)
class _Writer:
    """Writes blocks, and notes where each bookmark of a heading stands."""

    builder: TextBuilder
    code_styles: frozenset[str]
    anchors: list[tuple[int, str]] = field(default_factory=list)

    def add_blocks(self, parent: ET.Element) -> None:
        """Add what stands below an element; lines of code that follow each other are one block."""
        for is_code, elements in groupby(parent, self._is_code):
            if is_code:
                lines = "\n".join(_text(element) for element in elements)
                self.builder.add(f"```\n{lines}\n```" if lines.strip() else "")
                continue
            for element in elements:
                self._add_block(element)

    def _is_code(self, element: ET.Element) -> bool:
        style = element.get(f"{_TEXT}style-name")
        return element.tag == f"{_TEXT}p" and style in self.code_styles

    def _add_block(self, element: ET.Element) -> None:
        if element.tag in _LEFT_OUT:
            return
        if element.tag == f"{_TEXT}h":
            level = min(int(element.get(f"{_TEXT}outline-level", "1")), _MAX_LEVEL)
            bookmark = _bookmark(element)
            if bookmark:
                self.anchors.append((self.builder.length, bookmark))
            self.builder.add(f"{'#' * level} {_words(element)}")
        elif element.tag == f"{_TEXT}p":
            self.builder.add(as_paragraph(_words(element)))
        elif element.tag == f"{_TEXT}list":
            self.builder.add("\n".join(_items(element, 0)))
        elif element.tag == f"{_TABLE}table":
            self.builder.add(_table(element))
        else:
            self.add_blocks(element)


def _bookmark(heading: ET.Element) -> str | None:
    """Return the name that leads to a heading, as in `manual.odt#name`."""
    named = (one.get(f"{_TEXT}name") for one in heading.iter() if one.tag in _BOOKMARKS)
    return next(filter(None, named), None)


def _items(list_: ET.Element, level: int) -> list[str]:
    lines: list[str] = []
    for item in list_:
        for part in item:
            if part.tag == f"{_TEXT}list":
                lines += _items(part, level + 1)
            else:
                lines.append(f"{'  ' * level}- {_words(part)}")
    return lines


def _table(table: ET.Element) -> str:
    rows = [
        [" ".join(map(_words, cell.iter(f"{_TEXT}p"))) for cell in row if _is_cell(cell)]
        for row in table.iter(f"{_TABLE}table-row")
    ]
    head, *body = rows or [[]]
    return "\n".join([table_head(head), *(table_row(row) for row in body)])


def _is_cell(element: ET.Element) -> bool:
    return element.tag == f"{_TABLE}table-cell"


def _words(element: ET.Element) -> str:
    """Return the text of an element in one line."""
    return " ".join(_text(element).split())


def _text(element: ET.Element) -> str:
    pieces = [element.text or ""]
    for child in element:
        if child.tag == f"{_TEXT}s":
            pieces.append(" " * _count(child))
        elif child.tag in {f"{_TEXT}tab", f"{_TEXT}line-break"}:
            pieces.append("\n" if child.tag == f"{_TEXT}line-break" else " ")
        elif child.tag not in _LEFT_OUT:
            pieces.append(_text(child))
        pieces.append(child.tail or "")
    return "".join(pieces)


def _count(spaces: ET.Element) -> int:
    """Return for how many spaces an element stands."""
    count = spaces.get(f"{_TEXT}c", "1")
    return min(int(count), MAX_SPACES) if count.isdecimal() else 1
