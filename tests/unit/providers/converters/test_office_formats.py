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


def test_a_table_of_contents_of_a_word_document_is_no_content() -> None:
    line = '<w:p><w:hyperlink w:anchor="arms"><w:r><w:t>Arms 2</w:t></w:r></w:hyperlink></w:p>'
    body = line + make.word_paragraph("Arms", "Heading1") + make.word_paragraph("It has two.")

    assert word.convert(make.docx(body)).text == "# Arms\n\nIt has two.\n"


def test_a_bookmark_before_a_heading_of_a_word_document_is_its_anchor() -> None:
    body = (
        '<w:bookmarkStart w:id="1" w:name="the-arms"/>'
        + make.word_paragraph("Arms", "Heading1")
        + '<w:bookmarkEnd w:id="1"/>'
        + make.word_paragraph("Wren has two.")
    )

    (place,) = word.convert(make.docx(body)).locations

    assert (place.start, place.anchor) == (0, "the-arms")


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


def test_the_anchors_of_a_book_name_the_file_of_the_chapter() -> None:
    chapters = {
        "a.xhtml": "<p>Before.</p><h1 id='wren'>Wren</h1><p>A robot.</p>",
        "b.xhtml": "<h1>Arms</h1><p>Two.</p>",
        "empty.xhtml": "",
    }
    document = epub.convert(make.epub(chapters))

    found = {place.anchor: document.text[place.start : place.end] for place in document.locations}
    assert {anchor: text.split() for anchor, text in found.items()} == {
        "OEBPS/a.xhtml": ["Before."],
        "OEBPS/a.xhtml#wren": ["#", "Wren", "A", "robot."],
        "OEBPS/b.xhtml": ["#", "Arms", "Two."],
    }


def test_the_bookmark_of_an_open_documents_heading_is_its_anchor() -> None:
    document = open_document.convert(
        make.odt(
            '<text:h><text:bookmark-start text:name="wren"/>Wren</text:h><text:p>A robot.</text:p>'
            "<text:h>Arms</text:h><text:p>Two.</text:p>"
        )
    )

    (place,) = document.locations
    assert (place.start, place.end, place.anchor) == (0, len(document.text), "wren")


def test_the_code_of_an_open_document_is_code() -> None:
    line = '<text:p text:style-name="{}">{}</text:p>'
    derived = '<style:style style:name="P1" style:parent-style-name="Preformatted_20_Text"/>'
    document = open_document.convert(
        make.odt(
            derived
            + line.format("P1", "# wave")
            + line.format("Preformatted_20_Text", '<text:s text:c="2"/>arm.wave()')
            + "<text:p># no heading</text:p>"
        )
    )

    assert document.text == "```\n# wave\n  arm.wave()\n```\n\n\\# no heading\n"


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
