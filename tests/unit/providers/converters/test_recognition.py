"""Pages without text: they are named, and recognized if that is wanted."""

from dataclasses import replace
from pathlib import Path

import pytest

from sourcebook.core.documents import ConvertedDocument, Location
from sourcebook.core.errors import BookUnreadable
from sourcebook.providers.converters import pdf_pages
from sourcebook.providers.converters.conversion import InstalledConverters
from sourcebook.providers.converters.process import ConversionLimits, ConversionProcess
from sourcebook.providers.converters.recognition import (
    Language,
    PageRecognition,
    find_language,
    name_unread,
    tessdata_folders,
)
from sourcebook.providers.registry.registry import Registry
from tests import document_files as make

FIRST, LAST = [(12, "The battery lasts six hours.")], [(12, "The arms lift one kilogram.")]
ENGLISH = find_language("eng", tessdata_folders())
NO_DATA = Language("eng", "nowhere")
DOCUMENT = ConvertedDocument(
    "One.\n\nFour.\n",
    (Location(0, 4, page=1), Location(6, 11, page=4)),
    unread_pages=(2, 3),
)


async def answer(_: str, __: bytes, page: int, ___: Language) -> ConvertedDocument:
    """Recognize page 2, and fail at the others."""
    if page != 2:
        raise BookUnreadable("It took too long")
    return ConvertedDocument("Two.\n", (Location(0, 4, page=2),))


def test_pages_without_text_are_named() -> None:
    (warning,) = name_unread(replace(DOCUMENT, unread_pages=(2, 3, 7))).warnings

    assert warning.startswith("Pages 2-3, 7 have no text: what they show was not read")
    assert "SOURCEBOOK_OCR=tesseract" in warning


def test_a_file_of_pictures_alone_says_what_to_do() -> None:
    with pytest.raises(BookUnreadable, match="ocrmypdf"):
        name_unread(ConvertedDocument("", unread_pages=(1,)))


async def test_a_recognized_page_stands_between_those_beside_it() -> None:
    found = await PageRecognition(answer, NO_DATA).complete(DOCUMENT, b"")

    assert found.text == "One.\n\nTwo.\n\nFour.\n"
    shown = [(found.text[place.start : place.end], place.page) for place in found.locations]
    assert shown == [("One.", 1), ("Two.", 2), ("Four.", 4)]


async def test_a_page_that_fails_stays_unread_and_says_why() -> None:
    found = await PageRecognition(answer, NO_DATA).complete(DOCUMENT, b"")

    assert found.unread_pages == (3,)
    assert found.warnings == ("OCR of page 3 failed: It took too long",)


def test_all_languages_must_be_there(tmp_path: Path) -> None:
    (tmp_path / "eng.traineddata").touch()

    assert find_language("eng", [tmp_path]) == Language("eng", str(tmp_path))
    assert find_language("deu+eng", [tmp_path]) is None


@pytest.mark.skipif(ENGLISH is None, reason="Tesseract's data for English is not installed")
async def test_tesseract_reads_a_picture_in_the_process_with_limits() -> None:
    assert ENGLISH is not None
    picture = pdf_pages.draw(make.pdf([[(24, "Wren has two arms")]]), 1)
    content = make.pdf([FIRST, picture, LAST])
    process = ConversionProcess(ConversionLimits())
    recognition = PageRecognition(process.recognize, ENGLISH)
    converters = InstalledConverters(Registry(), process.convert, recognition)
    recognized = converters.recognize("wren.pdf", content)
    assert recognized is not None

    try:
        found = await converters.convert(recognized, content)
    finally:
        process.close()

    before, _, after = found.text.partition("Wren has two arms")
    assert "six hours" in before
    assert "one kilogram" in after
    assert not found.warnings
