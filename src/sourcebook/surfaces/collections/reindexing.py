"""The routes that change the model of a collection, and take the change back."""

import time
from datetime import UTC, datetime

from fastapi import APIRouter, Response

from sourcebook.core.jobs import IngestJob, Progress
from sourcebook.surfaces.collections.errors import BODY, WRITE, errors
from sourcebook.surfaces.collections.reindex_schemas import (
    OrderedReindexOut,
    RecallOut,
    ReindexIn,
    ReindexOut,
    ReindexProgressOut,
)
from sourcebook.surfaces.routing import JsonRoute, WriteRoute
from sourcebook.surfaces.use_cases import Using

reads = APIRouter(tags=["collections"], route_class=JsonRoute)
writes = APIRouter(tags=["collections"], route_class=WriteRoute)


@writes.post(
    "/collections/{name}/reindex",
    status_code=202,
    responses={
        200: {"model": OrderedReindexOut, "description": "It uses that model already"},
        **errors(*BODY, *WRITE, 404, 409, 503),
    },
)
async def reindex(
    name: str, response: Response, use: Using, body: ReindexIn | None = None
) -> OrderedReindexOut:
    """Change the collection to another loaded model.

    A job builds a new index from the stored texts beside the one in use. Questions are answered
    with the old model until it is complete; documents may come and go meanwhile.
    """
    await use.catalog.check_writable(name)
    asked = None if body is None else body.embedding_model
    job = await use.reindexing.order(name, asked)
    if job is not None:
        return _ordered(name, job)
    response.status_code = 200
    collection = await use.catalog.get(name)
    return OrderedReindexOut(
        job_id=None,
        status="unchanged",
        collection=name,
        embedding_model=collection.generation.model,
    )


@reads.get("/collections/{name}/reindex", responses=errors(404, 503))
async def reindex_status(name: str, use: Using) -> ReindexOut:
    """Tell how far the latest change of the model is, and whether there is a way back."""
    found = await use.reindexing.status(name)
    job = found.job
    recall = None if job is None else job.recall
    return ReindexOut(
        collection=name,
        embedding_model=found.collection.generation.model,
        reindex_required=use.models.reindex_required(found.collection),
        rollback_to=found.back_to,
        job_id=None if job is None else job.id,
        status="none" if job is None else job.status,
        target_model=None if job is None else job.request.model,
        is_rollback=job is not None and job.request.back_to is not None,
        cancel_requested=job is not None and job.cancel_requested,
        progress=_progress(job, time.time()),
        recall=None
        if recall is None
        else RecallOut(
            questions=recall.questions, k=recall.k, mean=recall.mean, worst=recall.worst
        ),
        error=None if job is None else job.error,
        queued_at=None if job is None else _moment(job.created_at_s),
        started_at=None if job is None else _moment(job.started_at_s),
        finished_at=None if job is None else _moment(job.finished_at_s),
    )


@writes.post(
    "/collections/{name}/reindex/rollback",
    status_code=202,
    responses=errors(*WRITE, 404, 409, 503),
)
async def roll_back(name: str, use: Using) -> OrderedReindexOut:
    """Go back to the model and the index that the collection had before the last change.

    What was written since comes along. The index that it leaves is kept in turn.
    """
    await use.catalog.check_writable(name)
    return _ordered(name, await use.reindexing.roll_back(name))


@writes.post(
    "/collections/{name}/reindex/cancel",
    status_code=202,
    responses=errors(*WRITE, 404, 409, 503),
)
async def cancel_reindex(name: str, use: Using) -> OrderedReindexOut:
    """End the job that waits or runs; the collection stays as it is."""
    await use.catalog.check_writable(name)
    return _ordered(name, await use.reindexing.cancel(name))


def _ordered(name: str, job: IngestJob) -> OrderedReindexOut:
    return OrderedReindexOut(
        job_id=job.id, status=job.status, collection=name, embedding_model=job.request.model or ""
    )


def _progress(job: IngestJob | None, now_s: float) -> ReindexProgressOut:
    progress = Progress() if job is None else job.progress
    return ReindexProgressOut(
        # Documents that were deleted while it ran are no work any more.
        chunks_done=min(progress.chunks_created, progress.chunks_found),
        chunks_total=progress.chunks_found,
        chunks_embedded=progress.chunks_embedded,
        chunks_reused=progress.chunks_reused,
        eta_seconds=None if job is None else eta_s(job, now_s),
    )


def eta_s(job: IngestJob, now_s: float) -> float | None:
    """How long it will take by the pace so far; None if that is not known."""
    progress = job.progress
    # What an index that was kept holds already took no time.
    worked = progress.chunks_embedded + progress.chunks_reused
    if job.status != "running" or job.started_at_s is None or not worked:
        return None
    left = max(0, progress.chunks_found - progress.chunks_created)
    return round(left * max(0.0, now_s - job.started_at_s) / worked, 1)


def _moment(unix_s: float | None) -> datetime | None:
    return None if unix_s is None else datetime.fromtimestamp(unix_s, UTC)
