"""Word, slides, electronic books, OpenDocument and reStructuredText: what stays of them."""

from sourcebook.providers.converters import epub, open_document, restructured_text, slides, word
from tests import document_files as make


def test_a_word_document_keeps_headings_paragraphs_and_tables() -> None:
    cells = "".join(
        f"<w:tr><w:tc>{make.word_paragraph(text)}</w:tc></w:tr>" for text in ("Part", "Arm")
    )
    body = (
        make.word_paragraph("Wren", "Heading1")
        + make.word_paragraph("A robot.")
        + make.word_paragraph("Parts", "Heading2")
        + f"<w:tbl>{cells}</w:tbl>"
    )

    text = word.convert(make.docx(body)).text

    assert text.startswith("# Wren\n\nA robot.\n\n## Parts\n\n| Part |")
    assert "| Arm " in text


def test_a_slide_is_a_section_that_knows_its_number() -> None:
    document = slides.convert(make.pptx([("Wren", "A robot"), ("Arms", "one\ntwo")], "Wave."))

    found = {place.slide: document.text[place.start : place.end] for place in document.locations}
    assert found[1] == "## Wren\n\nA robot"
    assert found[2] == "## Arms\n\n- one\n- two\n\nNotes: Wave."


def test_the_chapters_of_a_book_come_in_reading_order() -> None:
    content = make.epub({"b.xhtml": "<h1>One</h1><p>First.</p>", "a.xhtml": "<h1>Two</h1>"}, "Wren")

    document = epub.convert(content)

    assert document.text.split() == ["#", "One", "First.", "#", "Two"]
    assert document.title == "Wren"


def test_an_open_document_keeps_headings_lists_and_tables() -> None:
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    row = f"<table:table-row>{cell}</table:table-row>"
    inner = "<text:list><text:list-item><text:p>deep</text:p></text:list-item></text:list>"
    text = open_document.convert(
        make.odt(
            '<text:h text:outline-level="2">Wren</text:h><text:p>A<text:s/>robot.</text:p>'
            f"<text:list><text:list-item><text:p>one</text:p>{inner}</text:list-item></text:list>"
            f"<table:table>{row.format('Part')}{row.format('Arm')}</table:table>"
        )
    ).text

    assert text.startswith("## Wren\n\nA robot.\n\n- one\n  - deep\n\n| Part |\n| --- |\n| Arm |")


def test_restructured_text_keeps_sections_code_notes_and_anchors() -> None:
    document = restructured_text.convert(
        b"Wren\n====\n\nA :class:`~wren.Robot`, see :ref:`arms <a>`.\n\nIts arms\n--------\n\n"
        b".. versionadded:: 1.2\n   Both arms.\n\n.. code-block:: python\n\n   wave()\n"
    )

    assert document.text.startswith("# Wren\n\nA ")
    assert "see arms." in document.text
    assert "Both arms." in document.text
    assert "```\nwave()\n```" in document.text
    assert [place.anchor for place in document.locations] == ["its-arms"]


def test_restructured_text_reads_no_other_file() -> None:
    document = restructured_text.convert(
        b"Wren\n====\n\n.. include:: /etc/passwd\n\n.. raw:: html\n\n   <b>x</b>\n\nEnd.\n"
    )

    assert "root:" not in document.text
    assert document.text.split() == ["#", "Wren", "End."]
