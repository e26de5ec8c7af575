"""Locks that a process holds in Postgres for as long as its connection lasts."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from sqlalchemy import URL, NullPool, func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.storage.urls import Target, postgres_target

log = logging.getLogger(__name__)

# 7274496211 and 7274496213 are locked by the migrations of the ledger and of conversations.
OWNER = 7_274_496_212
LEADER = 7_274_496_214
# A lead that cannot be asked about for this long is given up.
ASK_WITHIN_S = 5.0

IN_USE = (
    "The ledger at SOURCEBOOK_LEDGER_URL is in use by another Sourcebook. With the embedded store,"
    " and for `verify` and `rebuild`, a ledger belongs to one process: stop the others first"
)
IN_USE_ALONE = (
    "The ledger at SOURCEBOOK_LEDGER_URL is in use by another Sourcebook that needs it for itself:"
    " one with an embedded store, or `verify` or `rebuild`. Stop that one first"
)


@asynccontextmanager
async def owning(target: Target, *, shared: bool) -> AsyncIterator[None]:
    """Keep the ledger, alone or with others that share it; ConfigurationError if it is taken.

    An embedded index lies in one process, so a second one on the same ledger would have another.
    """
    lock = func.pg_try_advisory_lock_shared if shared else func.pg_try_advisory_lock
    async with _locking(target) as engine, engine.connect() as connection:
        if not await connection.scalar(select(lock(OWNER))):
            raise ConfigurationError(IN_USE_ALONE if shared else IN_USE)
        yield


@asynccontextmanager
async def open_leadership(url: str) -> AsyncIterator["PostgresLeadership"]:
    """Stand for the lead among the processes on this ledger. Nothing is connected to yet."""
    async with _locking(postgres_target(url)) as engine:
        leadership = PostgresLeadership(engine)
        try:
            yield leadership
        finally:
            await leadership.resign()


class PostgresLeadership:
    """One process leads. When it ends or loses its connection, the next that asks does."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._asking = asyncio.Lock()
        self._connection: AsyncConnection | None = None
        self._leads = False

    async def lead(self) -> bool:
        """Take the lead if nobody has it; tell whether it is ours."""
        async with self._asking:
            led = self._leads
            try:
                async with asyncio.timeout(ASK_WITHIN_S):
                    self._leads = await self._ask()
            except (SQLAlchemyError, OSError, TimeoutError) as error:
                log.warning("leadership_unknown", extra={"reason": type(error).__name__})
                await self.resign()
            if self._leads != led:
                log.info("leadership_taken" if self._leads else "leadership_lost")
            return self._leads

    async def resign(self) -> None:
        """Let another one lead."""
        connection, self._connection, self._leads = self._connection, None, False
        if connection is not None:
            with suppress(SQLAlchemyError, OSError, TimeoutError):
                async with asyncio.timeout(ASK_WITHIN_S):
                    await connection.invalidate()
                    await connection.close()

    async def _ask(self) -> bool:
        if self._connection is None:
            self._connection = await self._engine.connect()
        if self._leads:
            # The lock lasts as long as the connection: if that answers, the lead is still ours.
            await self._connection.execute(select(1))
            return True
        return bool(await self._connection.scalar(select(func.pg_try_advisory_lock(LEADER))))


@asynccontextmanager
async def _locking(target: Target) -> AsyncIterator[AsyncEngine]:
    """An engine whose connections are nobody else's."""
    engine = create_async_engine(
        _past_the_pooler(target.url),
        connect_args=dict(target.connect_args),
        poolclass=NullPool,
        isolation_level="AUTOCOMMIT",
        hide_parameters=True,
    )
    try:
        yield engine
    finally:
        await engine.dispose()


def _past_the_pooler(url: URL) -> URL:
    """Neon's own host: behind its pooler a lock stays on a connection that others use next."""
    return url.set(host=url.host.replace("-pooler.", ".", 1)) if url.host else url
