"""What `ingest` says in the end: of a job, of a run of a watch, of what a run would do."""

from collections.abc import Sequence
from datetime import datetime

from rich.text import Text

from sourcebook.cli.terminal import counted, err, harmless, out
from sourcebook.core.jobs import JobStatus
from sourcebook.surfaces.book.schemas import ChangesOut, FileProblemOut, JobOut

SHOWN_WARNINGS = 10
SHOWN_PATHS = 20
_COLOURS: dict[JobStatus, str] = {"completed": "green", "partial": "yellow"}


def show_job(job: JobOut, *, as_json: bool) -> None:
    """How a job ended, with what somebody should look at."""
    if as_json:
        print(job.model_dump_json())
        return
    out.print(Text.assemble(f"Book {harmless(job.book_id)}, {job.mode}: ", _verdict(job)))
    for line in _counts(job):
        out.print(f"  {line}")
    _warn(job.warnings)
    if not job.files_found:
        _hint_at_patterns(job.warnings)


def show_line(job: JobOut, *, as_json: bool) -> None:
    """One run of a watch."""
    if as_json:
        print(job.model_dump_json(), flush=True)
        return
    at = datetime.now().astimezone().strftime("%H:%M:%S")
    what = f"{counted(job.files_processed, 'file')} indexed, {job.documents_deleted:,} deleted"
    chunks = f"{counted(job.chunks_embedded, 'chunk')} embedded, {job.chunks_reused:,} reused"
    out.print(Text.assemble(f"{at}  ", _verdict(job), f"; {what}; {chunks}"))
    _warn(job.warnings)


def show_changes(changes: ChangesOut, *, as_json: bool) -> None:
    """What a run would do."""
    if as_json:
        print(changes.model_dump_json())
        return
    for word, paths, colour in (
        ("new", changes.new, "green"),
        ("modified", changes.modified, "yellow"),
        ("deleted", changes.deleted, "red"),
    ):
        out.print(Text(f"{len(paths):5,} {word}", style=colour if paths else ""))
        _list([harmless(path) for path in paths], SHOWN_PATHS, "        ")
    out.print(f"{changes.unchanged:5,} unchanged")
    if changes.would_refuse:
        out.print(
            Text(
                f"The run would be refused: {counted(changes.lost, 'lesson')} would be gone for"
                " good. If that is right, run it with --force",
                style="red",
            )
        )
    _warn(changes.warnings)
    if not (changes.new or changes.modified or changes.unchanged or changes.unreadable):
        _hint_at_patterns(changes.warnings)
    out.print("Nothing was changed: this was a dry run.", style="dim")


def _verdict(job: JobOut) -> Text:
    seconds = "" if job.duration_seconds is None else f" in {job.duration_seconds:.1f} s"
    verdict = Text(f"{job.status}{seconds}", style=_COLOURS.get(job.status, "red"))
    reason = f": {harmless(job.error_message)}" if job.error_message else ""
    return Text.assemble(verdict, reason)


def _counts(job: JobOut) -> list[str]:
    unchanged = max(0, job.files_skipped - job.files_failed)
    files = [f"{counted(job.files_processed, 'file')} indexed", f"{unchanged:,} unchanged"]
    files += [f"{job.files_failed:,} failed"] if job.files_failed else []
    files += [f"{job.files_left:,} left"] if job.files_left else []
    files += [f"{job.documents_deleted:,} deleted"] if job.documents_deleted else []
    chunks = f"{counted(job.chunks_created, 'chunk')} live from them"
    vectors = f"{job.chunks_embedded:,} embedded, {job.chunks_reused:,} reused"
    return [", ".join(files), f"{chunks}: {vectors}"]


def _warn(warnings: Sequence[FileProblemOut]) -> None:
    if not warnings:
        return
    err.print(Text(f"{counted(len(warnings), 'warning')}:", style="yellow"))
    lines = [f"{harmless(found.path)}: {harmless(found.message)}" for found in warnings]
    _list(lines, SHOWN_WARNINGS, "  ", on_error=True)


def _hint_at_patterns(left_out: Sequence[FileProblemOut]) -> None:
    if left_out:
        err.print(
            "No file was taken for a lesson. SOURCEBOOK_BOOK_PATTERNS='**/*.md' takes every"
            " markdown file as one."
        )


def _list(lines: Sequence[str], most: int, indent: str, *, on_error: bool = False) -> None:
    console = err if on_error else out
    for line in lines[:most]:
        console.print(indent + line)
    if len(lines) > most:
        console.print(f"{indent}and {len(lines) - most:,} more")
