"""An answer on the terminal: wrapped while it grows, harmless, with its sources under it."""

from io import StringIO
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from sourcebook.cli.answers import AnswerText, show_sources
from sourcebook.surfaces.chat.schemas import CitationOut

WIDTH = 30
ANSWER = (
    "A node is one process of a robot. [1] It has a name and one responsibility. [2]\n\n"
    "- It starts alone.\n- It ends alone. [1][2]"
)


def terminal(width: int = WIDTH) -> Console:
    return Console(
        file=StringIO(), force_terminal=True, color_system=None, width=width, soft_wrap=True
    )


def pipe() -> Console:
    return Console(file=StringIO(), force_terminal=False, width=WIDTH, soft_wrap=True)


def said(console: Console) -> str:
    screen = console.file
    assert isinstance(screen, StringIO)
    return screen.getvalue()


def written(console: Console, *pieces: str) -> str:
    text = AnswerText(console)
    for piece in pieces:
        text.write(piece)
    text.end()
    return said(console)


def source(**fields: object) -> CitationOut:
    """A source that differs in these fields."""
    known = {
        "number": 1,
        "source_url": "/docs/nodes#what",
        "page_title": "Lesson 1: Nodes",
        "section_heading": "What is a node?",
        "chunk_text": "A node is one process of a robot.",
        "relevance_score": 0.9,
        "char_start": 10,
        "char_end": 43,
        "line_start": 7,
        "line_end": 9,
        "source_file": "module-1/nodes.md",
        "chunk_id": "c1",
        "document_id": "d1",
        "lesson_url": "/docs/nodes#what",
    }
    return CitationOut(**(known | fields))  # type: ignore[arg-type]


def shown(*sources: CitationOut, selection: str | None = None, console: Console) -> list[str]:
    show_sources(sources, console, question="What is a node?", selection=selection)
    return said(console).splitlines()


def test_a_terminal_s_lines_end_between_words() -> None:
    lines = written(terminal(), ANSWER).splitlines()

    assert lines[:3] == [
        "A node is one process of a",
        "robot. [1] It has a name and",
        "one responsibility. [2]",
    ]
    assert lines[3:] == ["", "- It starts alone.", "- It ends alone. [1][2]"]


def test_a_pipe_gets_the_text_as_it_is() -> None:
    assert written(pipe(), ANSWER) == f"{ANSWER}\n"


@given(st.data())
def test_how_the_text_is_cut_into_pieces_changes_nothing(data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(ANSWER)))))
    ends = [0, *cuts, len(ANSWER)]
    pieces = [ANSWER[start:end] for start, end in pairwise(ends)]

    assert written(terminal(), *pieces) == written(terminal(), ANSWER)
    assert written(pipe(), *pieces) == written(pipe(), ANSWER)


@given(st.text(st.sampled_from("ab é日🤖[1] \n\t"), max_size=200))
def test_no_line_of_words_that_fit_is_wider_than_the_terminal(text: str) -> None:
    widest = max((cell_len(word) for word in text.split()), default=0)
    indents = max((len(line) - len(line.lstrip()) for line in text.splitlines()), default=0)

    lines = written(terminal(), text).splitlines()

    assert all(cell_len(line) <= max(WIDTH, widest + indents) for line in lines)
    assert "".join(text.split()) == "".join("".join(lines).split())


def test_complete_words_are_shown_before_the_next_piece_comes() -> None:
    console = terminal()
    text = AnswerText(console)

    text.write("A node is one pro")

    assert said(console) == "A node is one"


@pytest.mark.parametrize("steering", ["\x1b[2J", "\x1b]0;owned\x07", "\x9b31m", "\r", "\u202e"])
def test_no_text_can_steer_the_terminal(steering: str) -> None:
    console = terminal()
    evil = f"a{steering}b [bold]c[/]"

    written(console, evil)
    lines = shown(
        source(page_title=evil, section_heading=evil, chunk_text=evil, source_file=evil),
        console=console,
    )

    printed = "".join(lines)
    assert printed.isprintable()
    assert "[bold]c[/]" in printed


def test_nothing_said_is_no_line() -> None:
    assert written(terminal(), "", " \n") == ""


def test_the_end_is_written_once() -> None:
    console = pipe()
    text = AnswerText(console)
    text.write("Yes.")

    text.end()
    text.end()

    assert said(console) == "Yes.\n"


def test_a_source_shows_its_number_titles_lines_and_quote() -> None:
    assert shown(source(), console=pipe()) == [
        "",
        "[1] Lesson 1: Nodes › What is a node?",
        "    module-1/nodes.md:7-9",
        "    A node is one process of a robot.",
    ]


def test_one_line_is_named_once_and_a_heading_that_is_the_title_too() -> None:
    _, headline, place, *_ = shown(
        source(section_heading="Lesson 1: Nodes", line_end=7), console=pipe()
    )

    assert (headline, place) == ("[1] Lesson 1: Nodes", "    module-1/nodes.md:7")


def test_a_page_of_the_web_is_shown_with_its_address() -> None:
    url = "https://example.org/docs/nodes#what"

    in_a_file = shown(source(source_url=url), console=pipe())
    without = shown(
        source(source_url=url, source_file=None, line_start=None, line_end=None), console=pipe()
    )

    assert in_a_file[-1] == f"    {url}"
    assert without[2] == f"    {url}"
    assert "".join(without).count(url) == 1


def test_a_selection_is_named_as_it_was_given() -> None:
    lines = shown(
        source(source_url="selected_text", source_file=None), selection="notes.md", console=pipe()
    )

    assert lines[2] == "    notes.md:7-9"


def test_a_long_quote_is_cut_to_three_lines_of_the_terminal() -> None:
    quote = "Nothing of note. " * 20 + "A node is one process. " + "Nothing of note. " * 5

    lines = shown(source(chunk_text=quote), console=terminal(60))

    assert len(lines) == 3 + 3
    assert any("node" in line for line in lines[3:])
    assert all(cell_len(line) <= 60 for line in lines)


def test_a_document_without_an_address_is_named_by_its_collection_and_id() -> None:
    bare = source(source_url="", source_file=None, collection="robotics", document_id="n1")

    assert shown(bare, console=pipe())[2] == "    robotics/n1:7-9"
