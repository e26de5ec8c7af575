"""One database: how its connections are set up, how reads and writes begin, how it migrates."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from sqlalchemy import Connection, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from sourcebook.core.errors import ConfigurationError, RetrievalUnavailable
from sourcebook.core.metadata import JsonValue

MIGRATIONS = Path(__file__).parent / "migrations"
BUSY_TIMEOUT_MS = 5_000
POOL_SIZE = 8
POOL_WAIT_S = 5.0

_SQLITE_SETTINGS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}",
)


class Database:
    """Gives out connections. Writers of this process take turns, so that none finds it locked."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._writing_engine = engine.execution_options(begin="BEGIN IMMEDIATE")
        self._write_turn = asyncio.Lock()

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A connection with one snapshot of the data."""
        with _translated():
            async with self._engine.connect() as connection:
                yield connection

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that commits at the end, or leaves everything as it was."""
        with _translated():
            async with self._write_turn, self._writing_engine.begin() as connection:
                yield connection


@contextmanager
def _translated() -> Iterator[None]:
    """Turn the driver's errors into ours where they enter."""
    try:
        yield
    except (SQLAlchemyError, OSError) as error:
        raise RetrievalUnavailable(
            "The ledger (database) is not available; try again in a moment"
        ) from error


@asynccontextmanager
async def open_sqlite(path: Path) -> AsyncIterator[Database]:
    """Open the SQLite file, creating and migrating it as needed."""
    engine = create_async_engine(
        f"sqlite+aiosqlite:///{path}",
        json_serializer=_to_json,
        hide_parameters=True,  # they hold people's texts, and errors end in logs
        pool_size=POOL_SIZE,
        max_overflow=0,
        pool_timeout=POOL_WAIT_S,
    )
    event.listen(engine.sync_engine, "connect", _set_up_sqlite)
    event.listen(engine.sync_engine, "begin", _begin)
    try:
        await _migrate(engine)
        yield Database(engine)
    finally:
        await engine.dispose()


async def _migrate(engine: AsyncEngine) -> None:
    try:
        async with engine.execution_options(begin="BEGIN IMMEDIATE").begin() as connection:
            await connection.run_sync(_upgrade)
    except DBAPIError as error:
        raise ConfigurationError(
            f"The ledger cannot be opened: {error.orig}. Check that the data folder is writable"
            " and holds no damaged ledger.db"
        ) from error


def _upgrade(connection: Connection) -> None:
    # Alembic is only needed here, once per start.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS))
    command.upgrade(config, "head")


def _set_up_sqlite(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    # Without this the driver would begin transactions by itself, and too late for a snapshot.
    connection.isolation_level = None
    cursor = connection.cursor()
    for statement in _SQLITE_SETTINGS:
        cursor.execute(statement)
    cursor.close()


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))


def _to_json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
