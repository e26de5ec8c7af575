"""Decodes the files of a book, which are UTF-8, and names another encoding where it shows."""

import codecs

from sourcebook.core.errors import InvalidInput
from sourcebook.core.text import check_text

# The longer marks first: UTF-32's begins with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
# Bytes that Windows-1252 has as punctuation where Latin-1 has control characters; the other five of
# that range mean nothing in either.
_WINDOWS_ONLY = frozenset(range(0x80, 0xA0)) - {0x81, 0x8D, 0x8F, 0x90, 0x9D}
_TEXT_CONTROLS = frozenset(b"\t\n\r\f")
# Text in a Western language has few letters with accents; another encoding has more high bytes.
MAX_HIGH_SHARE = 0.3


def decode(content: bytes) -> str:
    """Decode a file; InvalidInput, with the encoding that it seems to be, if it is not UTF-8."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        seems = seeming_encoding(content)
        advice = "save it as UTF-8" if seems is None else f"it looks like {seems}; save it as UTF-8"
        raise InvalidInput(f"The file is not UTF-8 text (byte {error.start}): {advice}") from None
    check_text(text, "file")
    return text


def seeming_encoding(content: bytes) -> str | None:
    """Name the encoding of bytes that are not UTF-8, if they leave little doubt."""
    for mark, name in _MARKS:
        if content.startswith(mark):
            return name if _decodes(content, name) else None
    high = [byte for byte in content if byte >= 0x80]
    controls = {byte for byte in content if byte < 0x20} - _TEXT_CONTROLS
    if controls or len(high) > MAX_HIGH_SHARE * len(content):
        return None
    unusual = {byte for byte in high if byte < 0xA0}
    if not unusual:
        return "an 8-bit encoding such as Latin-1"
    return "an 8-bit encoding such as Windows-1252" if unusual <= _WINDOWS_ONLY else None


def _decodes(content: bytes, encoding: str) -> bool:
    try:
        content.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
