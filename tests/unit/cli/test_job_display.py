"""Progress: a bar on a terminal, a line now and then elsewhere."""

from io import StringIO

import pytest
from rich.console import Console

from sourcebook.cli.job_display import (
    Countdown,
    ProgressLines,
    show_changes,
    show_job,
    show_watch_run,
    shown_progress,
)
from sourcebook.surfaces.book.ingestion_schemas import ChangesOut, FileProblemOut
from tests.fakes import FakeClock
from tests.unit.cli.replies import LOST_PROBE, SELF_TEST, job


def paper() -> Console:
    return Console(file=StringIO(), width=200, highlight=False, markup=False)


def said(console: Console) -> list[str]:
    assert isinstance(console.file, StringIO)
    return console.file.getvalue().splitlines()


def test_a_line_is_written_for_every_new_percent_only() -> None:
    console = paper()
    lines = ProgressLines(console, FakeClock())

    for left in (100, 100, 99, 99, 50):
        lines.show(job(files_processed=100 - left, files_left=left, chunks_created=3))

    assert [line[:5] for line in said(console)] == ["  0 %", "  1 %", " 50 %"]


def test_a_line_is_written_when_nothing_happens_for_a_while() -> None:
    console, clock = paper(), FakeClock()
    lines = ProgressLines(console, clock)

    for _ in range(3):
        lines.show(job(files_left=100))
        clock.now_s += 4

    assert len(said(console)) == 2


def test_a_line_says_where_the_job_is() -> None:
    console = paper()
    state = job(
        files_processed=1,
        files_left=3,
        chunks_created=12,
        chunks_embedded=9,
        chunks_reused=3,
        current_file="a/b.md",
        eta_seconds=65.0,
    )

    ProgressLines(console, FakeClock()).show(state)

    assert said(console) == [
        " 25 %  1/4 files, 12 chunks (9 embedded, 3 reused), 1:05 left, at a/b.md"
    ]


def test_nothing_to_do_and_done_need_no_line() -> None:
    console = paper()
    lines = ProgressLines(console, FakeClock())

    lines.show(job(status="queued"))
    lines.show(job(status="completed", files_processed=4))

    assert said(console) == []


def test_the_bar_is_for_terminals() -> None:
    plain, terminal = paper(), Console(file=StringIO(), force_terminal=True)

    for console in (plain, terminal):
        with shown_progress(console) as show:
            show(job(files_processed=1, files_left=3))

    assert said(plain) == [" 25 %  1/4 files, 0 chunks (0 embedded, 0 reused)"]
    assert any("Indexing" in line and "━" in line for line in said(terminal))


def test_the_bar_shows_a_file_name_as_it_is() -> None:
    screen = StringIO()
    console = Console(file=screen, force_terminal=True, width=200)

    with shown_progress(console) as show:
        show(job(files_processed=1, files_left=3, current_file="[red]a[/]\x1b[2J.md"))

    assert "[red]a[/][2J.md" in screen.getvalue()
    assert "1/4 files" in screen.getvalue()


def test_on_a_narrow_terminal_the_name_of_the_file_gives_way_and_the_time_left_stays() -> None:
    screen = StringIO()
    console = Console(file=screen, force_terminal=True, width=80)
    state = job(files_processed=12, files_left=32, chunks_created=210, eta_seconds=95.0)

    with shown_progress(console) as show:
        show(state.model_copy(update={"current_file": "docs/a-folder-with-a-long-name/a.md"}))

    assert "1:35 left" in screen.getvalue()
    assert "12/44 files, 210 chunks" in screen.getvalue()


def test_the_time_left_counts_down_though_the_estimates_jump() -> None:
    clock = FakeClock()
    countdown = Countdown(clock)

    shown = []
    for estimate_s in (60.0, 66.0, 58.0, 71.0, 40.0, 55.0, 52.0):
        shown.append(countdown.left_s(estimate_s))
        clock.now_s += 1.0

    assert shown[0] == 60.0
    assert shown == sorted(shown, reverse=True)
    assert len(set(shown)) == len(shown)


def test_a_time_left_that_was_far_too_short_is_given_up() -> None:
    clock = FakeClock()
    countdown = Countdown(clock)
    countdown.left_s(10.0)
    clock.now_s += 9.0

    assert countdown.left_s(4.0) == 1.0
    assert countdown.left_s(300.0) == 300.0


def test_a_time_left_that_was_too_long_is_shortened() -> None:
    clock = FakeClock()
    countdown = Countdown(clock)

    shown = [countdown.left_s(100.0)] + [countdown.left_s(10.0) for _ in range(20)]

    assert shown == sorted(shown, reverse=True)
    assert shown[-1] < 12.0


def test_what_is_in_the_folder_and_not_in_the_book_is_said_in_exact_numbers(
    capsys: pytest.CaptureFixture[str],
) -> None:
    warnings = [FileProblemOut(path=f"{n}.md", message="No pattern") for n in range(200)]
    other_files = {".png": 1_340, ".pdf": 12, ".html": 3}
    found = job(
        status="completed",
        warnings=warnings,
        warning_count=1_480,
        files_unmatched=1_480,
        other_files=other_files,
    )

    show_job(found, as_json=False)

    said = capsys.readouterr()
    assert "1,480 markdown files not read: no pattern fits" in said.out
    assert "1,340 .png, 12 .pdf, 3 .html not read" in said.out
    assert "1,480 warnings:" in said.err
    assert "9.md: No pattern\n  and 1,470 more" in said.err


def test_a_dry_run_names_what_it_would_not_read(capsys: pytest.CaptureFixture[str]) -> None:
    changes = ChangesOut(
        new=[],
        modified=[],
        deleted=[],
        unchanged=0,
        unreadable=[],
        warnings=[FileProblemOut(path="a.md", message="No pattern")],
        files_unmatched=1,
        other_files={".pdf": 12},
        lost=0,
        would_process=0,
        would_refuse=False,
    )

    show_changes(changes, as_json=False)

    said = capsys.readouterr()
    assert "1 markdown file not read: no pattern fits" in said.out
    assert "12 .pdf not read" in said.out
    assert "--pattern folders takes every markdown file" in said.err


def test_a_result_says_what_the_self_test_found(capsys: pytest.CaptureFixture[str]) -> None:
    show_job(
        job(status="completed", self_test=SELF_TEST | {"lost": 1, "newly_lost": [LOST_PROBE]}),
        as_json=False,
    )

    printed = capsys.readouterr()
    assert "  self-test: 200 of 200 questions find their lesson, 1 lost" in printed.out
    assert "arms/02.md: How do I grip? (new, " in printed.err


@pytest.mark.parametrize(("list_name", "shown"), [("newly_lost", True), ("still_lost", False)])
def test_a_watcher_names_a_lost_question_once(
    capsys: pytest.CaptureFixture[str], list_name: str, shown: bool
) -> None:
    show_watch_run(job(self_test=SELF_TEST | {"lost": 1, list_name: [LOST_PROBE]}), as_json=False)

    assert ("can no longer be found" in capsys.readouterr().err) == shown
