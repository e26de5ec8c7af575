"""A self-test is a line, and the lost questions are named."""

from io import StringIO

from rich.console import Console

from sourcebook.cli.self_test_display import MAX_SHOWN_LOST, show_lost, summary
from sourcebook.surfaces.book.ingestion_schemas import SelfTestOut
from tests.unit.cli.replies import LOST_PROBE, SELF_TEST


def result(**more: object) -> SelfTestOut:
    return SelfTestOut.model_validate({**SELF_TEST, **more})


def said(test: SelfTestOut) -> list[str]:
    console = Console(file=StringIO(), width=200, color_system=None, highlight=False)
    show_lost(test, console)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue().splitlines()


def test_a_test_that_finds_everything_is_one_line() -> None:
    assert summary(result()) == "200 of 200 questions find their lesson"
    assert said(result()) == []


def test_what_was_never_found_and_what_is_unchecked_is_said() -> None:
    test = result(found=150, lost=2, never_found=8, unchecked=40)

    assert summary(test) == (
        "150 of 160 questions find their lesson, 2 lost, 8 never did, 40 left for the next run"
    )


def test_a_book_without_headings_says_so() -> None:
    assert "no heading" in summary(result(probes=0, found=0))


def test_lost_questions_are_named_the_new_ones_first() -> None:
    committed = {**LOST_PROBE, "lost_commit": "0123456789abcdef0123"}
    test = result(lost=3, newly_lost=[committed], still_lost=[committed, LOST_PROBE])

    assert said(test) == [
        "3 questions can no longer be found:",
        "  arms/02.md: How do I grip? (new, commit 0123456789)",
        "  arms/02.md: How do I grip? (since commit 0123456789)",
        "  arms/02.md: How do I grip? (since 2026-01-02 12:00 UTC)",
    ]


def test_of_very_many_lost_questions_the_first_are_named() -> None:
    lines = said(result(lost=60, newly_lost=[LOST_PROBE] * 50))

    assert len(lines) == MAX_SHOWN_LOST + 2
    assert lines[-1] == "  and 50 more"


def test_a_question_cannot_control_the_terminal() -> None:
    lines = said(result(lost=1, newly_lost=[{**LOST_PROBE, "question": "a\x1b[2J\nb"}]))

    assert lines[1] == "  arms/02.md: a[2J b (new, 2026-01-02 12:00 UTC)"
