"""Web pages: what is content, what stays of it, and where it stands."""

import pytest

from sourcebook.core.documents import ConvertedDocument
from sourcebook.core.errors import BookUnreadable
from sourcebook.providers.converters.html import convert, convert_page

PAGE = b"""<!doctype html><html><head><title>Wren | Robots</title></head><body>
<header>Robots Inc.</header><nav><a href="/">Home</a></nav>
<main>
<h1 id="wren">Wren</h1><p>Wren is a <b>robot</b>. <img src="w.png" alt="Wren at work"></p>
<section id="parts"><h2>Parts <a class="headerlink" href="#parts">#</a></h2>
<table><tr><th>Part</th><th>Mass</th></tr><tr><td>Arm</td><td>3 kg</td></tr></table></section>
<h2>Code</h2><pre><code class="language-py">wren.wave()</code></pre>
<ul><li>one</li><li>two</li></ul>
</main>
<footer>Imprint</footer><script>alert(1)</script></body></html>"""


def at(document: ConvertedDocument, anchor: str) -> str:
    """The text that stands under an anchor."""
    (place,) = [one for one in document.locations if one.anchor == anchor]
    return document.text[place.start : place.end]


def test_headings_tables_code_and_lists_are_kept() -> None:
    text = convert(PAGE).text

    assert "# Wren\n" in text
    assert "| Arm | 3 kg |" in " ".join(text.split())
    assert "```py\nwren.wave()\n```" in text
    assert "- one\n- two" in text


def test_what_frames_the_content_is_left_out() -> None:
    text = convert(PAGE).text

    assert "Robots Inc." not in text
    assert "Home" not in text
    assert "Imprint" not in text
    assert "alert" not in text
    assert "#parts" not in text


def test_a_page_without_a_main_part_is_read_without_its_frame() -> None:
    text = convert(b"<html><header>Top</header><h1>Jay</h1><p>A bird.</p><footer>End</footer>").text

    assert text == "# Jay\n\nA bird.\n"


def test_a_picture_is_replaced_by_what_it_is_called() -> None:
    text = convert(PAGE).text

    assert "Wren at work" in text
    assert "w.png" not in text


def test_an_anchor_counts_from_its_heading_to_the_next_one() -> None:
    document = convert(PAGE)

    assert at(document, "wren").startswith("# Wren\n\nWren is a **robot**.")
    assert "Arm" in at(document, "parts")
    assert "Arm" not in at(document, "wren")


@pytest.mark.parametrize("anchor", ["<a id='arms'></a>", "<a name=arms></a>\n"])
def test_an_empty_anchor_before_a_heading_is_the_headings(anchor: str) -> None:
    document = convert(f"<p>Wren.</p>{anchor}<h2>Arms</h2><p>Two.</p>".encode())

    assert at(document, "arms").split() == ["##", "Arms", "Two."]


def test_the_title_is_the_pages_own() -> None:
    assert convert(PAGE).title == "Wren | Robots"


@pytest.mark.parametrize("encoding", ["utf-8", "windows-1251", "utf-16"])
def test_the_encoding_that_a_page_declares_is_used(encoding: str) -> None:
    page = f'<html><meta charset="{encoding}"><p>Робот</p>'.encode(encoding)

    assert "Робот" in convert(page).text


def test_a_selector_chooses_the_content() -> None:
    text = convert_page(PAGE, "section#parts").text

    assert text.startswith("## Parts")
    assert "robot" not in text


@pytest.mark.parametrize("selector", ["article.missing", "[[["])
def test_a_selector_that_finds_nothing_is_a_problem(selector: str) -> None:
    with pytest.raises(BookUnreadable, match="selector"):
        convert_page(PAGE, selector)


def test_marks_of_our_own_in_a_page_mean_nothing() -> None:
    document = convert("<html><h1 id='a'>\ue0007\ue001Wren</h1><p>Text.</p>".encode())

    assert document.text == "# 7Wren\n\nText.\n"


def test_a_table_of_contents_is_no_content() -> None:
    text = convert(
        b"<h1>Wren</h1><div><p>Contents</p><ul><li><p><a href='#arms'>Arms</a></p>"
        b"<ul><li><a href='#hands'>Hands</a></li></ul></li></ul></div>"
        b"<div class=toc><div><a href='#legs'>1. Legs</a></div></div>"
        b"<h2 id=arms><a href='#arms'>Arms</a></h2><p>See <a href='#hands'>hands</a>.</p>"
    ).text

    assert text == "# Wren\n\nContents\n\n## [Arms](#arms)\n\nSee [hands](#hands).\n"


def test_a_list_of_links_that_a_sentence_leads_to_is_content() -> None:
    text = convert(
        b"<h1>Wren</h1><p>The parts are:</p><ul><li><a href='#arms'>Arms</a></li></ul>"
    ).text

    assert "The parts are:\n\n- [Arms](#arms)" in text


def test_a_menu_before_the_first_heading_is_left_out() -> None:
    text = convert(
        b"<div class=side><ul><li><a href='a.html'>Home</a><ul><li><a href='b.html'>News</a>"
        b"</li></ul></li></ul></div><h1>Wren</h1><ul><li><a href='c.html'>Parts</a></li></ul>"
    ).text

    assert text == "# Wren\n\n- [Parts](c.html)\n"


def test_a_list_of_links_is_all_that_a_page_without_headings_may_say() -> None:
    assert "Home" in convert(b"<ul><li><a href='a.html'>Home</a></li></ul>").text


def test_a_list_with_a_word_beside_its_links_is_no_menu() -> None:
    lists = "<ul><li><a href='a.html'>Home</a> here<ul><li><a href='b.html'>News</a></ul></ul>"

    text = convert(f"<div>{lists}</div><h1>Wren</h1>".encode()).text

    assert "[Home](a.html) here" in text
    assert "News" not in text


def test_a_sentence_deep_in_a_block_leads_to_the_list_after_it() -> None:
    text = convert(
        b"<h1>Wren</h1><div><p>See <b>this:</b></p><br></div><ul><li><a href='#a'>Arms</a></ul>"
    ).text

    assert "[Arms](#a)" in text


def test_a_definition_in_any_number_of_blocks_is_kept() -> None:
    blocks = "<div>" * 5_000

    assert convert(f"<dl><dt>Wren</dt><dd>{blocks}A robot.".encode()).text


def test_links_in_code_are_its_text() -> None:
    text = convert(b"<blockquote><pre><a href='c.html'>limit</a> = 10</pre></blockquote>").text

    assert "limit = 10" in text
    assert "c.html" not in text


def test_a_definition_list_is_written_as_one() -> None:
    text = convert(
        b"<dl><dt>\n-f\n</dt><dt>--force</dt><dd>\n<p>\nReplaces it.\n</p><p>Mind this.</p></dd>"
        b"<dt>Undo</dt><dd><pre>git reset</pre></dd></dl>"
    ).text

    assert text == "-f\n--force\n: Replaces it.\n\nMind this.\n\nUndo\n\n```\ngit reset\n```\n"


def test_raised_and_lowered_text_is_shown_by_signs() -> None:
    page = (
        "<p>2<sup>n</sup> keys of 10<sup>-3</sup> g, <i>v</i><sub>max</sub>, H<sub>2</sub>O, on the"
        " 1<sup>st</sup>.<sup><a href='#note'>[1]</a></sup></p>"
    )

    assert convert(page.encode()).text.startswith("2^n keys of 10^-3 g, *v*_max, H2O, on the 1st.")
