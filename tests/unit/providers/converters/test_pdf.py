"""PDFs: what stays of them, and on which page and where it stands."""

from pathlib import Path

import pytest

from sourcebook.core.documents import ConvertedDocument, Location, Span
from sourcebook.core.errors import BookUnreadable
from sourcebook.core.locations import locate
from sourcebook.providers.converters import pdf, pdf_pages
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


def test_headings_that_follow_each_other_stay_apart() -> None:
    body = [(12, "Wren has two arms, and each of them lifts a kilogram.")] * 3
    document = pdf.convert(
        make.pdf([[(18, "The hands of Wren"), (18, ""), (18, "Its fingers"), *body]])
    )

    assert document.text.startswith("# The hands of Wren\n\n# Its fingers\n\nWren has")
    assert where(document, "hands").boxes != where(document, "fingers").boxes


def test_a_heading_of_two_lines_stays_one() -> None:
    body = [(12, "Wren has two arms, and each of them lifts a kilogram.")] * 3
    lines = [(18, "How to make Wren wave with both of its arms"), (18, "at once"), *body]
    document = pdf.convert(make.pdf([lines]))

    assert document.text.startswith("# How to make Wren wave with both of its arms at once\n\n")
    assert len(where(document, "both of its arms at once").boxes) == 2


def test_a_hyphen_at_the_end_of_a_line_stays_if_the_word_has_it_elsewhere() -> None:
    lines = [
        (12, "The wrist-joint of Wren turns by half a circle, and the wrist-"),
        (12, "joint of its sister turns as far. Both have a battery-"),
        (12, "pack, and neither has a hand that could hold one."),
    ]
    document = pdf.convert(make.pdf([lines]))

    assert "the wrist-joint of its sister" in document.text
    assert "a battery-pack, and" in document.text
    assert len(where(document, "the wrist-joint of its sister").boxes) == 2


def test_names_with_underscores_keep_the_boxes_of_their_lines() -> None:
    lines = [
        (12, "The node publishes joint_states, which holds the angles of all"),
        (12, "joints. It reads max_speed and cmd_vel, which say how fast Wren"),
        (12, "may go, and where it goes."),
    ]
    document = pdf.convert(make.pdf([lines]))

    ((_, _, _, height),) = where(document, "may go, and where it goes").boxes
    assert height < 0.03


def test_an_item_of_a_list_has_a_box_for_each_line() -> None:
    lines = [
        (12, "- charge the battery with the cable that came with it, and with"),
        (12, "no other"),
    ]
    document = pdf.convert(make.pdf([[(12, "Before you start:"), *lines]]))

    assert len(where(document, "and with no other").boxes) == 2


def test_a_line_that_ends_early_ends_its_paragraph() -> None:
    lines = [
        (12, "Wren has two arms, and each of them lifts a kilogram of anything."),
        (12, "It has two legs."),
        (12, "Weight: 4 kg"),
        (12, "Height: 60 cm"),
        (12, "The battery lasts for six hours if Wren walks all day long, and for"),
        (12, "nine if it stands."),
    ]
    document = pdf.convert(make.pdf([[(18, "The robot called Wren"), *lines]]))

    assert document.text.split("\n\n")[1:] == [
        "Wren has two arms, and each of them lifts a kilogram of anything. It has two legs.",
        "Weight: 4 kg",
        "Height: 60 cm",
        "The battery lasts for six hours if Wren walks all day long, and for nine if it stands.\n",
    ]


def test_a_paragraph_after_a_list_is_none_of_its_items() -> None:
    lines = [
        (90, 720, "- charge it in the evening, and use the cable that came with"),
        (98, 704, "it, and no other"),
        (72, 688, "Wren then starts by itself, and says so in the morning."),
    ]
    drawn = "".join(f"BT /F1 12 Tf {x} {y} Td ({text}) Tj ET\n" for x, y, text in lines)
    content = make.pdf_of(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792]"
            " /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>",
            f"<< /Length {len(drawn)} >>\nstream\n{drawn}endstream",
        ]
    )

    assert pdf.convert(content).text == (
        "- charge it in the evening, and use the cable that came with it, and no other\n\n"
        "Wren then starts by itself, and says so in the morning.\n"
    )


def test_a_line_that_looks_like_markup_is_text() -> None:
    line = "# is what a comment of a shell begins with, and it is no heading of this page."
    document = pdf.convert(make.pdf([[(12, line), (12, "That is all there is to say of it.")]]))

    assert document.text.startswith("\\# is what")


def test_pages_that_are_not_read_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "MAX_PAGES", 3)
    words = ("arms", "legs", "eyes", "motors", "cables")
    many = pdf.convert(make.pdf([[(12, f"All about the {word}.")] for word in words]))

    assert many.warnings == ("Only the first 3 of its 5 pages were read; divide it",)


def test_an_empty_pdf_says_so() -> None:
    with pytest.raises(BookUnreadable, match="its pages are empty"):
        pdf.convert(make.pdf([[], []]))


def test_pages_that_are_pictures_are_known_by_their_numbers() -> None:
    picture = pdf_pages.draw(make.pdf(PAGES), 1)
    converted = pdf.convert(make.pdf([PAGES[1], picture, [], picture]))

    assert converted.unread_pages == (2, 4)  # the third one is empty


@pytest.fixture(scope="module")
def printed() -> ConvertedDocument:
    """What a browser prints: printed/tables.html says how."""
    return pdf.convert((Path(__file__).parent / "printed" / "tables.pdf").read_bytes())


def section(document: ConvertedDocument, title: str) -> str:
    """Return a chapter of the printed document without its title."""
    return document.text.partition(f"# {title}\n\n")[2].partition("\n# ")[0].rstrip()


def test_a_narrow_table_keeps_its_rows_and_columns(printed: ConvertedDocument) -> None:
    assert section(printed, "Brava") == (
        "## Boilers\n\nThe pressure rises with the size.\n\n"
        "| Size | Pressure | Power |\n| --- | --- | --- |\n"
        "| 1.8 l | 15 bar | 1200 W |\n| 2.4 l | 19 bar | 1450 W |\n\n"
        "## Cleaning\n\nClean it once a week with the powder that came with it."
    )


def test_two_tables_of_a_page_stay_apart(printed: ConvertedDocument) -> None:
    assert section(printed, "Corta") == (
        "## Sizes\n\n| Model | Weight |\n| --- | --- |\n| Corta S | 4 kg |\n\n"
        "Weights are without water.\n\n"
        "| Model | Width | Height |\n| --- | --- | --- |\n| Corta S | 20 cm | 31 cm |"
    )


def test_a_table_without_borders_and_a_list_are_read_by_their_tags(
    printed: ConvertedDocument,
) -> None:
    assert section(printed, "Dolce") == (
        "## Settings\n\n| Setting | Seconds |\n| --- | --- |\n| short | 20 |\n| long | 35 |\n\n"
        "## Care\n\n- Empty the tank\n\n- Dry the tray"
    )


def test_a_table_goes_on_after_the_end_of_its_page(printed: ConvertedDocument) -> None:
    rows = "\n".join(f"| {step} | {step / 10 + 0.1:.1f} mm |" for step in range(1, 13))

    assert section(printed, "Elba") == (
        f"## Grinding\n\n| Step | Grain |\n| --- | --- |\n{rows}\n\n## Storing\n\nKeep it dry."
    )
    assert where(printed, "0.2 mm").page == 4
    assert where(printed, "1.3 mm").page == 5


def test_the_box_of_a_row_is_that_of_its_cells(printed: ConvertedDocument) -> None:
    ((_, first, _, _),), ((_, second, _, height),) = (
        where(printed, row).boxes for row in ("15 bar", "19 bar")
    )

    assert first < second < first + 0.1
    assert height < 0.06
