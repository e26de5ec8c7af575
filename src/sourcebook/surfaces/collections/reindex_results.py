"""Maps re-indexing jobs to the schemas of the collections contract."""

import time

from sourcebook.core.collections import Collection
from sourcebook.core.jobs import IngestJob, Progress
from sourcebook.ingestion.reindex.jobs import ReindexStatus
from sourcebook.surfaces.collections.reindex_schemas import (
    OrderedReindexOut,
    RecallOut,
    ReindexOut,
    ReindexProgressOut,
)
from sourcebook.surfaces.schema_types import utc_time


def reindex_out(status: ReindexStatus, *, required: bool) -> ReindexOut:
    job = status.job
    recall = None if job is None else job.recall
    return ReindexOut(
        collection=status.collection.name,
        embedding_model=status.collection.generation.model,
        reindex_required=required,
        rollback_to=status.back_to,
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
        queued_at=None if job is None else utc_time(job.created_at_s),
        started_at=None if job is None else utc_time(job.started_at_s),
        finished_at=None if job is None else utc_time(job.finished_at_s),
    )


def unchanged_out(collection: Collection) -> OrderedReindexOut:
    return OrderedReindexOut(
        job_id=None,
        status="unchanged",
        collection=collection.name,
        embedding_model=collection.generation.model,
    )


def ordered_out(name: str, job: IngestJob) -> OrderedReindexOut:
    return OrderedReindexOut(
        job_id=job.id, status=job.status, collection=name, embedding_model=job.request.model or ""
    )


def _progress(job: IngestJob | None, now_s: float) -> ReindexProgressOut:
    progress = Progress() if job is None else job.progress
    return ReindexProgressOut(
        # Documents that were deleted meanwhile need no work any more.
        chunks_done=min(progress.chunks_created, progress.chunks_found),
        chunks_total=progress.chunks_found,
        chunks_embedded=progress.chunks_embedded,
        chunks_reused=progress.chunks_reused,
        eta_seconds=None if job is None else eta_s(job, now_s),
    )


def eta_s(job: IngestJob, now_s: float) -> float | None:
    """Return how long it will still take at the pace so far; None if that is not known."""
    progress = job.progress
    # Chunks that a kept index holds already took no time.
    worked = progress.chunks_embedded + progress.chunks_reused
    if job.status != "running" or job.started_at_s is None or not worked:
        return None
    left = max(0, progress.chunks_found - progress.chunks_created)
    return round(left * max(0.0, now_s - job.started_at_s) / worked, 1)
