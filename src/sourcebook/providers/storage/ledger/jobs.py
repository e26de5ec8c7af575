"""Ingestion jobs: a durable queue, where one worker at a time holds a job by a lease."""

import asyncio
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import cast

from sqlalchemy import ColumnElement, Connection, RowMapping, case, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from sourcebook.core.book_source import FileProblem
from sourcebook.core.errors import AlreadyExists, Conflict, NotFound
from sourcebook.core.jobs import (
    UNFINISHED,
    Fence,
    ImportItem,
    ImportTally,
    IngestJob,
    ItemResult,
    JobKind,
    JobRequest,
    Outcome,
    Progress,
    Recall,
)
from sourcebook.core.metadata import Metadata
from sourcebook.core.statistics import JobCounts
from sourcebook.providers.storage.ledger import schema
from sourcebook.providers.storage.ledger.database import Database
from sourcebook.providers.storage.ledger.import_items import (
    NEXT_ITEMS,
    count_items,
    delete_old_loads,
    drop_documents,
    insert_items,
    settle_items,
    slice_items,
)
from sourcebook.providers.storage.ledger.job_queue import (
    INDEXED,
    delete_old_jobs,
    next_job,
    queue,
    queue_reindex,
    retire_built,
    take_delivery,
)
from sourcebook.providers.storage.ledger.job_rows import (
    check_fence,
    job_of,
    new_columns,
    outcome_columns,
    report_columns,
)
from sourcebook.providers.storage.sql import is_storable

MAX_ATTEMPTS = 3
MAX_ID = 2**63 - 1

_JOB = schema.jobs.c


class SqlJobs:
    """Implements `JobLedger`."""

    def __init__(self, database: Database, now_s: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now_s = now_s

    async def enqueue(self, request: JobRequest, delivery_id: str | None = None) -> IngestJob:
        """Record a job durably, or add the request to a queued one.

        AlreadyExists if the delivery was recorded before; then nothing changes.
        """
        now_s = self._now_s()
        async with self._database.writing() as connection:
            if delivery_id is not None and not await take_delivery(connection, delivery_id, now_s):
                raise AlreadyExists(f"Delivery {delivery_id!r} was taken already")
            job = await queue(connection, request, now_s)
            await delete_old_jobs(connection, request.book_id)
        return job

    async def enqueue_import(self, documents: Sequence[Metadata]) -> IngestJob:
        """Record a job of kind `documents` with its items, durably and atomically.

        Any JSON is stored as it is: bad documents are found when their item is processed.
        InvalidInput for what JSON cannot hold.
        """
        slices = await asyncio.to_thread(slice_items, documents)
        # A name of its own, so that no load joins another or waits for it.
        request = JobRequest(f"documents/{uuid.uuid4().hex}")
        row = new_columns(request, self._now_s(), kind="documents")
        async with self._database.writing() as connection:
            added = insert(schema.jobs).returning(*schema.jobs.c)
            job = job_of((await connection.execute(added, row)).mappings().one())
            await insert_items(connection, job.id, slices)
            await delete_old_loads(connection)
        return job

    async def get(self, job_id: int) -> IngestJob:
        """Return the job of that number; NotFound if there is none."""
        async with self._database.reading() as connection:
            return job_of(await _found(connection, job_id))

    async def recent(
        self, limit: int, book_id: str | None = None, kind: JobKind = "book"
    ) -> list[IngestJob]:
        """Return the latest jobs of a kind, newest first."""
        if book_id is not None and not is_storable(book_id):
            return []
        of_book = [] if book_id is None else [_JOB.book_id == book_id]
        async with self._database.reading() as connection:
            return await _latest(connection, limit, _JOB.kind == kind, *of_book)

    async def unfinished(self, book_id: str | None = None) -> list[IngestJob]:
        """Return the book jobs that wait or run, oldest first."""
        if book_id is not None and not is_storable(book_id):
            return []
        of_book = [] if book_id is None else [_JOB.book_id == book_id]
        query = (
            select(schema.jobs)
            .where(_JOB.kind == "book", _JOB.status.in_(UNFINISHED), *of_book)
            .order_by(_JOB.id)
        )
        async with self._database.reading() as connection:
            return [job_of(row) for row in (await connection.execute(query)).mappings()]

    async def claim(self, lease_s: float, kind: JobKind = "book") -> IngestJob | None:
        """Claim the oldest job without a worker. A job that killed too many workers fails."""
        now_s = self._now_s()
        async with self._database.writing() as connection:
            while (row := await next_job(connection, kind, now_s)) is not None:
                if row["attempts"] < MAX_ATTEMPTS:
                    return await _begin(connection, row["id"], now_s, lease_s)
                await _give_up(connection, job_of(row), now_s)
        return None

    async def unsettled(self, job_id: int, limit: int) -> list[ImportItem]:
        """Return the first items of a load without a result; an ended load has none."""

        def query(connection: Connection) -> list[ImportItem]:
            wanted = {"job": job_id, "at_most": limit}
            return [ImportItem(*row) for row in connection.execute(NEXT_ITEMS, wanted)]

        return await self._database.read(query)

    async def settle(self, fence: Fence, results: Mapping[int, ItemResult]) -> None:
        """Record results of items by position; existing results stay. LeaseLost.

        The document of a settled item is dropped to free space.
        """
        async with self._database.writing() as connection:
            await check_fence(connection, fence)
            await settle_items(connection, fence.job_id, results)

    async def tally(self, job_id: int) -> ImportTally:
        """Return how far a load is; NotFound if there is no such load."""
        async with self._database.reading() as connection:
            await _found(connection, job_id, _JOB.kind == "documents")
            return await count_items(connection, job_id)

    async def beat(
        self, fence: Fence, progress: Progress, warnings: Sequence[FileProblem], lease_s: float
    ) -> bool:
        """Renew the lease and record progress; return whether to cancel the job. LeaseLost."""
        report = report_columns(progress, warnings)
        row = await self._change(fence, **report, lease_until_s=self._now_s() + lease_s)
        return cast(bool, row["cancel_requested"])

    async def enqueue_reindex(self, collection_id: str, request: JobRequest) -> IngestJob:
        """Record a job of kind `reindex` durably, or find one that does the same already.

        NotFound if there is no such collection; Conflict if another reindex waits or runs.
        """
        async with self._database.writing() as connection:
            job = await queue_reindex(connection, collection_id, request, self._now_s())
            await delete_old_jobs(connection, request.book_id)
        return job

    async def compare(self, fence: Fence, recall: Recall) -> None:
        """Record how a new index compares with the old one. LeaseLost."""
        await self._change(fence, recall=asdict(recall))

    async def build(self, fence: Fence, building: str | None) -> None:
        """Record which collection the job builds, or which index a job of kind `reindex` does.

        An index that it built before is retired. LeaseLost.
        """
        async with self._database.writing() as connection:
            await check_fence(connection, fence)
            await retire_built(connection, fence.job_id, self._now_s())
            await _updated(connection, fence.job_id, building=building)

    async def finish(
        self, fence: Fence, outcome: Outcome, progress: Progress, warnings: Sequence[FileProblem]
    ) -> None:
        """End the job. LeaseLost."""
        how = {**outcome_columns(outcome), **report_columns(progress, warnings), "building": None}
        async with self._database.writing() as connection:
            await check_fence(connection, fence)
            await _end(connection, fence.job_id, self._now_s(), **how)

    async def let_go(self, fence: Fence) -> None:
        """Release the job, so that a worker resumes it at once; the attempt does not count."""
        fewer = case((_JOB.attempts > 0, _JOB.attempts - 1), else_=0)
        await self._change(fence, lease_until_s=self._now_s(), attempts=fewer)

    async def let_all_go(self) -> None:
        """End every lease. Only for the sole owner at its start: the holders are dead."""
        async with self._database.writing() as connection:
            running = update(schema.jobs).where(_JOB.status == "running")
            await connection.execute(running.values(lease_until_s=0.0))

    async def cancel(self, job_id: int) -> IngestJob:
        """End a queued job; ask a running one to end. NotFound; Conflict if it has ended."""
        async with self._database.writing() as connection:
            job = job_of(await _found(connection, job_id, lock=True))
            if job.finished:
                raise Conflict(f"Job {job_id} has ended already ({job.status})")
            if job.status == "running":
                return job_of(await _updated(connection, job_id, cancel_requested=True))
            return job_of(await _end(connection, job_id, self._now_s(), status="cancelled"))

    async def latest_indexed(self, book_id: str) -> IngestJob | None:
        """Return the latest job that completed, fully or partially."""
        indexed = _JOB.kind == "book", _JOB.book_id == book_id, _JOB.status.in_(INDEXED)
        async with self._database.reading() as connection:
            found = await _latest(connection, 1, *indexed)
        return found[0] if found else None

    async def count_unfinished(self) -> JobCounts:
        """Count the jobs of each kind that wait and run."""
        counted = (
            select(_JOB.kind, _JOB.status, func.count())
            .where(_JOB.status.in_(UNFINISHED))
            .group_by(_JOB.kind, _JOB.status)
        )
        async with self._database.reading() as connection:
            rows = await connection.execute(counted)
        return {(kind, status): count for kind, status, count in rows}

    async def _change(self, fence: Fence, **columns: object) -> RowMapping:
        async with self._database.writing() as connection:
            await check_fence(connection, fence)
            return await _updated(connection, fence.job_id, **columns)


async def _begin(
    connection: AsyncConnection, job_id: int, now_s: float, lease_s: float
) -> IngestJob:
    row = await _updated(
        connection,
        job_id,
        status="running",
        token=_JOB.token + 1,
        attempts=_JOB.attempts + 1,
        started_at_s=func.coalesce(_JOB.started_at_s, now_s),
        lease_until_s=now_s + lease_s,
    )
    return job_of(row)


async def _give_up(connection: AsyncConnection, job: IngestJob, now_s: float) -> None:
    """Fail a job that kills its workers. What it was building stays recorded, to be cleared."""
    if job.kind == "reindex":
        error = (
            f"The process ended {job.attempts} times while this job ran. The collection goes on"
            " with the index it had; look into the log, and start the job again"
        )
        await _end(connection, job.id, now_s, status="failed", error=error)
        return
    place = job.progress.current_file or "none"
    thing = "document" if job.kind == "documents" else "file"
    error = (
        f"The process ended {job.attempts} times while this job ran (last {thing}: {place})."
        f" Look into that {thing} and the log, or leave the {thing} out, and start the job again"
    )
    await _end(connection, job.id, now_s, status="failed", error=error)


async def _end(
    connection: AsyncConnection, job_id: int, now_s: float, **columns: object
) -> RowMapping:
    """End the job; return its row."""
    await retire_built(connection, job_id, now_s)
    row = await _updated(connection, job_id, finished_at_s=now_s, lease_until_s=None, **columns)
    if row["kind"] == "documents":
        await drop_documents(connection, job_id)
    return row


async def _found(
    connection: AsyncConnection,
    job_id: int,
    *conditions: ColumnElement[bool],
    lock: bool = False,
) -> RowMapping:
    row = None
    if 0 < job_id <= MAX_ID:  # a larger number is no value for a database
        query = select(schema.jobs).where(_JOB.id == job_id, *conditions)
        locked = query.with_for_update() if lock else query
        row = (await connection.execute(locked)).mappings().one_or_none()
    if row is None:
        raise NotFound(f"Job {job_id} not found")
    return row


async def _latest(
    connection: AsyncConnection, limit: int, *conditions: ColumnElement[bool]
) -> list[IngestJob]:
    query = select(schema.jobs).where(*conditions).order_by(_JOB.id.desc()).limit(limit)
    return [job_of(row) for row in (await connection.execute(query)).mappings()]


async def _updated(connection: AsyncConnection, job_id: int, **columns: object) -> RowMapping:
    """Change these columns of the job; return its row."""
    query = update(schema.jobs).where(_JOB.id == job_id).values(**columns).returning(*schema.jobs.c)
    return (await connection.execute(query)).mappings().one()
