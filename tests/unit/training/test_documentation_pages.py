"""How pages of documentation become passages."""

from training.documentation_pages import (
    MAX_LETTERS,
    MIN_LETTERS,
    is_fit,
    passages_of,
    pieces_of,
    sections_of,
)

SENTENCE = "The pump of the heron starts when the tank is full, and it stops when it is empty. "
PAGE = f"""<html><head><title>Pump — Heron 2 documentation</title></head><body>
<div class="related">Next Previous</div><div role="main">
<h1>3. Pump<a class="headerlink" href="#pump">¶</a></h1><p>{SENTENCE * 4}</p>
<h2>3.1 Valves</h2><p>A <a href="x.html">valve</a> &amp; its <code>ring</code>:</p>
<ul><li><p>opens</p></li><li><p>closes</p></li></ul>
<dl><dt>RING</dt><dd><p>Keeps the water in when the valve is closed.</p></dd></dl>
<pre>valve --open
valve --close</pre>
<h2>License</h2><p>{SENTENCE * 4}</p>
</div></body></html>"""


def test_a_section_has_the_path_of_its_headings_without_numbers_and_signs() -> None:
    headings = [section.heading for section in sections_of(PAGE)]

    assert headings == ["Pump", "Pump > Valves", "Pump > License"]


def test_a_page_without_a_heading_above_all_others_is_named_by_its_title() -> None:
    page = "<title>Heron - Manual</title><h2>One</h2><p>a</p><h2>Two</h2><p>b</p>"

    assert [one.heading for one in sections_of(page)] == ["Heron > One", "Heron > Two"]


def test_links_are_text_terms_lead_their_meaning_and_code_keeps_its_lines() -> None:
    valves = sections_of(PAGE)[1]

    assert valves.blocks == (
        "A valve & its `ring`:",
        "- opens",
        "- closes",
        "RING: Keeps the water in when the valve is closed.",
        "```\nvalve --open\nvalve --close\n```",
    )


def test_passages_are_sections_long_enough_that_are_no_licence() -> None:
    assert passages_of(PAGE) == [("Pump", (SENTENCE * 4).strip())]


def test_a_long_section_is_cut_at_blocks_into_pieces_of_about_the_same_length() -> None:
    pieces = list(pieces_of([SENTENCE * 5] * 6))

    assert len(pieces) == 2
    assert all(MIN_LETTERS <= len(piece) <= MAX_LETTERS for piece in pieces)


def test_a_piece_does_not_end_with_what_leads_on() -> None:
    blocks = [SENTENCE * 8, "It has two parts:", "- a valve", SENTENCE * 8]

    assert all(not piece.endswith(":") for piece in pieces_of(blocks))


def test_only_english_sentences_are_fit() -> None:
    assert is_fit(SENTENCE * 4)
    assert not is_fit("Die Pumpe des Reihers beginnt, sobald der Behälter voll ist. " * 6)
    assert not is_fit("\n".join(f"pump_{number} valve ring tank" for number in range(20)))
    assert not is_fit(SENTENCE * 4 + "All rights reserved.")
