"""PDFs: what stays of them, and on which page and where it stands."""

import pytest

from sourcebook.core.documents import ConvertedDocument, Location, Span
from sourcebook.core.errors import BookUnreadable
from sourcebook.core.locations import locate
from sourcebook.providers.converters import pdf
from tests import document_files as make

PAGES = [
    [
        (24, "Wren the robot"),
        (12, "Wren is a robot that was built in the year 2024 by a"),
        (12, "small team of engi-"),
        (12, "neers. It has two arms."),
    ],
    [(12, "The battery lasts six hours."), (12, "- charge it"), (12, "- keep it dry")],
]


@pytest.fixture(scope="module")
def document() -> ConvertedDocument:
    return pdf.convert(make.pdf(PAGES))


def where(document: ConvertedDocument, words: str) -> Location:
    start = document.text.index(words)
    found = locate(document.locations, Span(start, start + len(words)))
    assert found is not None
    return found


def test_headings_paragraphs_and_lists_are_kept(document: ConvertedDocument) -> None:
    assert document.text.startswith("# Wren the robot\n\nWren is a robot that was built")
    assert "team of engineers. It has two arms." in document.text
    assert "- charge it" in document.text
    assert document.title == "Wren the robot"


def test_a_quote_knows_its_page(document: ConvertedDocument) -> None:
    assert where(document, "two arms").page == 1
    assert where(document, "six hours").page == 2


def test_the_box_of_a_quote_is_that_of_its_line(document: ConvertedDocument) -> None:
    ((left, top, width, height),) = where(document, "It has two arms").boxes

    # The fourth line of the page, which is drawn 72 points from the left and 652.8 from below.
    baseline = 1 - 652.8 / make.PAGE_HEIGHT
    assert left < 72 / make.PAGE_WIDTH < left + width < 0.5
    assert top < baseline < top + height
    assert height < 0.03


def test_a_quote_over_several_lines_has_a_box_for_each(document: ConvertedDocument) -> None:
    assert len(where(document, "2024 by a small team of engineers.").boxes) == 3


def test_pages_that_are_not_read_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "MAX_PAGES", 3)
    words = ("arms", "legs", "eyes", "motors", "cables")
    many = pdf.convert(make.pdf([[(12, f"All about the {word}.")] for word in words]))

    assert many.warnings == ("Only the first 3 of its 5 pages were read; divide it",)


def test_a_pdf_of_pictures_says_what_to_do() -> None:
    with pytest.raises(BookUnreadable, match="ocrmypdf"):
        pdf.convert(make.pdf([[], []]))
