"""A job as a row, and a row as a job."""

from collections.abc import Sequence
from dataclasses import asdict, replace

from sqlalchemy import RowMapping

from sourcebook.core.books import FileProblem
from sourcebook.core.jobs import IngestJob, JobKind, JobRequest, Outcome, Progress, Recall
from sourcebook.providers.storage.texts import as_storable

MAX_WARNINGS = 200


def request_columns(request: JobRequest) -> dict[str, object]:
    """What was asked for."""
    return {
        "mode": request.mode,
        "docs_path": request.docs_path,
        "force": request.force,
        "triggered_by": request.trigger,
        "model": request.model,
        "back_to": request.back_to,
    }


def new_columns(request: JobRequest, now_s: float, kind: JobKind = "book") -> dict[str, object]:
    """A job that nobody has begun."""
    return {
        "kind": kind,
        "book_id": request.book_id,
        **request_columns(request),
        "status": "queued",
        "token": 0,
        "attempts": 0,
        "created_at_s": now_s,
        "cancel_requested": False,
        **report_columns(Progress(), ()),
    }


def report_columns(progress: Progress, warnings: Sequence[FileProblem]) -> dict[str, object]:
    """How far a job is, and what somebody should look at."""
    current = progress.current_file
    shown = replace(progress, current_file=None if current is None else as_storable(current))
    return {
        "progress": asdict(shown),
        "warnings": [
            [as_storable(warning.path), as_storable(warning.message)]
            for warning in _as_many_as_fit(warnings)
        ],
    }


def outcome_columns(outcome: Outcome) -> dict[str, object]:
    """How a job ended."""
    error = None if outcome.error is None else as_storable(outcome.error)
    return {"status": outcome.status, "error": error, "commit_id": outcome.commit}


def request_of(row: RowMapping) -> JobRequest:
    """What the job in a row was asked for."""
    return JobRequest(
        book_id=row["book_id"],
        mode=row["mode"],
        docs_path=row["docs_path"],
        force=row["force"],
        trigger=row["triggered_by"],
        model=row["model"],
        back_to=row["back_to"],
    )


def job_of(row: RowMapping) -> IngestJob:
    """The job in a row."""
    return IngestJob(
        id=row["id"],
        request=request_of(row),
        status=row["status"],
        token=row["token"],
        attempts=row["attempts"],
        created_at_s=row["created_at_s"],
        started_at_s=row["started_at_s"],
        finished_at_s=row["finished_at_s"],
        lease_until_s=row["lease_until_s"],
        cancel_requested=row["cancel_requested"],
        progress=Progress(**row["progress"]),
        warnings=tuple(FileProblem(path, message) for path, message in row["warnings"]),
        error=row["error"],
        commit=row["commit_id"],
        building=row["building"],
        kind=row["kind"],
        recall=None if row["recall"] is None else Recall(**row["recall"]),
    )


def _as_many_as_fit(warnings: Sequence[FileProblem]) -> Sequence[FileProblem]:
    if len(warnings) <= MAX_WARNINGS:
        return warnings
    kept = warnings[: MAX_WARNINGS - 1]
    more = len(warnings) - len(kept)
    return [*kept, FileProblem("…", f"{more} more warnings are not listed")]
