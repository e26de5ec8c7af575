"""Shows what an import did, or would do, and chooses its exit code."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sourcebook.cli.exit_codes import DONE, FAILED, PART_FAILED
from sourcebook.cli.terminal import counted, err, out, strip_controls

if TYPE_CHECKING:
    from sourcebook.ingestion.transfer.foreign_import import PlannedCollection, RefusedCollection
    from sourcebook.ingestion.transfer.importer import CollectionTally, ImportProblem, ImportReport
    from sourcebook.ingestion.transfer.preview import Preview

MAX_SHOWN_PROBLEMS = 10


def show_report(report: "ImportReport") -> int:
    """Print what was taken in and what was not; return the exit code."""
    for name, tally in report.collections.items():
        out.print(f"{name}: {_counts(tally)}")
    _show_problems(report.problems, report.failed)
    if report.stopped is not None:
        err.print(
            f"Stopped: {strip_controls(report.stopped)}. Run the command again to go on: what is"
            " there already is not imported twice"
        )
    if not report.collections and report.complete:
        out.print("There was nothing to import.")
    return exit_code(report.stored, report.failed + (report.stopped is not None))


def show_preview(found: "Preview") -> int:
    """Print what a file holds; return the exit code."""
    for name, one in found.collections.items():
        model = "" if one.model is None else f", model {strip_controls(one.model)}"
        shown = strip_controls(name) or "without a collection"
        out.print(
            f"{shown}: {counted(one.documents, 'document')}, {one.with_vectors:,} with"
            f" vectors{model}"
        )
    _show_problems(found.problems, len(found.problems))
    documents = sum(one.documents for one in found.collections.values())
    return exit_code(documents, len(found.problems))


def show_plan(one: "PlannedCollection | RefusedCollection") -> None:
    """Print whether a collection of another store can be copied, and with which model."""
    name, problem = strip_controls(one.name), one.problem
    if problem is not None:
        err.print(f"{name}: not copied: {strip_controls(problem)}")
        return
    out.print(f"{name}: {_plan(one)}")  # type: ignore[arg-type]


def exit_code(done: int, failed: int) -> int:
    """Return the code for what was done and what was not."""
    if not failed:
        return DONE
    return PART_FAILED if done else FAILED


def _plan(one: "PlannedCollection") -> str:
    points = counted(one.points, "point")
    if one.embed:
        return f"{points}, to be embedded with {one.embedder.id}"
    check = one.check
    return (
        f"{points} with vectors of {check.model} (cosine {check.min_cosine:.4f} at least, of"
        f" {counted(check.compared, 'text')} compared)"
    )


def _counts(tally: "CollectionTally") -> str:
    return (
        f"{counted(tally.created, 'document')} created, {tally.updated:,} updated,"
        f" {tally.unchanged:,} unchanged; {counted(tally.chunks_embedded, 'chunk')} embedded,"
        f" {tally.chunks_reused:,} reused"
    )


def _show_problems(problems: "Sequence[ImportProblem]", count: int) -> None:
    if count:
        err.print(f"Not imported: {count:,}")
    for problem in problems[:MAX_SHOWN_PROBLEMS]:
        err.print(f"  {strip_controls(problem.place)}: {strip_controls(problem.message)}")
    if count > MAX_SHOWN_PROBLEMS:
        err.print(f"  and {count - MAX_SHOWN_PROBLEMS:,} more")
