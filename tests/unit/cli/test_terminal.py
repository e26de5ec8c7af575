"""Text of others cannot steer the terminal."""

from io import StringIO

import pytest
from rich.console import Console

from sourcebook.cli.search import show_results
from sourcebook.cli.terminal import counted, nothing_indexed, strip_controls
from sourcebook.surfaces.book.schemas import ExplainOut, StageScoreOut
from tests.unit.cli.replies import chunk, found


@pytest.mark.parametrize(
    "steering", ["\x1b[2J", "\x07", "\x9b31m", "\x00", "\u202e", "\r\n", "\x7f"]
)
def test_control_characters_are_left_out(steering: str) -> None:
    assert strip_controls(f"a{steering}b").isprintable()


def test_ordinary_text_is_untouched() -> None:
    assert strip_controls("Größe › 130° 日本 🤖") == "Größe › 130° 日本 🤖"


def test_a_result_with_markup_and_escapes_is_shown_as_text() -> None:
    screen = StringIO()
    console = Console(file=screen, force_terminal=True, width=80, markup=False, emoji=False)
    evil = "[bold red]knee[/] \x1b]0;owned\x07 \x1b[2J :smile: [link=http://x]y[/link]"

    show_results(
        found("knee", chunk(text=evil, lesson_title=f"T {evil}", source_file=f"{evil}.md")), console
    )

    said = screen.getvalue()
    assert "[bold red]" in said
    assert ":smile:" in said
    assert "\x1b]0;" not in said
    assert "\x1b[2J" not in said
    assert "\x07" not in said


def test_a_search_is_explained_under_each_result_and_at_the_end() -> None:
    screen = StringIO()
    reply = found("knee", chunk())
    reply.explain = ExplainOut(
        mode="hybrid",
        embedding_ms=6.42,
        terms_ms=0.1,
        index_ms=1.2,
        ledger_ms=0.8,
        rounds=1,
        results=[
            StageScoreOut(
                chunk_id="c1",
                dense_rank=3,
                cosine=0.512,
                keyword_rank=1,
                bm25=9.4,
                rank=1,
                score=0.591,
            )
        ],
    )

    show_results(reply, Console(file=screen, width=120))

    said = screen.getvalue()
    assert "meaning: #3 (0.512)   words: #1 (9.400)   score: #1 (0.591)" in said
    assert said.endswith(
        "hybrid search, embedding 6.4 ms, terms 0.1 ms, index 1.2 ms, ledger 0.8 ms, 1 round\n"
    )


def test_numbers_agree_with_their_nouns() -> None:
    assert [counted(n, "file") for n in (0, 1, 2_000)] == ["0 files", "1 file", "2,000 files"]


def test_whoever_asks_an_empty_book_is_told_how_to_find_the_others() -> None:
    assert "`sourcebook books`" in nothing_indexed("book", has_open_job=False)
