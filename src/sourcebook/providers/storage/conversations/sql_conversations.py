"""Conversations in SQL. Without the database there is no history, and everything else works."""

import time
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from sqlalchemy import Connection, delete, select, text

from sourcebook.core.conversations import Exchange
from sourcebook.core.errors import HistoryUnavailable
from sourcebook.core.health import HealthTimer, ServiceHealth
from sourcebook.providers.storage.conversations.circuit_breaker import CircuitBreaker, HistoryBusy
from sourcebook.providers.storage.conversations.database import (
    BUSY_TIMEOUT_S,
    STATEMENT_TIMEOUT_S,
    ConversationDatabase,
    PostgresConversations,
    SqliteConversations,
)
from sourcebook.providers.storage.conversations.schema import (
    as_exchange,
    as_row,
    as_time,
    conversations,
    ensure_table,
)
from sourcebook.providers.storage.sql import in_batches, insert_or_ignore, is_storable

DAY_S = 86_400.0
# Finding scans the whole table; deleting holds locks, so it goes in short steps.
FIND_BATCH = 10_000
DELETE_BATCH = 1_000

_ROW = conversations.c


class SqlConversations:
    """Implements `ConversationStore`. Calls end soon, whatever the database does."""

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
        self._breaker = CircuitBreaker(lambda: database.write(ensure_table), monotonic_s)

    async def add(self, exchange: Exchange) -> None:
        """Store an exchange durably. Adding it again changes nothing."""
        row = as_row(exchange)

        def insert(connection: Connection) -> None:
            connection.execute(insert_or_ignore(connection.dialect.name, conversations), row)

        await self._breaker.call(lambda: self._database.write(insert))

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

        def query(connection: Connection) -> list[Exchange]:
            return [as_exchange(row) for row in connection.execute(newest_first).mappings()]

        return (await self._breaker.call(lambda: self._database.read(query)))[::-1]

    async def forget(self, session_id: str) -> int:
        """Remove a session; return how many exchanges it had."""
        if not is_storable(session_id):
            return 0
        of_session, expired = _ROW.session_id == session_id, _ROW.created_at < self._oldest

        def remove(connection: Connection) -> int:
            # Expired exchanges do not count, but must go too.
            connection.execute(delete(conversations).where(of_session, expired))
            return connection.execute(delete(conversations).where(of_session)).rowcount

        return await self._breaker.call(lambda: self._database.write(remove))

    async def purge(self) -> int:
        """Delete expired exchanges in batches; return how many."""
        deleted = 0
        while found := await self._find_expired():
            for ids in in_batches(found, DELETE_BATCH):
                deleted += await self._delete(ids)
        return deleted

    async def check(self) -> ServiceHealth:
        """Run a trivial query."""
        timer = HealthTimer()
        try:
            await self._breaker.call(lambda: self._database.read(_select_one))
        except HistoryBusy as error:
            return ServiceHealth("degraded", message=error.message)
        except HistoryUnavailable as error:
            return ServiceHealth("down", message=error.message)
        return timer.report()

    async def close(self) -> None:
        """Close all connections."""
        await self._breaker.close()
        await self._database.close()

    @property
    def _oldest(self) -> object:
        """Exchanges from before this time have expired."""
        return as_time(self._now_s() - self._retention_s)

    async def _find_expired(self) -> list[uuid.UUID]:
        expired = select(_ROW.id).where(_ROW.created_at < self._oldest).limit(FIND_BATCH)

        def query(connection: Connection) -> list[uuid.UUID]:
            return list(connection.execute(expired).scalars())

        return await self._breaker.call(lambda: self._database.read(query), STATEMENT_TIMEOUT_S)

    async def _delete(self, ids: Sequence[uuid.UUID]) -> int:
        these = delete(conversations).where(_ROW.id.in_(ids))

        def remove(connection: Connection) -> int:
            return connection.execute(these).rowcount

        return await self._breaker.call(lambda: self._database.write(remove), STATEMENT_TIMEOUT_S)


@asynccontextmanager
async def open_postgres_conversations(
    url: str,
    retention_days: float,
    now_s: Callable[[], float] = time.time,
    busy_timeout_s: float = BUSY_TIMEOUT_S,
) -> AsyncIterator[SqlConversations]:
    """Open the conversations of a Postgres database, which need not be reachable yet."""
    database = PostgresConversations(url, busy_timeout_s)
    async with _opened(database, retention_days, now_s) as store:
        yield store


@asynccontextmanager
async def open_sqlite_conversations(
    path: Path,
    retention_days: float,
    now_s: Callable[[], float] = time.time,
    busy_timeout_s: float = BUSY_TIMEOUT_S,
) -> AsyncIterator[SqlConversations]:
    """Open the conversations of a SQLite file."""
    database = SqliteConversations(path, busy_timeout_s)
    async with _opened(database, retention_days, now_s) as store:
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


def _select_one(connection: Connection) -> None:
    connection.execute(text("SELECT 1"))
