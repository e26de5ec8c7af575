"""Routes of the book contract for administrators: run, preview, watch and cancel ingestion."""

import time
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request

from sourcebook.core.jobs import IngestMode, Trigger
from sourcebook.surfaces.admin_key import ADMIN_KEY_SCHEME
from sourcebook.surfaces.book import ingestion_schemas as schemas
from sourcebook.surfaces.book.errors import ADMIN, BODY, errors
from sourcebook.surfaces.book.ingestion_results import (
    changes_out,
    job_out,
    ordered_out,
    verification_out,
)
from sourcebook.surfaces.book.job_requests import job_request
from sourcebook.surfaces.book.routes import BookId
from sourcebook.surfaces.book.schemas import Name
from sourcebook.surfaces.dependencies import Using
from sourcebook.surfaces.rate_limits import rate_limits_of
from sourcebook.surfaces.route_classes import AdminRoute

MAX_JOBS = 200

admin = APIRouter(
    tags=["ingestion"], route_class=AdminRoute, dependencies=[Depends(ADMIN_KEY_SCHEME)]
)


@admin.post("/ingestion/trigger", status_code=202, responses=errors(*BODY, *ADMIN, 409, 503))
async def trigger(
    request: Request, use: Using, body: schemas.TriggerIn | None = None
) -> schemas.OrderedOut:
    """Queue a run. One that is queued already takes the request in; the reply has its id."""
    asked = body or schemas.TriggerIn()
    wanted = job_request(use, asked, _trigger(request, asked.docs_path))
    return ordered_out(await use.book_jobs.submit(wanted))


@admin.get("/ingestion/status", responses=errors(*ADMIN, 422, 503))
async def list_jobs(
    use: Using,
    limit: Annotated[int, Query(ge=1, le=MAX_JOBS)] = 20,
    book_id: Annotated[Name | None, Query(description="Only jobs of this book")] = None,
) -> list[schemas.JobOut]:
    """List the latest jobs, newest first."""
    now_s = time.time()
    return [job_out(job, now_s) for job in await use.book_jobs.recent(limit, book_id)]


@admin.get("/ingestion/status/{job_id}", responses=errors(*ADMIN, 404, 422, 503))
async def get_job(job_id: int, use: Using) -> schemas.JobOut:
    """Tell how far a job is, or how it ended."""
    return job_out(await use.book_jobs.job(job_id), time.time())


@admin.get("/ingestion/changes", responses=errors(*ADMIN, 422, 503))
async def preview(
    request: Request,
    use: Using,
    *,
    mode: IngestMode = "incremental",
    book_id: BookId = None,
    docs_path: Annotated[schemas.Folder | None, Query(description=schemas.FOLDER_MEANS)] = None,
    patterns: Annotated[
        schemas.Patterns | None, Query(description="Which files are lessons")
    ] = None,
    exclude: Annotated[schemas.Excludes | None, Query(description="What to leave out")] = None,
) -> schemas.ChangesOut:
    """Show what a run would do. Nothing is changed."""
    asked = schemas.TriggerIn(
        mode=mode, book_id=book_id, docs_path=docs_path, patterns=patterns, exclude=exclude
    )
    wanted = job_request(use, asked, _trigger(request, docs_path))
    return changes_out(await use.book_jobs.preview(wanted), mode)


@admin.post("/ingestion/cancel/{job_id}", responses=errors(*ADMIN, 404, 409, 422, 503))
async def cancel(job_id: int, use: Using) -> schemas.JobOut:
    """End a queued job, or ask a running one to end. What it has indexed stays."""
    return job_out(await use.book_jobs.cancel(job_id), time.time())


@admin.get("/ingestion/verify", responses=errors(*ADMIN, 409, 503))
async def verify(use: Using) -> schemas.VerificationOut:
    """Compare every index with the ledger, chunk by chunk. Nothing is changed."""
    return verification_out(await use.verifier.verify())


def _trigger(request: Request, docs_path: str | None) -> Trigger:
    """Say who names a folder: an administrator on this machine may name any (decision 0042)."""
    if docs_path is None or not rate_limits_of(request).clients.is_local(request):
        return "api"
    return "local"
