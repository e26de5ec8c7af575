"""Converts OpenDocument texts (ODT): headings, paragraphs, lists and tables."""

import xml.etree.ElementTree as ET

from sourcebook.core.documents import ConvertedDocument
from sourcebook.core.errors import BookUnreadable
from sourcebook.providers.converters.archives import open_archive, read_part
from sourcebook.providers.converters.text_builder import TextBuilder, table_head, table_row

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_MAX_LEVEL = 6
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
    builder = TextBuilder()
    _add_blocks(builder, body if body is not None else root)
    return builder.build()


def _add_blocks(builder: TextBuilder, parent: ET.Element) -> None:
    for element in parent:
        if element.tag in _LEFT_OUT:
            continue
        if element.tag == f"{_TEXT}h":
            level = min(int(element.get(f"{_TEXT}outline-level", "1")), _MAX_LEVEL)
            builder.add(f"{'#' * level} {_words(element)}")
        elif element.tag == f"{_TEXT}p":
            builder.add(_words(element))
        elif element.tag == f"{_TEXT}list":
            builder.add("\n".join(_items(element, 0)))
        elif element.tag == f"{_TABLE}table":
            builder.add(_table(element))
        else:
            _add_blocks(builder, element)


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
        if child.tag in {f"{_TEXT}s", f"{_TEXT}tab", f"{_TEXT}line-break"}:
            pieces.append(" ")
        elif child.tag not in _LEFT_OUT:
            pieces.append(_text(child))
        pieces.append(child.tail or "")
    return "".join(pieces)
