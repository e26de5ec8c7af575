"""The row work behind the queue: who joins a queued job, whose turn it is, what is forgotten."""

from dataclasses import replace

from sqlalchemy import RowMapping, and_, delete, exists, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from sourcebook.core.errors import Conflict, Overloaded
from sourcebook.core.jobs import MODES, UNFINISHED, IngestJob, JobKind, JobRequest
from sourcebook.providers.storage import schema
from sourcebook.providers.storage.inserting import insert_new
from sourcebook.providers.storage.job_rows import job_of, new_columns, request_columns, request_of

KEPT_JOBS = 1_000
INDEXED = ("completed", "partial")
# Each failed try is a job that somebody else queued and somebody took at once.
MAX_TRIES = 5

_JOB = schema.jobs.c


async def queue(connection: AsyncConnection, request: JobRequest, now_s: float) -> IngestJob:
    """The queued job of the book: the one that is there, with this request in it, or a new one."""
    waiting = (
        select(schema.jobs)
        .where(_JOB.book_id == request.book_id, _JOB.status == "queued")
        .with_for_update()
    )
    for _ in range(MAX_TRIES):
        row = (await connection.execute(waiting)).mappings().one_or_none()
        if row is not None:
            return await _join(connection, row, request)
        # If another one was inserted in the meantime, this inserts nothing.
        await insert_new(connection, schema.jobs, [new_columns(request, now_s)])
    raise Overloaded(
        f"Too many jobs of book {request.book_id!r} are asked for at once; try again in a moment"
    )


async def next_job(connection: AsyncConnection, kind: JobKind, now_s: float) -> RowMapping | None:
    """The oldest job that nobody works at, locked; others that look find the one after it."""
    other = schema.jobs.alias("other")
    is_free = ~exists().where(other.c.book_id == _JOB.book_id, other.c.status == "running")
    query = (
        select(schema.jobs)
        .where(
            _JOB.kind == kind,
            or_(
                and_(_JOB.status == "queued", is_free),
                and_(_JOB.status == "running", _JOB.lease_until_s <= now_s),
            ),
        )
        .order_by(_JOB.id)
        .limit(1)
        .with_for_update(skip_locked=True, of=schema.jobs)
    )
    return (await connection.execute(query)).mappings().one_or_none()


async def forget_old_jobs(connection: AsyncConnection, book_id: str) -> None:
    """Keep the latest finished jobs of a book, and the one that says what is indexed."""
    finished = and_(_JOB.book_id == book_id, _JOB.status.not_in(UNFINISHED))
    newest_to_go = (
        select(_JOB.id).where(finished).order_by(_JOB.id.desc()).offset(KEPT_JOBS).limit(1)
    ).scalar_subquery()
    latest_indexed = (
        select(func.coalesce(func.max(_JOB.id), 0))
        .where(_JOB.book_id == book_id, _JOB.status.in_(INDEXED))
        .scalar_subquery()
    )
    await connection.execute(
        delete(schema.jobs).where(finished, _JOB.id <= newest_to_go, _JOB.id != latest_indexed)
    )


async def _join(connection: AsyncConnection, row: RowMapping, request: JobRequest) -> IngestJob:
    joined = _together(row["id"], request_of(row), request)
    if joined != request_of(row):
        chosen = update(schema.jobs).where(_JOB.id == row["id"])
        await connection.execute(chosen.values(**request_columns(joined)))
    return replace(job_of(row), request=joined)


def _together(job_id: int, queued: JobRequest, more: JobRequest) -> JobRequest:
    """One request that does what both ask for; who asked first is still to be seen."""
    if queued.docs_path != more.docs_path:
        # What somebody forces for one source must never be forced for another.
        raise Conflict(
            f"Job {job_id} of book {queued.book_id!r} waits already, for {_source(queued)} and"
            f" not for {_source(more)}; wait until it has begun, or cancel it"
        )
    return replace(
        queued,
        mode=max(queued.mode, more.mode, key=MODES.index),
        force=queued.force or more.force,
    )


def _source(request: JobRequest) -> str:
    return "the book's own source" if request.docs_path is None else repr(request.docs_path)
