"""Converts plain text: it is taken as it is, and only its encoding is found out."""

import codecs

from sourcebook.core.documents import ConvertedDocument
from sourcebook.core.errors import BookUnreadable
from sourcebook.providers.converters.text_builder import clean

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
FALLBACK = "windows-1252"


def convert(content: bytes) -> ConvertedDocument:
    """Decode a text file."""
    text, warnings = decode_text(content)
    return ConvertedDocument(clean(text), warnings=warnings)


def decode_text(content: bytes, declared: str | None = None) -> tuple[str, tuple[str, ...]]:
    """Decode by the mark at the beginning, what the file declares, UTF-8, else Windows-1252.

    BookUnreadable if it is no text.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _decoded(content, encoding).removeprefix("\ufeff"), ()
    if declared is not None and declared != FALLBACK:
        return _decoded(content, declared), ()
    try:
        return content.decode("utf-8"), ()
    except UnicodeDecodeError:
        text = content.decode(FALLBACK, errors="replace")
    if declared:
        return text, ()
    return text, ("The file is not UTF-8; it was read as Windows-1252. Save it as UTF-8",)


def _decoded(content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding, errors="replace")
    except (LookupError, UnicodeError):
        raise BookUnreadable(
            f"The file cannot be decoded as {encoding[:40]!r}; save it as UTF-8"
        ) from None
