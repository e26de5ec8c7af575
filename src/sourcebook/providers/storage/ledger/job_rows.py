"""Jobs as rows, and the check that a worker still holds its job."""

from collections.abc import Sequence
from dataclasses import asdict, replace

from sqlalchemy import RowMapping, select
from sqlalchemy.ext.asyncio import AsyncConnection

from sourcebook.core.book_source import OTHER_PATHS, FileProblem
from sourcebook.core.errors import LeaseLost
from sourcebook.core.jobs import Fence, IngestJob, JobKind, JobRequest, Outcome, Progress, Recall
from sourcebook.providers.storage.ledger import schema
from sourcebook.providers.storage.ledger.self_test_rows import report_of
from sourcebook.providers.storage.sql import as_storable

MAX_WARNINGS = 200

_JOB = schema.jobs.c


def request_columns(request: JobRequest) -> dict[str, object]:
    return {
        "mode": request.mode,
        "docs_path": request.docs_path,
        "force": request.force,
        "triggered_by": request.trigger,
        "model": request.model,
        "back_to": request.back_to,
        "patterns": None if request.patterns is None else list(request.patterns),
        "exclude": None if request.exclude is None else list(request.exclude),
    }


def new_columns(request: JobRequest, now_s: float, kind: JobKind = "book") -> dict[str, object]:
    """Convert a request to the columns of a queued job."""
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
    """Convert progress and warnings to columns."""
    current = progress.current_file
    shown = replace(progress, current_file=None if current is None else as_storable(current))
    return {
        "progress": asdict(shown),
        "warnings": [
            [as_storable(warning.path), as_storable(warning.message)]
            for warning in _truncated(warnings, progress.warning_count)
        ],
    }


def outcome_columns(outcome: Outcome) -> dict[str, object]:
    error = None if outcome.error is None else as_storable(outcome.error)
    return {"status": outcome.status, "error": error, "commit_id": outcome.commit}


def request_of(row: RowMapping) -> JobRequest:
    return JobRequest(
        book_id=row["book_id"],
        mode=row["mode"],
        docs_path=row["docs_path"],
        force=row["force"],
        trigger=row["triggered_by"],
        model=row["model"],
        back_to=row["back_to"],
        patterns=None if row["patterns"] is None else tuple(row["patterns"]),
        exclude=None if row["exclude"] is None else tuple(row["exclude"]),
    )


def job_of(row: RowMapping) -> IngestJob:
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
        self_test=None if row["self_test"] is None else report_of(row["self_test"]),
    )


async def check_fence(connection: AsyncConnection, fence: Fence | None) -> None:
    """Raise LeaseLost unless the job runs and this worker still holds it; None always passes."""
    if fence is None:
        return
    # Locked: nobody can claim the job between this and the commit.
    query = select(_JOB.status, _JOB.token).where(_JOB.id == fence.job_id).with_for_update()
    row = (await connection.execute(query)).one_or_none()
    if row is None or tuple(row) != ("running", fence.token):
        raise LeaseLost(f"Job {fence.job_id} has ended or was taken over by another worker")


def _truncated(warnings: Sequence[FileProblem], count: int) -> Sequence[FileProblem]:
    if len(warnings) <= MAX_WARNINGS:
        return warnings
    kept = warnings[: MAX_WARNINGS - 1]
    more = max(count, len(warnings)) - len(kept)
    return [*kept, FileProblem(OTHER_PATHS, f"{more} more warnings are not listed")]
