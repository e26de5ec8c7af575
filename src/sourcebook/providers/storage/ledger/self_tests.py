"""Self-tests in the ledger: the latest one of each book, with its probes."""

from collections import Counter

from sqlalchemy import select, update

from sourcebook.core.jobs import Fence
from sourcebook.core.self_tests import ProbeCounts, ProbeState, SelfTest
from sourcebook.providers.storage.ledger import schema
from sourcebook.providers.storage.ledger.database import Database
from sourcebook.providers.storage.ledger.job_rows import check_fence
from sourcebook.providers.storage.ledger.self_test_rows import (
    is_test_of,
    report_column,
    report_of,
    self_test_columns,
    self_test_of,
)
from sourcebook.providers.storage.sql import insert_new, is_storable


class SqlSelfTests:
    """Implements `SelfTestLedger`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, collection: str, book_id: str) -> SelfTest | None:
        """Return the latest self-test of the book; None if there was none."""
        if not (is_storable(collection) and is_storable(book_id)):
            return None
        query = select(schema.self_tests).where(is_test_of(collection, book_id))
        async with self._database.reading() as connection:
            row = (await connection.execute(query)).mappings().one_or_none()
        return None if row is None else self_test_of(row)

    async def put(self, test: SelfTest, fence: Fence | None = None) -> None:
        """Keep it in place of the one before, and its report with the job of the fence. LeaseLost.

        The report names a few of the lost probes and counts them all.
        """
        row = self_test_columns(test)
        async with self._database.writing() as connection:
            await check_fence(connection, fence)
            if not await insert_new(connection, schema.self_tests, [row]):
                known = update(schema.self_tests).where(is_test_of(test.collection, test.book_id))
                await connection.execute(known.values(**row))
            if fence is not None:
                job = update(schema.jobs).where(schema.jobs.c.id == fence.job_id)
                await connection.execute(job.values(self_test=report_column(test.report())))

    async def counts(self) -> ProbeCounts:
        """Count the probes of all books that are in each state."""
        async with self._database.reading() as connection:
            rows = (await connection.execute(select(schema.self_tests.c.report))).scalars().all()
        total: Counter[ProbeState] = Counter()
        for row in rows:
            total.update(report_of(row).counts)
        return total
