"""Shows how far a job is: a bar on a terminal, a line now and then elsewhere."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from sourcebook.cli.terminal import counted, harmless
from sourcebook.core.jobs import UNFINISHED
from sourcebook.surfaces.book.schemas import JobOut

LINE_EVERY_S = 5.0


class Display(Protocol):
    """Something that shows a job while it goes on."""

    def __enter__(self) -> Self:
        """Begin."""
        ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the terminal as it was."""
        ...

    def show(self, job: JobOut) -> None:
        """Show this state of the job."""
        ...


def display(console: Console) -> Display:
    """The one that suits the console."""
    return Bar(console) if console.is_terminal else Lines(console)


class Bar:
    """A bar that is gone when the job is done."""

    def __init__(self, console: Console) -> None:
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[counts]}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            TextColumn("{task.fields[file]}", style="dim", markup=False),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task("Looking", total=None, counts="", left="", file="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def show(self, job: JobOut) -> None:
        done, total = steps(job)
        self._bar.update(
            self._task,
            description="Indexing" if total else "Waiting" if job.status == "queued" else "Looking",
            completed=done,
            total=total or None,
            counts=counts(job) if total else "",
            left=time_left(job),
            file=harmless(job.current_file or ""),
        )


class Lines:
    """A line for every percent, and one every few seconds in between."""

    def __init__(self, console: Console, now_s: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._now_s = now_s
        self._percent: int | None = None
        self._shown_s = now_s()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """There is nothing to clear."""

    def show(self, job: JobOut) -> None:
        done, total = steps(job)
        if not total or job.status not in UNFINISHED:
            return
        percent = 100 * done // total
        late = self._now_s() - self._shown_s >= LINE_EVERY_S
        if percent == self._percent and not late:
            return
        self._percent, self._shown_s = percent, self._now_s()
        at = f", at {harmless(job.current_file)}" if job.current_file else ""
        left = f", {time_left(job)}" if time_left(job) else ""
        self._console.print(f"{percent:3} %  {counts(job)}{left}{at}")


def steps(job: JobOut) -> tuple[int, int]:
    """How many files the job has dealt with, and how many it has to; unchanged ones count not."""
    done = job.files_processed + job.files_failed
    return done, done + job.files_left


def counts(job: JobOut) -> str:
    """Files and chunks, as far as the job is."""
    done, total = steps(job)
    return (
        f"{done}/{counted(total, 'file')}, {counted(job.chunks_created, 'chunk')}"
        f" ({job.chunks_embedded:,} embedded, {job.chunks_reused:,} reused)"
    )


def time_left(job: JobOut) -> str:
    """How long it will take by the pace so far, if that is known."""
    if job.eta_seconds is None:
        return ""
    minutes, seconds = divmod(round(job.eta_seconds), 60)
    return f"{minutes}:{seconds:02} left"
