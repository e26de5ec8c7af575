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
