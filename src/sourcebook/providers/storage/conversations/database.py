"""Databases for conversations: Postgres or a SQLite file, connected to at the first use."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeVar, cast
from weakref import WeakSet

from sqlalchemy import Connection, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from sourcebook.core.errors import ConfigurationError, HistoryUnavailable
from sourcebook.providers.storage.conversations.circuit_breaker import (
    CLOSED,
    UNAVAILABLE,
    HistoryBusy,
)
from sourcebook.providers.storage.migration import NewerSchema
from sourcebook.providers.storage.postgres_url import Target, postgres_target
from sourcebook.providers.storage.sql import ENGINE_SETTINGS, POOL_RECYCLE_S, to_json

T = TypeVar("T")

# Callers wait for less (see `CircuitBreaker`); this ends statements that nobody waits for.
STATEMENT_TIMEOUT_S = 60.0
DISPOSE_TIMEOUT_S = 3.0
# Less than the timeout of a call, so that a busy database is told from one that does not answer.
BUSY_TIMEOUT_S = 1.5
READER_THREADS = 2
BUSY = "Too many wait for the database of conversations; try again in a moment"
NEWER = "The table of conversations was made by a newer version of Sourcebook"


class ConversationDatabase(Protocol):
    """A database. All work is atomic, even if its caller leaves."""

    async def read(self, query: Callable[[Connection], T]) -> T:
        """Return the result of `query`, which must only read."""
        ...

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Return the result of `work`, in a transaction that commits at the end."""
        ...

    async def close(self) -> None:
        """Close all connections."""
        ...


class _DriverConnection(Protocol):
    def terminate(self) -> None: ...


class PostgresConversations:
    """Implements `ConversationDatabase`."""

    def __init__(self, url: str, busy_timeout_s: float = BUSY_TIMEOUT_S) -> None:
        target = _target(url)
        self._engine = create_async_engine(
            target.url,
            connect_args={**target.connect_args, "command_timeout": STATEMENT_TIMEOUT_S},
            json_serializer=to_json,
            pool_pre_ping=True,  # notices a server that restarted before a call fails
            pool_recycle=POOL_RECYCLE_S,
            skip_autocommit_rollback=True,
            **{**ENGINE_SETTINGS, "pool_timeout": busy_timeout_s},
        )
        self._reading = self._engine.execution_options(isolation_level="AUTOCOMMIT")
        self._connections: WeakSet[_DriverConnection] = WeakSet()
        event.listen(self._engine.sync_engine, "connect", self._remember)

    async def read(self, query: Callable[[Connection], T]) -> T:
        """Return the result of `query`, which must only read."""
        with _translated():
            async with self._reading.connect() as connection:
                return await connection.run_sync(query)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Return the result of `work`, in a transaction that commits at the end."""
        with _translated():
            async with self._engine.begin() as connection:
                return await connection.run_sync(work)

    async def close(self) -> None:
        """Close all connections; by force if the server does not answer."""
        try:
            async with asyncio.timeout(DISPOSE_TIMEOUT_S):
                await self._engine.dispose()
        except TimeoutError:
            for connection in self._connections:
                connection.terminate()
            await self._engine.dispose(close=False)

    def _remember(self, _: DBAPIConnection, entry: ConnectionPoolEntry) -> None:
        self._connections.add(cast(_DriverConnection, entry.driver_connection))


class SqliteConversations:
    """Implements `ConversationDatabase`.

    Work runs on a thread, which finishes it even if its caller has left: no lock stays.
    """

    def __init__(self, path: Path, busy_timeout_s: float = BUSY_TIMEOUT_S) -> None:
        self._engine = create_engine(
            f"sqlite:///{path}",
            connect_args={"timeout": busy_timeout_s, "isolation_level": "IMMEDIATE"},
            json_serializer=to_json,
            **ENGINE_SETTINGS,
        )
        event.listen(self._engine, "connect", _set_up)
        self._readers = ThreadPoolExecutor(READER_THREADS, "conversation-reader")
        # One, so that writers of this process never find the file locked by one another.
        self._writer = ThreadPoolExecutor(1, "conversation-writer")

    async def read(self, query: Callable[[Connection], T]) -> T:
        """Return the result of `query`, which must only read."""
        return await self._on(self._readers, query)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Return the result of `work`, in a transaction that commits at the end."""
        return await self._on(self._writer, work)

    async def close(self) -> None:
        """Finish the work in progress, and close all connections."""
        await asyncio.to_thread(self._shut_down)

    async def _on(self, threads: ThreadPoolExecutor, work: Callable[[Connection], T]) -> T:
        loop = asyncio.get_running_loop()
        try:
            done = loop.run_in_executor(threads, self._do, work)
        except RuntimeError as error:
            raise HistoryUnavailable(CLOSED) from error
        with _translated():
            return await done

    def _do(self, work: Callable[[Connection], T]) -> T:
        with self._engine.begin() as connection:
            return work(connection)

    def _shut_down(self) -> None:
        for threads in (self._readers, self._writer):
            threads.shutdown()
        self._engine.dispose()


def _set_up(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.close()


def _target(url: str) -> Target:
    try:
        return postgres_target(url)
    except ConfigurationError as error:
        message = error.message.replace("SOURCEBOOK_LEDGER_URL", "DATABASE_URL")
        raise ConfigurationError(message) from None


@contextmanager
def _translated() -> Iterator[None]:
    """Translate the driver's errors."""
    try:
        yield
    except PoolTimeout as error:
        raise HistoryBusy(BUSY) from error
    except NewerSchema as error:
        raise HistoryUnavailable(f"{NEWER} ({error})") from None
    except (SQLAlchemyError, OSError, TimeoutError) as error:
        if _is_locked(error):
            raise HistoryBusy(BUSY) from error
        raise HistoryUnavailable(UNAVAILABLE) from error


def _is_locked(error: Exception) -> bool:
    """Return whether another writer of the SQLite file took too long."""
    original = error.orig if isinstance(error, DBAPIError) else None
    if not isinstance(original, sqlite3.OperationalError):
        return False
    return original.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
