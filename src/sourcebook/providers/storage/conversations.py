"""Conversations in SQL. Without the database there is no history, and all else goes on."""

import time
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from sqlalchemy import Connection, Insert, delete, select, text
from sqlalchemy.dialects import postgresql, sqlite

from sourcebook.core.conversations import Exchange
from sourcebook.core.errors import HistoryUnavailable
from sourcebook.core.health import ServiceHealth
from sourcebook.providers.storage.batches import in_batches
from sourcebook.providers.storage.conversation_database import (
    STATEMENT_LIMIT_S,
    ConversationDatabase,
    PostgresConversations,
    SqliteConversations,
)
from sourcebook.providers.storage.conversation_link import HistoryBusy, Link
from sourcebook.providers.storage.conversation_rows import as_exchange, as_row, as_time
from sourcebook.providers.storage.conversation_schema import conversations, ensure_table
from sourcebook.providers.storage.texts import is_storable

DAY_S = 86_400.0
# Finding takes a look through the whole table; deleting holds locks, so it goes in short steps.
FOUND_AT_ONCE = 10_000
DELETED_AT_ONCE = 1_000

_ROW = conversations.c


class SqlConversations:
    """Implements `ConversationStore`. Whatever the database does, calls end soon."""

    def __init__(
        self,
        database: ConversationDatabase,
        retention_s: float,
        now_s: Callable[[], float] = time.time,
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._retention_s = retention_s
        self._now_s = now_s
        self._link = Link(lambda: database.write(ensure_table), monotonic_s)

    async def add(self, exchange: Exchange) -> None:
        """Keep an exchange, durably. Adding it again changes nothing."""
        row = as_row(exchange)

        def insert(connection: Connection) -> None:
            connection.execute(_insert_new(connection), row)

        await self._link.call(lambda: self._database.write(insert))

    async def latest(self, session_id: str, limit: int) -> list[Exchange]:
        """The newest exchanges of a session, oldest first."""
        if limit <= 0 or not is_storable(session_id):
            return []
        newest_first = (
            select(conversations)
            .where(_ROW.session_id == session_id, _ROW.created_at >= self._oldest)
            .order_by(_ROW.created_at.desc(), _ROW.id.desc())
            .limit(limit)
        )

        def look(connection: Connection) -> list[Exchange]:
            return [as_exchange(row) for row in connection.execute(newest_first).mappings()]

        return (await self._link.call(lambda: self._database.read(look)))[::-1]

    async def forget(self, session_id: str) -> int:
        """Remove a session; how many exchanges it had."""
        if not is_storable(session_id):
            return 0
        of_session, expired = _ROW.session_id == session_id, _ROW.created_at < self._oldest

        def remove(connection: Connection) -> int:
            # What has expired does not count, and must not be left behind either.
            connection.execute(delete(conversations).where(of_session, expired))
            return connection.execute(delete(conversations).where(of_session)).rowcount

        return await self._link.call(lambda: self._database.write(remove))

    async def purge(self) -> int:
        """Delete what is older than the retention, in batches; how many."""
        deleted = 0
        while found := await self._find_expired():
            for ids in in_batches(found, DELETED_AT_ONCE):
                deleted += await self._delete(ids)
        return deleted

    async def check(self) -> ServiceHealth:
        """Ask the database for one row."""
        started_s = time.perf_counter()
        try:
            await self._link.call(lambda: self._database.read(_look_for_nothing))
        except HistoryBusy as error:
            return ServiceHealth("degraded", message=error.message)
        except HistoryUnavailable as error:
            return ServiceHealth("down", message=error.message)
        return ServiceHealth("up", latency_ms=(time.perf_counter() - started_s) * 1000)

    async def close(self) -> None:
        """Let go of the database."""
        await self._link.close()
        await self._database.close()

    @property
    def _oldest(self) -> object:
        """The time before which nothing exists."""
        return as_time(self._now_s() - self._retention_s)

    async def _find_expired(self) -> list[uuid.UUID]:
        expired = select(_ROW.id).where(_ROW.created_at < self._oldest).limit(FOUND_AT_ONCE)

        def look(connection: Connection) -> list[uuid.UUID]:
            return list(connection.execute(expired).scalars())

        return await self._link.call(lambda: self._database.read(look), STATEMENT_LIMIT_S)

    async def _delete(self, ids: Sequence[uuid.UUID]) -> int:
        these = delete(conversations).where(_ROW.id.in_(ids))

        def remove(connection: Connection) -> int:
            return connection.execute(these).rowcount

        return await self._link.call(lambda: self._database.write(remove), STATEMENT_LIMIT_S)


@asynccontextmanager
async def open_postgres_conversations(
    url: str, retention_days: float, now_s: Callable[[], float] = time.time
) -> AsyncIterator[SqlConversations]:
    """Conversations in a Postgres database, which need not be there yet."""
    async with _opened(PostgresConversations(url), retention_days, now_s) as store:
        yield store


@asynccontextmanager
async def open_sqlite_conversations(
    path: Path, retention_days: float, now_s: Callable[[], float] = time.time
) -> AsyncIterator[SqlConversations]:
    """Conversations in a SQLite file."""
    async with _opened(SqliteConversations(path), retention_days, now_s) as store:
        yield store


@asynccontextmanager
async def _opened(
    database: ConversationDatabase, retention_days: float, now_s: Callable[[], float]
) -> AsyncIterator[SqlConversations]:
    store = SqlConversations(database, retention_days * DAY_S, now_s)
    try:
        yield store
    finally:
        await store.close()


def _insert_new(connection: Connection) -> Insert:
    if connection.dialect.name == "postgresql":
        return postgresql.insert(conversations).on_conflict_do_nothing()
    return sqlite.insert(conversations).on_conflict_do_nothing()


def _look_for_nothing(connection: Connection) -> None:
    connection.execute(text("SELECT 1"))
