"""Opens the ledger's database in Postgres, for services with more than one process."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from sourcebook.providers.storage.ledger.database import Database, T
from sourcebook.providers.storage.ledger.postgres_locks import Ownership, hold_ledger
from sourcebook.providers.storage.postgres_url import postgres_target
from sourcebook.providers.storage.sql import ENGINE_SETTINGS, POOL_RECYCLE_S, to_json


@asynccontextmanager
async def open_postgres(url: str, *, shared: bool = False) -> AsyncIterator[Database]:
    """Connect and migrate as needed; alone, or shared with other processes."""
    target, ownership = postgres_target(url), Ownership()
    engine = create_async_engine(
        target.url,
        connect_args=dict(target.connect_args),
        json_serializer=to_json,
        pool_pre_ping=True,  # notices a server that restarted before a request fails
        pool_recycle=POOL_RECYCLE_S,
        skip_autocommit_rollback=True,
        **ENGINE_SETTINGS,
    )
    database = Database(
        # A page and its total must come from one snapshot.
        reading=engine.execution_options(isolation_level="REPEATABLE READ"),
        queries=_AutocommitQueries(engine.execution_options(isolation_level="AUTOCOMMIT")),
        writing=engine,
        check_access=ownership.check,
    )
    try:
        await database.migrate()
        async with hold_ledger(target, shared=shared, ownership=ownership):
            yield database
    finally:
        await engine.dispose()


class _AutocommitQueries:
    """Runs queries without a transaction around each."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def read(self, query: Callable[[Connection], T]) -> T:
        async with self._engine.connect() as connection:
            return await connection.run_sync(query)

    def version(self) -> None:
        """Only the server knows."""
