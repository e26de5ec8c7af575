"""The history of jobs is kept, but not for ever."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import insert

from sourcebook.core.jobs import JobRequest, JobStatus
from sourcebook.providers.storage import schema
from sourcebook.providers.storage.job_queue import KEPT_JOBS
from sourcebook.providers.storage.job_rows import new_columns
from sourcebook.providers.storage.ledger import (
    SqlLedger,
    open_postgres_ledger,
    open_sqlite_ledger,
)
from tests.postgres import fresh_database

BOOK = JobRequest("robotics")


@pytest.fixture(params=["sqlite", "postgres"])
async def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[SqlLedger]:
    if request.param == "sqlite":
        opening = open_sqlite_ledger(tmp_path / "ledger.db")
    else:
        url = await fresh_database(request.getfixturevalue("postgres_url"))
        opening = open_postgres_ledger(url)
    async with opening as ledger:
        yield ledger


async def add_ended(ledger: SqlLedger, status: JobStatus, count: int, book: str) -> None:
    row = {**new_columns(JobRequest(book), 0.0), "status": status}
    async with ledger.database.writing() as connection:
        await connection.execute(insert(schema.jobs), [row] * count)


async def statuses(ledger: SqlLedger, book: str) -> list[JobStatus]:
    return [job.status for job in await ledger.jobs.recent(10 * KEPT_JOBS, book)]


async def test_the_latest_thousand_jobs_of_a_book_are_kept(ledger: SqlLedger) -> None:
    await add_ended(ledger, "completed", 5, "robotics")
    await add_ended(ledger, "cancelled", 5, "other")
    await add_ended(ledger, "completed", KEPT_JOBS, "robotics")

    queued = await ledger.jobs.enqueue(BOOK)

    assert await statuses(ledger, "robotics") == ["queued"] + ["completed"] * KEPT_JOBS
    assert await statuses(ledger, "other") == ["cancelled"] * 5
    assert queued.id == KEPT_JOBS + 11


async def test_the_job_that_says_what_is_indexed_is_kept(ledger: SqlLedger) -> None:
    await add_ended(ledger, "completed", 2, "robotics")
    await add_ended(ledger, "failed", KEPT_JOBS + 5, "robotics")

    await ledger.jobs.enqueue(BOOK)

    indexed = await ledger.jobs.latest_indexed("robotics")
    assert indexed is not None
    assert indexed.id == 2
    assert await statuses(ledger, "robotics") == ["queued", *["failed"] * KEPT_JOBS, "completed"]


async def test_few_jobs_are_all_kept(ledger: SqlLedger) -> None:
    await add_ended(ledger, "failed", KEPT_JOBS, "robotics")

    await ledger.jobs.enqueue(BOOK)

    assert len(await statuses(ledger, "robotics")) == KEPT_JOBS + 1
