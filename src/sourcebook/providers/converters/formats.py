"""Tells the formats of files apart by their content, and declares the converter of each."""

import re

from sourcebook.core.ports import Certainty
from sourcebook.providers.converters.declaration import ConverterProvider, Recognize

# As much of a file shows what it is.
HEAD_BYTES = 4096
_HERE = "sourcebook.providers.converters"
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_HTML = re.compile(
    rb"\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head)\b", re.I | re.S
)
_TAG = re.compile(rb"<(?:h[1-6]|p|div|main|article|body|table|ul|section)\b[^<>]*>", re.I)
_NOTEBOOK = re.compile(rb'"nbformat(?:_minor)?"\s*:\s*\d')
_ZIP = b"PK\x03\x04"


def _is_text(content: bytes) -> bool:
    """Binary files have zero bytes early on; so does UTF-16, which begins with a mark."""
    return content.startswith(_BOMS) or b"\0" not in content[:HEAD_BYTES]


def _any_text(content: bytes) -> Certainty:
    return Certainty.POSSIBLE if _is_text(content) else Certainty.NONE


def _html(content: bytes) -> Certainty:
    head = content[:HEAD_BYTES].removeprefix(_BOMS[0])
    if _HTML.match(head):
        return Certainty.STRUCTURE
    return Certainty.POSSIBLE if _is_text(content) and _TAG.search(content) else Certainty.NONE


def _notebook(content: bytes) -> Certainty:
    begins = content[:HEAD_BYTES].lstrip().startswith(b"{")
    found = begins and b'"cells"' in content and _NOTEBOOK.search(content)
    return Certainty.STRUCTURE if found else Certainty.NONE


def _pdf(content: bytes) -> Certainty:
    """Some programs write a line before the mark, and readers look for it in the first KiB."""
    return Certainty.MAGIC_BYTES if b"%PDF-" in content[:1024] else Certainty.NONE


def _zip_with(part: bytes) -> Recognize:
    """Recognize a zip file by the name of one of its parts, which it holds as plain text."""
    return lambda content: (
        Certainty.MAGIC_BYTES if content.startswith(_ZIP) and part in content else Certainty.NONE
    )


PDF = ConverterProvider(3, (".pdf",), _pdf, f"{_HERE}.pdf:convert")
WORD = ConverterProvider(4, (".docx",), _zip_with(b"word/document.xml"), f"{_HERE}.word:convert")
SLIDES = ConverterProvider(
    1, (".pptx",), _zip_with(b"ppt/presentation.xml"), f"{_HERE}.slides:convert"
)
EPUB = ConverterProvider(
    4, (".epub",), _zip_with(b"mimetypeapplication/epub+zip"), f"{_HERE}.epub:convert"
)
OPEN_DOCUMENT = ConverterProvider(
    2,
    (".odt",),
    _zip_with(b"mimetypeapplication/vnd.oasis.opendocument.text"),
    f"{_HERE}.open_document:convert",
)
RESTRUCTURED_TEXT = ConverterProvider(3, (".rst",), _any_text, f"{_HERE}.restructured_text:convert")
HTML = ConverterProvider(4, (".html", ".htm", ".xhtml"), _html, f"{_HERE}.html:convert")
TEXT = ConverterProvider(1, (".txt", ".text"), _any_text, f"{_HERE}.text:convert")
TABLE = ConverterProvider(2, (".csv", ".tsv"), _any_text, f"{_HERE}.table:convert")
NOTEBOOK = ConverterProvider(1, (".ipynb",), _notebook, f"{_HERE}.notebook:convert")
