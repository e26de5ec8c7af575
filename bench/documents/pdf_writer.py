"""Writes PDFs of one or two columns, with headings, paragraphs, lists and code."""

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from tests.document_files import PAGE_HEIGHT, PAGE_WIDTH, pdf_of

from bench.documents.source import Block, SourceDocument

MARGIN = 60
GAP = 24
_SIZES = {1: 22, 2: 16, 3: 13}
_BODY, _CODE = 10, 9
_LEADING = 1.3
# The width of a letter in shares of its height: the mean of Helvetica, and that of Courier.
_WIDTH, _CODE_WIDTH = 0.52, 0.6
_FONTS = ("Helvetica", "Helvetica-Bold", "Courier")


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of text; `before` is the space above it."""

    text: str
    size: int
    font: int = 0
    indent: float = 0
    before: float = 0


def write_pdf(document: SourceDocument, columns: int = 1) -> bytes:
    """Write a document."""
    width = (PAGE_WIDTH - 2 * MARGIN - GAP * (columns - 1)) / columns
    lines = [line for block in document.blocks for line in _lines(block, width)]
    pages = list(_pages(lines, columns, width))
    fonts = " ".join(f"/F{at} {3 + at} 0 R" for at in range(len(_FONTS)))
    first = 3 + len(_FONTS)
    kids = " ".join(f"{first + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        *(
            f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>"
            for name in _FONTS
        ),
    ]
    for at, drawn in enumerate(pages):
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {PAGE_WIDTH} {PAGE_HEIGHT}]"
            f" /Resources << /Font << {fonts} >> >> /Contents {first + 1 + 2 * at} 0 R >>",
            f"<< /Length {len(drawn)} >>\nstream\n{drawn}endstream",
        ]
    return pdf_of(objects)


def _lines(block: Block, width: float) -> Iterator[_Line]:
    match block.kind:
        case "heading":
            size = _SIZES.get(block.level, 11)
            for at, text in enumerate(_wrapped(block.text, width, size, _WIDTH * 1.1)):
                yield _Line(text, size, 1, before=0 if at else size)
        case "code":
            for at, line in enumerate(block.text.split("\n")):
                for text in textwrap.wrap(line, int(width / (_CODE * _CODE_WIDTH))) or [""]:
                    yield _Line(text, _CODE, 2, before=0 if at else _CODE)
        case "item":
            for at, text in enumerate(_wrapped(block.text, width - 14, _BODY, _WIDTH)):
                yield _Line(text if at else f"- {text}", _BODY, 0, 14 if at else 8, 0 if at else 3)
        case "paragraph":
            for at, text in enumerate(_wrapped(block.text, width, _BODY, _WIDTH)):
                yield _Line(text, _BODY, before=0 if at else 6)


def _wrapped(text: str, width: float, size: int, letter: float) -> list[str]:
    return textwrap.wrap(text, int(width / (size * letter)), break_long_words=False)


def _pages(lines: list[_Line], columns: int, width: float) -> Iterator[str]:
    """Yield what is drawn on each page."""
    top = PAGE_HEIGHT - MARGIN
    drawn, column, y = "", 0, float(top)
    for line in lines:
        y -= line.before + line.size * _LEADING
        if y < MARGIN:
            column, y = column + 1, top - line.size * _LEADING
            if column == columns:
                yield drawn
                drawn, column = "", 0
        x = MARGIN + column * (width + GAP) + line.indent
        drawn += (
            f"BT /F{line.font} {line.size} Tf {x:.1f} {y:.1f} Td ({_escaped(line.text)}) Tj ET\n"
        )
    yield drawn


def _escaped(text: str) -> str:
    """Return a text as PDF writes it: letters beyond ASCII by their numbers."""
    pieces = [
        f"\\{byte:03o}" if byte > 126 or chr(byte) in "()\\" else chr(byte)
        for byte in text.encode("cp1252")
    ]
    return "".join(pieces)
