"""Statements of the job queue: enqueue or join, claim, expire; and webhook deliveries seen."""

from dataclasses import replace

from sqlalchemy import RowMapping, and_, delete, exists, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from sourcebook.core.errors import Conflict, InvalidInput, NotFound, Overloaded
from sourcebook.core.jobs import MODES, UNFINISHED, IngestJob, JobKind, JobRequest
from sourcebook.core.text import check_text
from sourcebook.providers.storage.ledger import schema
from sourcebook.providers.storage.ledger.collection_rows import lock_by_id, retire_index
from sourcebook.providers.storage.ledger.job_rows import (
    job_of,
    new_columns,
    request_columns,
    request_of,
)
from sourcebook.providers.storage.sql import insert_new

MAX_FINISHED_JOBS = 1_000
INDEXED = ("completed", "partial")
# Each failed attempt is a job that somebody else queued and a worker took at once.
MAX_QUEUE_ATTEMPTS = 5

DELIVERY_RETENTION_S = 30 * 86_400.0
MAX_DELIVERY_ID_CHARS = 128

_JOB = schema.jobs.c
_DELIVERY = schema.webhook_deliveries.c


async def queue(connection: AsyncConnection, request: JobRequest, now_s: float) -> IngestJob:
    """Return the queued job of the book: an existing one, joined by this request, or a new one."""
    waiting = (
        select(schema.jobs)
        .where(_JOB.book_id == request.book_id, _JOB.status == "queued")
        .with_for_update()
    )
    for _ in range(MAX_QUEUE_ATTEMPTS):
        row = (await connection.execute(waiting)).mappings().one_or_none()
        if row is not None:
            return await _join(connection, row, request)
        # If another one was inserted in the meantime, this inserts nothing.
        await insert_new(connection, schema.jobs, [new_columns(request, now_s)])
    raise Overloaded(
        f"Too many jobs of book {request.book_id!r} are asked for at once; try again in a moment"
    )


async def next_job(connection: AsyncConnection, kind: JobKind, now_s: float) -> RowMapping | None:
    """Return the oldest job without a worker, locked; other workers find the one after it."""
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


async def delete_old_jobs(connection: AsyncConnection, book_id: str) -> None:
    """Delete finished jobs of a book, except the latest and the latest that indexed something."""
    finished = and_(_JOB.book_id == book_id, _JOB.status.not_in(UNFINISHED))
    newest_to_go = (
        select(_JOB.id).where(finished).order_by(_JOB.id.desc()).offset(MAX_FINISHED_JOBS).limit(1)
    ).scalar_subquery()
    latest_indexed = (
        select(func.coalesce(func.max(_JOB.id), 0))
        .where(_JOB.book_id == book_id, _JOB.status.in_(INDEXED))
        .scalar_subquery()
    )
    await connection.execute(
        delete(schema.jobs).where(finished, _JOB.id <= newest_to_go, _JOB.id != latest_indexed)
    )


async def queue_reindex(
    connection: AsyncConnection, collection_id: str, request: JobRequest, now_s: float
) -> IngestJob:
    """Return the job that does this: one that waits or runs already, or a new one."""
    # Locked: a concurrent request for the same collection waits until this one is done.
    if await lock_by_id(connection, collection_id) is None:
        raise NotFound("The collection was deleted in the meantime")
    under_way = select(schema.jobs).where(
        _JOB.book_id == request.book_id, _JOB.status.in_(UNFINISHED)
    )
    row = (await connection.execute(under_way)).mappings().one_or_none()
    if row is None:
        added = insert(schema.jobs).returning(*schema.jobs.c)
        columns = new_columns(request, now_s, kind="reindex")
        return job_of((await connection.execute(added, columns)).mappings().one())
    _refuse_another(row, request)
    return job_of(row)


async def retire_built(connection: AsyncConnection, job_id: int, now_s: float) -> None:
    """Retire the index that a job of kind `reindex` was building."""
    query = select(_JOB.building).where(_JOB.id == job_id, _JOB.kind == "reindex")
    building = await connection.scalar(query)
    if building is None:
        return
    await retire_index(connection, building, now_s)
    await connection.execute(update(schema.jobs).where(_JOB.id == job_id).values(building=None))


async def take_delivery(connection: AsyncConnection, delivery_id: str, now_s: float) -> bool:
    """Record a webhook delivery in this transaction; False if it was recorded before."""
    if not 1 <= len(delivery_id) <= MAX_DELIVERY_ID_CHARS:
        raise InvalidInput(f"A delivery id must have 1 to {MAX_DELIVERY_ID_CHARS} characters")
    check_text(delivery_id, "delivery id")
    row = {"id": delivery_id, "received_at_s": now_s}
    if not await insert_new(connection, schema.webhook_deliveries, [row]):
        return False
    await connection.execute(
        delete(schema.webhook_deliveries).where(
            _DELIVERY.received_at_s < now_s - DELIVERY_RETENTION_S
        )
    )
    return True


async def _join(connection: AsyncConnection, row: RowMapping, request: JobRequest) -> IngestJob:
    joined = _together(row["id"], request_of(row), request)
    if joined != request_of(row):
        chosen = update(schema.jobs).where(_JOB.id == row["id"])
        await connection.execute(chosen.values(**request_columns(joined)))
    return replace(job_of(row), request=joined)


def _together(job_id: int, queued: JobRequest, more: JobRequest) -> JobRequest:
    """Return one request that does what both ask for, triggered by the first."""
    if queued.docs_path != more.docs_path:
        # What somebody forces for one source must never be forced for another.
        raise Conflict(
            f"Job {job_id} of book {queued.book_id!r} waits already, for {_source(queued)} and"
            f" not for {_source(more)}; wait until it has begun, or cancel it"
        )
    if _layouts_clash(queued, more):
        raise Conflict(
            f"Job {job_id} of book {queued.book_id!r} waits already, with other patterns; wait"
            " until it has begun, or cancel it"
        )
    return replace(
        queued,
        mode=max(queued.mode, more.mode, key=MODES.index),
        force=queued.force or more.force,
        patterns=more.patterns if queued.patterns is None else queued.patterns,
        exclude=more.exclude if queued.exclude is None else queued.exclude,
    )


def _layouts_clash(queued: JobRequest, more: JobRequest) -> bool:
    """A request that names no patterns joins one that does, unless one of them is forced.

    What somebody forces for one layout must never be forced for another.
    """
    pairs = ((queued.patterns, more.patterns), (queued.exclude, more.exclude))
    different = [pair for pair in pairs if pair[0] != pair[1]]
    if queued.force or more.force:
        return bool(different)
    return any(None not in pair for pair in different)


def _source(request: JobRequest) -> str:
    return "the book's own source" if request.docs_path is None else repr(request.docs_path)


def _refuse_another(row: RowMapping, request: JobRequest) -> None:
    if (row["model"], row["back_to"]) == (request.model, request.back_to):
        return
    doing = f"changes the collection to model {row['model']!r}"
    if row["back_to"] is not None:
        doing = f"takes the collection back to model {row['model']!r}"
    raise Conflict(f"Job {row['id']} {doing} ({row['status']}); wait for its end, or cancel it")
