"""Blocks are shown as they are read, and each marker stands at the end of what it covers."""

import pytest

from sourcebook.answering.blocks import block_around
from sourcebook.answering.citations import MAX_QUOTE_LENGTH
from sourcebook.answering.quotation import Quotation, plain_text
from tests.unit.answering.briefs import brief

NODE = "A node is a process. It computes."


def shown(text: str, word: str) -> tuple[str, Quotation]:
    told = brief({}, text)
    best = next(place for place, one in enumerate(told.quotable) if word in one.shown)
    quotation = Quotation(told.passages)
    block = block_around(told.quotable, best, 1_000)
    return "".join(quotation.text_of(told.quotable, [block])), quotation


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (NODE, f"{NODE} [1]"),
        ("Do:\n\n- saw it\n- tie it\n  - hard\n", "Do:\n\n- saw it\n- tie it\n   - hard [1]"),
        ("Do:\n\n1. Saw it.\n2. Tie it. Hard.\n", "Do:\n\n1. Saw it.\n2. Tie it. Hard. [1]"),
        ("| A | B |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n", "- A: 1; B: 2\n- A: 3; B: 4 [1]"),
        ("| A | B |\n|---|---|\n| 1 | 2 |\n", "A: 1; B: 2 [1]"),
        ("Run it:\n\n```sh\nheat\n```\n", "Run it:\n\n```sh\nheat\n```\n\n[1]"),
    ],
)  # fmt: skip
def test_a_block_is_shown_as_it_is_read(text: str, said: str) -> None:
    assert shown(text, said.split()[-2])[0] == said


def test_blocks_are_paragraphs_and_cite_their_own_passages() -> None:
    told = brief({}, NODE, "Topics carry messages.")
    quotation = Quotation(told.passages)
    blocks = [block_around(told.quotable, place, 100) for place in (0, 2)]

    said = list(quotation.text_of(told.quotable, blocks))

    assert said == [f"{NODE} [1]", "\n\nTopics carry messages. [2]"]
    assert [one.quote for one in quotation.sources.citations()] == [NODE, "Topics carry messages."]
    assert quotation.count == 3


def test_the_statement_that_answers_best_is_marked_in_its_citation() -> None:
    _, quotation = shown(NODE, "computes")

    [citation] = quotation.sources.citations()

    assert citation.statement is not None
    assert NODE[citation.statement.start : citation.statement.end] == "It computes."
    assert citation.statement_text == "It computes."


def test_what_is_too_long_for_one_quote_has_two_markers() -> None:
    text = " ".join(f"Boat {number} sails on the wide sea." for number in range(25))

    said, quotation = shown(text, "Boat 3 ")

    assert said.count("[1]") == said.count("[2]") == 1
    assert all(len(one.quote) <= MAX_QUOTE_LENGTH for one in quotation.sources.citations())


def test_no_picture_leaves() -> None:
    said, _ = shown(r"See !\[the boat\](https://boats.example/b.png) sail.", "boat")

    assert "![" not in said
    told = brief({}, "See `<img src=x>` and sail.")
    assert plain_text(told.quotable, block_around(told.quotable, 0, 100)) == told.quotable[0].shown
