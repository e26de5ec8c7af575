"""The ledger's database in Postgres, for services with more than one process."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from sourcebook.providers.storage.database import ENGINE_SETTINGS, Database, T, to_json
from sourcebook.providers.storage.postgres_locks import owning
from sourcebook.providers.storage.urls import postgres_target

RECYCLE_AFTER_S = 300


@asynccontextmanager
async def open_postgres(url: str, *, shared: bool = False) -> AsyncIterator[Database]:
    """Connect, and migrate as needed. Alone, or beside others that share it too."""
    target = postgres_target(url)
    engine = create_async_engine(
        target.url,
        connect_args=dict(target.connect_args),
        json_serializer=to_json,
        pool_pre_ping=True,  # a server that restarted is found out before a request fails
        pool_recycle=RECYCLE_AFTER_S,
        skip_autocommit_rollback=True,
        **ENGINE_SETTINGS,
    )
    database = Database(
        # A page and its total must come from one snapshot.
        reading=engine.execution_options(isolation_level="REPEATABLE READ"),
        looking=_Statements(engine.execution_options(isolation_level="AUTOCOMMIT")),
        writing=engine,
    )
    try:
        await database.migrate()
        async with owning(target, shared=shared):
            yield database
    finally:
        await engine.dispose()


class _Statements:
    """Reads without a transaction around each statement."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def read(self, look: Callable[[Connection], T]) -> T:
        async with self._engine.connect() as connection:
            return await connection.run_sync(look)
