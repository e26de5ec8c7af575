"""The history of jobs is kept, but not for ever, and large texts only as long as needed."""

from sqlalchemy import func, insert, select

from sourcebook.core.jobs import ItemResult, JobKind, JobRequest, JobStatus, Outcome, Progress
from sourcebook.providers.storage.ledger import schema
from sourcebook.providers.storage.ledger.import_items import MAX_FINISHED_LOADS
from sourcebook.providers.storage.ledger.job_queue import MAX_FINISHED_JOBS
from sourcebook.providers.storage.ledger.job_rows import new_columns
from sourcebook.providers.storage.ledger.sql_ledger import SqlLedger

BOOK = JobRequest("robotics")


async def add_ended(
    ledger: SqlLedger, status: JobStatus, count: int, book: str, kind: JobKind = "book"
) -> None:
    row = {**new_columns(JobRequest(book), 0.0, kind), "status": status}
    async with ledger.database.writing() as connection:
        await connection.execute(insert(schema.jobs), [row] * count)


async def statuses(ledger: SqlLedger, book: str) -> list[JobStatus]:
    return [job.status for job in await ledger.jobs.recent(10 * MAX_FINISHED_JOBS, book)]


async def test_the_latest_thousand_jobs_of_a_book_are_kept(ledger: SqlLedger) -> None:
    await add_ended(ledger, "completed", 5, "robotics")
    await add_ended(ledger, "cancelled", 5, "other")
    await add_ended(ledger, "completed", MAX_FINISHED_JOBS, "robotics")

    queued = await ledger.jobs.enqueue(BOOK)

    assert await statuses(ledger, "robotics") == ["queued"] + ["completed"] * MAX_FINISHED_JOBS
    assert await statuses(ledger, "other") == ["cancelled"] * 5
    assert queued.id == MAX_FINISHED_JOBS + 11


async def test_the_job_that_says_what_is_indexed_is_kept(ledger: SqlLedger) -> None:
    await add_ended(ledger, "completed", 2, "robotics")
    await add_ended(ledger, "failed", MAX_FINISHED_JOBS + 5, "robotics")

    await ledger.jobs.enqueue(BOOK)

    indexed = await ledger.jobs.latest_indexed("robotics")
    assert indexed is not None
    assert indexed.id == 2
    assert await statuses(ledger, "robotics") == [
        "queued",
        *["failed"] * MAX_FINISHED_JOBS,
        "completed",
    ]


async def test_few_jobs_are_all_kept(ledger: SqlLedger) -> None:
    await add_ended(ledger, "failed", MAX_FINISHED_JOBS, "robotics")

    await ledger.jobs.enqueue(BOOK)

    assert len(await statuses(ledger, "robotics")) == MAX_FINISHED_JOBS + 1


async def kept_items(ledger: SqlLedger) -> list[str]:
    query = select(schema.load_items.c.document).order_by(*schema.load_items.primary_key)
    async with ledger.database.reading() as connection:
        return [document.get("text", "") for document in await connection.scalars(query)]


async def test_the_latest_loads_are_kept_and_books_do_not_count(ledger: SqlLedger) -> None:
    forgotten = await ledger.jobs.enqueue_import([{"text": "old"}])
    await ledger.jobs.cancel(forgotten.id)
    await add_ended(ledger, "completed", 5, "documents/x", "documents")
    await add_ended(ledger, "failed", MAX_FINISHED_LOADS, "robotics")
    await add_ended(ledger, "partial", MAX_FINISHED_LOADS - 1, "documents/x", "documents")

    new = await ledger.jobs.enqueue_import([{"text": "new"}])

    kept = [
        job.status for job in await ledger.jobs.recent(10 * MAX_FINISHED_LOADS, kind="documents")
    ]
    assert kept == ["queued", *["partial"] * (MAX_FINISHED_LOADS - 1), "completed"]
    assert await statuses(ledger, "robotics") == ["failed"] * MAX_FINISHED_LOADS
    async with ledger.database.reading() as connection:
        items = await connection.scalar(select(func.count()).select_from(schema.load_items))
    assert (items, len(await ledger.jobs.unsettled(new.id, 9))) == (1, 1)


async def test_loads_that_wait_or_run_are_never_forgotten(ledger: SqlLedger) -> None:
    running, waiting = [await ledger.jobs.enqueue_import([{"text": name}]) for name in ("r", "w")]
    await ledger.jobs.claim(30.0, "documents")
    await add_ended(ledger, "failed", MAX_FINISHED_LOADS + 5, "documents/x", "documents")

    await ledger.jobs.enqueue_import([])

    for job in (running, waiting):
        assert len(await ledger.jobs.unsettled(job.id, 9)) == 1


async def test_the_text_of_an_item_is_kept_until_it_is_settled(ledger: SqlLedger) -> None:
    await ledger.jobs.enqueue_import([{"text": "a"}, {"text": "b"}, {"text": "c"}])
    job = await ledger.jobs.claim(30.0, "documents")
    assert job is not None

    await ledger.jobs.settle(job.fence, {1: ItemResult("created", "b", 1)})
    assert await kept_items(ledger) == ["a", "", "c"]

    await ledger.jobs.finish(job.fence, Outcome("failed", "no"), Progress(), ())
    assert await kept_items(ledger) == ["", "", ""]


async def test_a_cancelled_load_keeps_no_texts(ledger: SqlLedger) -> None:
    queued = await ledger.jobs.enqueue_import([{"text": "a"}])
    await ledger.jobs.enqueue_import([{"text": "b"}])

    await ledger.jobs.cancel(queued.id)

    assert await kept_items(ledger) == ["", "b"]
