"""The ledger's database: connections for reading and writing, and its migration."""

import errno
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext
from pathlib import Path
from shutil import disk_usage
from typing import Generic, Protocol, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from sourcebook.core.errors import (
    MIN_FREE_MIB,
    ConfigurationError,
    DiskFull,
    Overloaded,
    RetrievalUnavailable,
)
from sourcebook.providers.storage.ledger.schema import MIGRATIONS
from sourcebook.providers.storage.migration import NewerSchema

T = TypeVar("T")

# So many results are remembered between two commits.
MAX_REMEMBERED = 1_000


class QueryRunner(Protocol):
    """Runs a query with as little overhead as the database allows."""

    async def read(self, query: Callable[[Connection], T]) -> T:
        """Return the result of `query`, which must only read."""
        ...

    def version(self) -> int | None:
        """Return what every commit of anybody changes; None if that takes a query, too."""
        ...


class Database:
    """Hands out connections; writers wait for `write_lock` before they begin.

    `check_access` raises RetrievalUnavailable while this process may not use the database.
    `folder` is where its file lies, if it is one.
    """

    def __init__(
        self,
        *,
        reading: AsyncEngine,
        queries: QueryRunner,
        writing: AsyncEngine,
        write_lock: AbstractAsyncContextManager[None] | None = None,
        check_access: Callable[[], Awaitable[None]] | None = None,
        folder: Path | None = None,
    ) -> None:
        self._reading = reading
        self._queries = queries
        self._writing = writing
        self._write_lock = write_lock or nullcontext()
        self._check = check_access
        self._folder = folder

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """Open a connection with one snapshot of the data."""
        await self._check_access()
        with _translated():
            async with self._reading.connect() as connection:
                yield connection

    async def read(self, query: Callable[[Connection], T]) -> T:
        """Return the result of `query`: faster, for reads that need no snapshot of their own."""
        await self._check_access()
        with _translated():
            return await self._queries.read(query)

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """Open a transaction that commits at the end, or changes nothing."""
        with _translated():
            async with self._write_lock, self._writing.begin() as connection:
                await self._check_access()
                yield connection
                # What another process owns by now must not be committed.
                await self._check_access()

    def version(self) -> int | None:
        """Return what every commit of anybody changes; None if nobody can tell at once."""
        return self._queries.version()

    def has_room(self) -> bool:
        """Return whether the disk has room to write, as far as we can see it."""
        return self._folder is None or disk_usage(self._folder).free >= MIN_FREE_MIB << 20

    async def _check_access(self) -> None:
        if self._check is not None:
            await self._check()

    async def migrate(self) -> None:
        """Bring the tables up to date, in one transaction."""
        try:
            async with self._writing.begin() as connection:
                await connection.run_sync(MIGRATIONS.upgrade)
        except NewerSchema as error:
            raise ConfigurationError(
                f"The ledger was written by a newer version of Sourcebook ({error}). Install that"
                " version again, or restore the backup that was made before the upgrade"
            ) from None
        except (SQLAlchemyError, OSError, TimeoutError) as error:
            raise ConfigurationError(
                "The ledger cannot be opened: the database could not be reached or is damaged"
                f" ({type(getattr(error, 'orig', error)).__name__}). Check that the data folder is"
                " writable and its ledger.db sound, or that SOURCEBOOK_LEDGER_URL is right"
            ) from error


class Remembered(Generic[T]):
    """Reads again only what somebody may have changed: a thread and a query take 0.3 ms."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._version: int | None = None
        self._known: dict[str, T] = {}

    async def read(self, name: str, query: Callable[[Connection], T]) -> T:
        """Return the result of the query of that name."""
        version = self._database.version()
        if version is None or version != self._version or len(self._known) >= MAX_REMEMBERED:
            self._version, self._known = version, {}
        known = self._known
        if name not in known:
            found = await self._database.read(query)
            if version is None:
                return found
            known[name] = found
        return known[name]


@contextmanager
def _translated() -> Iterator[None]:
    """Translate the driver's errors."""
    try:
        yield
    except PoolTimeout as error:
        raise Overloaded("Too many requests wait for the ledger; try again in a moment") from error
    except (SQLAlchemyError, OSError, TimeoutError) as error:
        if _is_disk_full(error):
            raise DiskFull from error
        raise RetrievalUnavailable(
            "The ledger (database) is not available; try again in a moment"
        ) from error


def _is_disk_full(error: Exception) -> bool:
    original = getattr(error, "orig", error)
    if isinstance(original, sqlite3.OperationalError):
        return original.sqlite_errorcode & 0xFF == sqlite3.SQLITE_FULL
    return isinstance(original, OSError) and original.errno in {errno.ENOSPC, errno.EDQUOT}
