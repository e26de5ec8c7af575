"""No answer shows a picture; in code, where it is only text, it stays as it is."""

import pytest

from sourcebook.answering.pictures import PictureFilter


def filtered(*parts: str) -> str:
    pictures = PictureFilter()
    return "".join(map(pictures.without_pictures, parts))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("![a](https://evil.example/a)", "[a](https://evil.example/a)"),
        ("See ![a][1] and ![b].", "See [a][1] and [b]."),
        ("!!![a](u)", "[a](u)"),
        ("[![a](u)](v)", "[[a](u)](v)"),
        ("Open <img src=u> now.", "Open   now."),
        ("<IMG\nSRC=u>x", " x"),
        ("<svg/onload=u>x", " x"),
        ("<p style='background:url(u)'>x", " x"),
        ("<b background=u>x", " x"),
        ("<<img src=u>img src=v>x", "< img src=v>x"),
        ("!<img src=u>[a](u)", "! [a](u)"),
        ("<img src=u", " "),
        # A code span of several lines, of a cell, or behind a backslash may end elsewhere.
        ("`a\nb` ![a](u) `c`", "`a\nb` [a](u) `c`"),
        ("`a\n\n![a](u)`", "`a\n\n[a](u)`"),
        ("| `a | ![a](u)` |", "| `a | [a](u)` |"),
        ("\\`![a](u)`", "\\`[a](u)`"),
        ('<a title="`">![a](u)`', '<a title="`">[a](u)`'),
        ("`` a ` ![a](u) ` b", "`` a ` [a](u) ` b"),
        ("- ```\n![a](u)\n```", "- ```\n[a](u)\n```"),
        ("```\na\n```\n![a](u)\n```", "```\na\n```\n[a](u)\n```"),
        ("~~~\n![a](u)\n~~~", "~~~\n[a](u)\n~~~"),
    ],
)
def test_a_picture_becomes_a_link(text: str, left: str) -> None:
    assert filtered(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "Write `![alt](url)` to show a picture, or `<img src=url>`.",
        "```html\n<img src=url>\n![alt](url)\n```",
        "If a < b, a List<int>, <b>bold</b> and <https://a.example/> stay! [1]",
        "See [the manual](https://good.example/manual).",
    ],
)
def test_code_and_everything_else_stays(text: str) -> None:
    assert filtered(text) == text


def test_code_that_an_earlier_part_left_open_is_not_trusted() -> None:
    assert filtered("An odd ` here. ", "Now `![a](u)`.") == "An odd ` here. Now `[a](u)`."


@pytest.mark.parametrize("mark", ["!", "<", "`", "<a ", "![", "<img "])
def test_a_long_text_is_read_in_one_go(mark: str) -> None:
    assert len(filtered(mark * 200_000)) <= len(mark) * 200_000
