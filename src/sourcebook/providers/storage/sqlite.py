"""The ledger's database in a SQLite file: the default, embedded in the service."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from sqlalchemy import Connection, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from sourcebook.providers.storage.database import ENGINE_SETTINGS, Database, to_json

BUSY_TIMEOUT_MS = 5_000

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
    # Writers of this process take turns, so that none finds the file locked.
    database = Database(
        reading=engine,
        looking=engine.execution_options(begin=""),
        writing=engine.execution_options(begin="BEGIN IMMEDIATE"),
        turn=_Turn(asyncio.Lock()),
    )
    try:
        await database.migrate()
        yield database
    finally:
        await engine.dispose()


class _Turn:
    """A lock as a context that gives nothing."""

    def __init__(self, lock: asyncio.Lock) -> None:
        self._lock = lock

    async def __aenter__(self) -> None:
        await self._lock.acquire()

    async def __aexit__(self, *_: object) -> None:
        self._lock.release()


def _set_up(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    # Without this the driver would begin transactions by itself, and too late for a snapshot.
    connection.isolation_level = None
    cursor = connection.cursor()
    for statement in _SETTINGS:
        cursor.execute(statement)
    cursor.close()


def _begin(connection: Connection) -> None:
    statement = connection.get_execution_options().get("begin", "BEGIN")
    if statement:
        connection.exec_driver_sql(statement)
