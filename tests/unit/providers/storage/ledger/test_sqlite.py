"""The SQLite file under what the async driver does not promise."""

import asyncio
import threading
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from sourcebook.core.vectors import PointRef
from sourcebook.providers.storage.ledger.database import Database, Remembered
from sourcebook.providers.storage.ledger.documents import SqlDocuments
from sourcebook.providers.storage.ledger.sqlite import open_sqlite
from tests.unit.providers.storage.ledger.conftest import PlansOf


class Gate:
    """A SQL function that holds the statement which calls it."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.open = threading.Event()
        self._loop = asyncio.get_running_loop()

    def __call__(self) -> int:
        self._loop.call_soon_threadsafe(self.reached.set)
        self.open.wait(30)
        return 1


async def test_what_is_remembered_is_read_again_after_a_commit_of_anybody(tmp_path: Path) -> None:
    file = tmp_path / "ledger.db"
    async with open_sqlite(file) as database, open_sqlite(file) as other:
        remembered, asked = Remembered[int](database), list[str]()

        def count(connection: Connection) -> int:
            asked.append("count")
            return int(connection.execute(text("SELECT count(*) FROM installation")).scalar_one())

        assert [await remembered.read("count", count) for _ in range(3)] == [0, 0, 0]
        assert len(asked) == 1
        for number, writer in enumerate((other, database), 1):
            async with writer.writing() as connection:
                await connection.execute(
                    text("INSERT INTO installation VALUES (:only, 'x')"), {"only": number}
                )
            assert await remembered.read("count", count) == number


async def test_a_write_cancelled_between_a_statement_and_its_rows_keeps_no_lock(
    tmp_path: Path,
) -> None:
    async with open_sqlite(tmp_path / "ledger.db") as database:
        gate = Gate()
        writing = asyncio.create_task(_written(database, gate))
        await gate.reached.wait()
        writing.cancel()
        gate.open.set()
        with pytest.raises(asyncio.CancelledError) as caught:
            await writing

        async with database.writing() as connection:
            await connection.execute(text("CREATE TABLE second (a INTEGER)"))

        # Until here the error held the frames of the cancelled write, and with them its cursor.
        assert caught.value is not None
        async with database.reading() as connection:
            tables = await connection.execute(text("SELECT name FROM sqlite_master"))
            names = set(tables.scalars())
        assert "second" in names
        assert "first" not in names


async def _written(database: Database, gate: Gate) -> None:
    async with database.writing() as connection:
        driver = (await connection.get_raw_connection()).driver_connection
        assert driver is not None
        await driver.create_function("gate", 0, gate)
        await connection.execute(text("CREATE TABLE first (a INTEGER)"))
        await connection.execute(text("SELECT gate() UNION ALL SELECT 2"))


@pytest.mark.parametrize("count", [1, 11, 400])
async def test_chunks_are_looked_up_by_their_ids_however_many_are_wanted(
    tmp_path: Path, plans_of: PlansOf, count: int
) -> None:
    refs = [PointRef(str(number), f"chunk {number}", "a", "1", "") for number in range(count)]
    async with open_sqlite(tmp_path / "ledger.db") as database:
        await SqlDocuments(database).chunks_at("a collection", 7, refs)
        await SqlDocuments(database).document_of("a collection", "chunk 1")

    plans = plans_of("FROM chunks")
    # By the document would mean: all chunks of the collection.
    assert len(plans) == 2
    assert all("chunk_id=?" in plan for plan in plans), plans
