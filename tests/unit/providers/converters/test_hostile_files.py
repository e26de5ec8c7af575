"""Files that are made to do harm, or have come to harm: each is one sentence, and nothing more."""

import pytest

from sourcebook.core.errors import BookUnreadable
from sourcebook.providers.converters import (
    archives,
    epub,
    html,
    open_document,
    pdf,
    slides,
    table,
    word,
)
from tests import document_files as make

LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
GOOD_PDF = make.pdf([[(12, "Wren is a robot.")]])
LOCK = (
    "/Encrypt << /Filter /Standard /V 1 /R 2 /P -4"
    f" /O <{'41' * 32}> /U <{'42' * 32}> >> /ID [<{'00' * 16}> <{'00' * 16}>]"
)


def test_a_zip_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_UNPACKED_BYTES", 1_000_000)
    bomb = make.docx("", **{"word/media/image.bin": "\0" * 1_000_001})
    assert len(bomb) < 10_000

    with pytest.raises(BookUnreadable, match="Unpacked, it has"):
        word.convert(bomb)


def test_a_document_of_very_many_parts_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_PARTS", 10)
    many = make.docx("", **{f"word/{at}.bin": "" for at in range(11)})

    with pytest.raises(BookUnreadable, match="15 parts"):
        word.convert(many)


def test_entities_are_never_expanded() -> None:
    with pytest.raises(BookUnreadable, match="entities"):
        word.convert(make.docx(make.word_paragraph("&b;"), prolog=LAUGHS))


def test_a_reference_to_another_file_is_not_followed() -> None:
    picture = (
        '<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/'
        '2006/wordprocessingDrawing"><wp:docPr descr="secret"/><a:graphic xmlns:a="http://schemas.'
        'openxmlformats.org/drawingml/2006/main"><a:graphicData><pic:pic xmlns:pic="http://schemas.'
        'openxmlformats.org/drawingml/2006/picture"><pic:blipFill><a:blip xmlns:r="http://schemas.'
        'openxmlformats.org/officeDocument/2006/relationships" r:link="rId9"/></pic:blipFill>'
        "</pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"
    )
    relationships = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="rId9" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
        'relationships/image" Target="file:///etc/passwd" TargetMode="External"/></Relationships>'
    )
    content = make.docx(
        make.word_paragraph("Wren") + picture,
        **{"word/_rels/document.xml.rels": relationships},
    )

    assert "root" not in word.convert(content).text


def test_macros_are_no_text() -> None:
    content = make.docx(
        make.word_paragraph("Wren"), **{"word/vbaProject.bin": "Sub AutoOpen() Shell evil"}
    )

    assert word.convert(content).text == "Wren\n"


@pytest.mark.parametrize("convert", [word.convert, slides.convert, epub.convert])
def test_a_file_that_is_cut_off_says_so(convert: object) -> None:
    content = make.pptx([("Wren", "A robot")])[:2_000]
    assert callable(convert)

    with pytest.raises(BookUnreadable, match="damaged"):
        convert(content)


@pytest.mark.parametrize("content", [GOOD_PDF[:200], b"%PDF-1.7\n" + b"\xff" * 500])
def test_a_pdf_that_is_damaged_is_one_sentence(content: bytes) -> None:
    with pytest.raises(BookUnreadable, match=r"damaged|no text"):
        pdf.convert(content)


def test_a_pdf_with_a_password_says_so() -> None:
    with pytest.raises(BookUnreadable, match="password"):
        pdf.convert(make.pdf([[(12, "Wren is a robot.")]], extra=LOCK))


def test_an_epub_that_points_outside_of_itself_is_damaged() -> None:
    book = make.epub({"../../../../etc/passwd": "<p>x</p>"})

    with pytest.raises(BookUnreadable, match="cannot be read"):
        epub.convert(book.replace(b"OEBPS/..", b"OEBPS/xx"))


def test_deep_nesting_ends_in_an_error_that_the_process_reports() -> None:
    deep = "<text:section>" * 5_000 + "<text:p>x</text:p>" + "</text:section>" * 5_000

    with pytest.raises(RecursionError):
        open_document.convert(make.odt(deep))


def test_a_page_of_deeply_nested_elements_is_read_or_cut() -> None:
    page = b"<html><body>" + b"<div>" * 2_000 + b"Wren is a robot." + b"</div>" * 2_000

    assert len(html.convert(page).text) < 100


def test_a_field_without_end_is_one_sentence() -> None:
    with pytest.raises(BookUnreadable, match="after row"):
        table.convert(b'a,b\n"' + b"x" * 200_000)
