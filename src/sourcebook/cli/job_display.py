"""Shows an ingestion job: its progress, its result, and what a run would change."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TypeAlias

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Column
from rich.text import Text

from sourcebook.cli.self_test_display import show_lost, summary
from sourcebook.cli.terminal import counted, err, out, strip_controls
from sourcebook.core.book_source import describe_kinds
from sourcebook.core.jobs import UNFINISHED, JobStatus
from sourcebook.surfaces.book.ingestion_schemas import (
    ChangesOut,
    ExampleOut,
    FileProblemOut,
    JobOut,
)

Show: TypeAlias = Callable[[JobOut], None]

LINE_INTERVAL_S = 5.0
MAX_SHOWN_WARNINGS = 10
MAX_SHOWN_PATHS = 20
MAX_SHOWN_LINES = 15
# When a time left is given up for a longer one, and how fast it follows a shorter one.
FAR_TOO_SHORT = 1.5
MIN_CORRECTION_S = 5.0
CORRECTION = 0.2
_COLOURS: dict[JobStatus, str] = {"completed": "green", "partial": "yellow"}


class Countdown:
    """Turns estimates of the time left, which jump, into one that counts down.

    It goes up only when it was far too short.
    """

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._end_s: float | None = None

    def left_s(self, estimate_s: float) -> float:
        """Return the time left, given the newest estimate."""
        now_s = self._now_s()
        if self._end_s is None:
            self._end_s = now_s + estimate_s
        left_s = max(0.0, self._end_s - now_s)
        if estimate_s > left_s * FAR_TOO_SHORT + MIN_CORRECTION_S:
            self._end_s = now_s + estimate_s
        elif estimate_s < left_s:
            self._end_s -= (left_s - estimate_s) * CORRECTION
        return max(0.0, self._end_s - now_s)


@contextmanager
def shown_progress(console: Console) -> Iterator[Show]:
    """Yield a function that shows how far a job is: a bar on a terminal, lines elsewhere."""
    if not console.is_terminal:
        yield ProgressLines(console).show
        return
    with progress_bar(console) as show:
        yield show


@contextmanager
def progress_bar(console: Console) -> Iterator[Show]:
    """Show a bar, and remove it in the end."""
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=12),
        TextColumn("{task.fields[counts]}"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
        # The name of the file is what gives way on a narrow terminal.
        TextColumn(
            "{task.fields[file]}",
            style="dim",
            markup=False,
            table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1),
        ),
        console=console,
        expand=True,
        transient=True,
    )
    task = bar.add_task("Looking", total=None, counts="", left="", file="")
    countdown = Countdown()

    def show(job: JobOut) -> None:
        done, total = _steps(job)
        bar.update(
            task,
            description="Indexing" if total else "Waiting" if job.status == "queued" else "Looking",
            completed=done,
            total=total or None,
            counts=_steps_and_chunks(job) if total else "",
            left=_time_left(job, countdown),
            file=strip_controls(job.current_file or ""),
        )

    with bar:
        yield show


class ProgressLines:
    """Prints a line for every new percent, and one every few seconds in between."""

    def __init__(self, console: Console, now_s: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._now_s = now_s
        self._countdown = Countdown(now_s)
        self._percent: int | None = None
        self._shown_s = now_s()

    def show(self, job: JobOut) -> None:
        done, total = _steps(job)
        if not total or job.status not in UNFINISHED:
            return
        percent = 100 * done // total
        late = self._now_s() - self._shown_s >= LINE_INTERVAL_S
        if percent == self._percent and not late:
            return
        self._percent, self._shown_s = percent, self._now_s()
        at = f", at {strip_controls(job.current_file)}" if job.current_file else ""
        left = _time_left(job, self._countdown)
        self._console.print(f"{percent:3} %  {_counts(job)}{', ' if left else ''}{left}{at}")


def show_job(job: JobOut, *, as_json: bool) -> None:
    """Print the result of a job, with its warnings."""
    if as_json:
        print(job.model_dump_json())
        return
    out.print(Text.assemble(f"Book {strip_controls(job.book_id)}, {job.mode}: ", _verdict(job)))
    for line in (*_result_lines(job), *_left_out_lines(job)):
        out.print(f"  {line}")
    if job.self_test is not None:
        out.print(f"  self-test: {summary(job.self_test)}")
        show_lost(job.self_test, err)
    _warn(job.warnings, job.warning_count)


def going_on(job: JobOut) -> str:
    """Say which job comes first, and how far it is."""
    done, total = _steps(job)
    far = f": {done:,} of {counted(total, 'file')} are done" if total else ""
    return f"Going on with job {job.job_id} of the book {strip_controls(job.book_id)!r}{far}"


def outcome(job: JobOut) -> Text:
    """Say in one line how a job ended."""
    return Text.assemble(f"Job {job.job_id}: ", _verdict(job), f"; {_result_lines(job)[0]}")


def show_watch_run(job: JobOut, *, as_json: bool) -> None:
    """Print one line about a run of `ingest --watch`."""
    if as_json:
        print(job.model_dump_json(), flush=True)
        return
    at = datetime.now().astimezone().strftime("%H:%M:%S")
    what = f"{counted(job.files_processed, 'file')} indexed, {job.documents_deleted:,} deleted"
    chunks = f"{counted(job.chunks_embedded, 'chunk')} embedded, {job.chunks_reused:,} reused"
    out.print(Text.assemble(f"{at}  ", _verdict(job), f"; {what}; {chunks}"))
    if job.self_test is not None and job.self_test.newly_lost:
        show_lost(job.self_test, err)
    _warn(job.warnings, job.warning_count)


def show_changes(changes: ChangesOut, *, as_json: bool) -> None:
    """Print what a run would change."""
    if as_json:
        print(changes.model_dump_json())
        return
    for word, paths, colour in (
        ("new", changes.new, "green"),
        ("modified", changes.modified, "yellow"),
        ("deleted", changes.deleted, "red"),
    ):
        out.print(Text(f"{len(paths):5,} {word}", style=colour if paths else ""))
        _list([strip_controls(path) for path in paths], MAX_SHOWN_PATHS, "        ")
    out.print(f"{changes.unchanged:5,} unchanged")
    if changes.would_refuse:
        out.print(
            Text(
                f"The run would be refused: {counted(changes.lost, 'lesson')} would be gone for"
                " good. If that is right, run it with --force",
                style="red",
            )
        )
    if changes.example is not None:
        _show_example(changes.example)
    for line in _left_out_lines(changes):
        out.print(line)
    _warn(changes.warnings, changes.warning_count)
    if not (changes.new or changes.modified or changes.unchanged or changes.unreadable):
        _warn_of_no_lesson(changes)
    out.print("Nothing was changed: this was a dry run.", style="dim")


def _show_example(example: ExampleOut) -> None:
    out.print(f"One of them, {strip_controls(example.source_url)}, as it would be indexed:")
    lines = [strip_controls(line) for line in example.text.splitlines() if line.strip()]
    for line in lines[:MAX_SHOWN_LINES]:
        out.print(Text(f"  │ {line}", style="dim", no_wrap=True, overflow="ellipsis"))
    if len(lines) > MAX_SHOWN_LINES:
        out.print(Text("  │ …", style="dim"))


def _steps(job: JobOut) -> tuple[int, int]:
    """Return how many files are done and how many there are, without the unchanged ones."""
    done = job.files_processed + job.files_failed
    return done, done + job.files_left


def _steps_and_chunks(job: JobOut) -> str:
    done, total = _steps(job)
    return f"{done}/{counted(total, 'file')}, {counted(job.chunks_created, 'chunk')}"


def _counts(job: JobOut) -> str:
    vectors = f"{job.chunks_embedded:,} embedded, {job.chunks_reused:,} reused"
    return f"{_steps_and_chunks(job)} ({vectors})"


def _time_left(job: JobOut, countdown: Countdown) -> str:
    if job.eta_seconds is None:
        return ""
    minutes, seconds = divmod(round(countdown.left_s(job.eta_seconds)), 60)
    return f"{minutes}:{seconds:02} left"


def _verdict(job: JobOut) -> Text:
    seconds = "" if job.duration_seconds is None else f" in {job.duration_seconds:.1f} s"
    verdict = Text(f"{job.status}{seconds}", style=_COLOURS.get(job.status, "red"))
    reason = f": {strip_controls(job.error_message)}" if job.error_message else ""
    return Text.assemble(verdict, reason)


def _result_lines(job: JobOut) -> list[str]:
    unchanged = max(0, job.files_skipped - job.files_failed)
    files = [f"{counted(job.files_processed, 'file')} indexed", f"{unchanged:,} unchanged"]
    files += [f"{job.files_failed:,} failed"] if job.files_failed else []
    files += [f"{job.files_left:,} left"] if job.files_left else []
    files += [f"{job.documents_deleted:,} deleted"] if job.documents_deleted else []
    chunks = f"{counted(job.chunks_created, 'chunk')} live from them"
    vectors = f"{job.chunks_embedded:,} embedded, {job.chunks_reused:,} reused"
    return [", ".join(files), f"{chunks}: {vectors}"]


def _left_out_lines(found: JobOut | ChangesOut) -> list[str]:
    """Say what is in the book's folder and not in the book."""
    unmatched = f"{counted(found.files_unmatched, 'markdown file')} not read: no pattern fits"
    kinds = describe_kinds({strip_controls(kind): n for kind, n in found.other_files.items()})
    lines = [unmatched] if found.files_unmatched else []
    return [*lines, f"{kinds} not read"] if kinds else lines


def _warn(warnings: Sequence[FileProblemOut], count: int) -> None:
    if not warnings:
        return
    count = max(count, len(warnings))  # an older service does not tell it
    err.print(Text(f"{counted(count, 'warning')}:", style="yellow"))
    shown = warnings[:MAX_SHOWN_WARNINGS]
    for found in shown:
        err.print(f"  {strip_controls(found.path)}: {strip_controls(found.message)}")
    if count > len(shown):
        err.print(f"  and {count - len(shown):,} more")


def _warn_of_no_lesson(changes: ChangesOut) -> None:
    hint = " --pattern folders takes every markdown file." if changes.files_unmatched else ""
    err.print(f"No lesson was found, so a run would fail.{hint}")


def _list(lines: Sequence[str], max_shown: int, indent: str) -> None:
    for line in lines[:max_shown]:
        out.print(indent + line)
    if len(lines) > max_shown:
        out.print(f"{indent}and {len(lines) - max_shown:,} more")
