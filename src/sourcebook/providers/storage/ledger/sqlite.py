"""Opens the ledger's database in a SQLite file, the default."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.providers.storage.ledger.database import Database, T
from sourcebook.providers.storage.sql import ENGINE_SETTINGS, to_json

# Other processes write, too; deleting a large book takes one of them seconds.
BUSY_TIMEOUT_MS = 20_000
READER_THREADS = 2

_SETTINGS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}",
)


@asynccontextmanager
async def open_sqlite(path: Path) -> AsyncIterator[Database]:
    """Open the SQLite file, creating and migrating it as needed."""
    engine = create_async_engine(
        f"sqlite+aiosqlite:///{path}", json_serializer=to_json, **ENGINE_SETTINGS
    )
    event.listen(engine.sync_engine, "connect", _set_up)
    event.listen(engine.sync_engine, "begin", _begin)
    event.listen(engine.sync_engine, "invalidate", _roll_back)
    queries = _ThreadedQueries(path)
    database = Database(
        reading=engine,
        queries=queries,
        writing=engine.execution_options(begin="BEGIN IMMEDIATE"),
        # So that no writer of this process finds the file locked.
        write_lock=asyncio.Lock(),
        folder=path.parent,
    )
    try:
        await database.migrate()
        yield database
    finally:
        queries.close()
        await engine.dispose()


class _ThreadedQueries:
    """Runs each query on one thread.

    The async driver switches threads for every step of a query, about ten times, which takes
    longer than the query itself.
    """

    def __init__(self, path: Path) -> None:
        self._engine = create_engine(
            f"sqlite:///{path}", json_serializer=to_json, **ENGINE_SETTINGS
        )
        event.listen(self._engine, "connect", _set_up)
        self._threads = ThreadPoolExecutor(READER_THREADS, "ledger-reader")
        # For the event loop: it waits for nobody.
        self._watching = sqlite3.connect(path, timeout=0, isolation_level=None)

    async def read(self, query: Callable[[Connection], T]) -> T:
        loop = asyncio.get_running_loop()
        try:
            found = loop.run_in_executor(self._threads, self._read, query)
        except RuntimeError as error:
            raise RetrievalUnavailable("The ledger (database) is closed") from error
        return await found

    def version(self) -> int | None:
        """Look into the shared memory of the database, which takes some microseconds."""
        try:
            version: int = self._watching.execute("PRAGMA data_version").fetchone()[0]
        except sqlite3.Error:
            return None
        return version

    def close(self) -> None:
        self._threads.shutdown()
        self._engine.dispose()
        self._watching.close()

    def _read(self, query: Callable[[Connection], T]) -> T:
        with self._engine.connect() as connection:
            return query(connection)


def _set_up(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    # Otherwise the driver begins transactions itself, and too late for a snapshot.
    connection.isolation_level = None
    cursor = connection.cursor()
    for statement in _SETTINGS:
        cursor.execute(statement)
    cursor.close()


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))


def _roll_back(
    connection: DBAPIConnection, _: ConnectionPoolEntry, __: BaseException | None
) -> None:
    # A write that is cancelled between a statement and its rows leaves an open cursor. Closing
    # the connection would not end its transaction before that cursor is collected.
    with suppress(asyncio.CancelledError):
        connection.rollback()
