"""A file in another encoding is refused in words that say which one it seems to be."""

import pytest

from sourcebook.core.errors import InvalidInput
from sourcebook.ingestion.book.encoding import decode

GERMAN = "Ein Gelenk lässt sich über einen Motor führen.\n"


@pytest.mark.parametrize("text", ["", "plain\r\n", "Größe 🤖\n", "\ufeffwith a mark\n"])
def test_utf_8_is_read_character_for_character(text: str) -> None:
    assert decode(text.encode()) == text


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (GERMAN.encode("utf-16"), "(byte 0): it looks like UTF-16; save it as UTF-8"),
        (b"\xfe\xff" + GERMAN.encode("utf-16-be"), "it looks like UTF-16; save"),
        (GERMAN.encode("utf-32"), "it looks like UTF-32; save"),
        (GERMAN.encode("latin-1"), "(byte 12): it looks like an 8-bit encoding such as Latin-1;"),
        ("He said “yes” – for 5 €.".encode("cp1252"), "an 8-bit encoding such as Windows-1252;"),
    ],
    ids=["utf-16", "utf-16 big-endian", "utf-32", "latin-1", "windows-1252"],
)
def test_another_encoding_is_named(content: bytes, says: str) -> None:
    with pytest.raises(InvalidInput, match="The file is not UTF-8 text") as refused:
        decode(content)

    assert says in refused.value.message


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe odd!",
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
        "Ένα ρομπότ".encode("iso-8859-7"),
        b"text with \x81 and \x9d",
    ],
    ids=["a mark and no UTF-16", "a picture", "mostly high bytes", "bytes of no encoding"],
)
def test_what_leaves_a_doubt_is_not_named(content: bytes) -> None:
    with pytest.raises(InvalidInput) as refused:
        decode(content)

    assert refused.value.message.endswith("): save it as UTF-8")
