"""Advisory locks in Postgres: who owns the ledger, and which process leads."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from sqlalchemy import URL, NullPool, Select, func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.storage.postgres_url import Target, postgres_target

log = logging.getLogger(__name__)

_FAILURES = (SQLAlchemyError, OSError, TimeoutError)

# 7_274_496_211 and 7_274_496_213 are locked by the migrations of the ledger and of conversations.
OWNER = 7_274_496_212
LEADER = 7_274_496_214
# A lock whose connection does not answer for this long is given up.
LOCK_TIMEOUT_S = 5.0
# How often an owner checks that it still holds its lock: a server that restarts forgets it.
CHECK_INTERVAL_S = 5.0

IN_USE = (
    "The ledger at SOURCEBOOK_LEDGER_URL is in use by another Sourcebook. With the embedded store,"
    " and for `verify` and `rebuild`, a ledger belongs to one process: stop the others first"
)
IN_USE_ALONE = (
    "The ledger at SOURCEBOOK_LEDGER_URL is in use by another Sourcebook that needs it for itself:"
    " one with an embedded store, or `verify` or `rebuild`. Stop that one first"
)


@asynccontextmanager
async def hold_ledger(
    target: Target, *, shared: bool, check_interval_s: float = CHECK_INTERVAL_S
) -> AsyncIterator[None]:
    """Lock the ledger, exclusively or shared; ConfigurationError if it is taken.

    An embedded index lives in one process, so a second one on the same ledger would have another.
    """
    take = func.pg_try_advisory_lock_shared if shared else func.pg_try_advisory_lock
    async with _lock_engine(target) as engine:
        lock = _Lock(engine, select(take(OWNER)))
        try:
            taken = await lock.take()
        except _FAILURES as error:
            raise ConfigurationError(
                f"The ledger cannot be locked: {engine.url.host!r} could not be reached"
                f" ({type(error).__name__}). Behind Neon's pooler, locks are taken at the host"
                " without `-pooler`, which must be reachable too"
            ) from error
        try:
            if not taken:
                raise ConfigurationError(IN_USE_ALONE if shared else IN_USE)
            async with _renewed(lock, check_interval_s):
                yield
        finally:
            await lock.release()


@asynccontextmanager
async def _renewed(lock: "_Lock", check_interval_s: float) -> AsyncIterator[None]:
    """Take the lock again whenever its connection was lost."""
    ended = asyncio.Event()
    renewing = asyncio.create_task(_renew(lock, check_interval_s, ended))
    try:
        yield
    finally:
        # Not cancelled: a query in progress would leave its connection open.
        ended.set()
        await renewing


async def _renew(lock: "_Lock", check_interval_s: float, ended: asyncio.Event) -> None:
    kept = True
    while True:
        with suppress(TimeoutError):
            async with asyncio.timeout(check_interval_s):
                await ended.wait()
                return
        try:
            held = await lock.take()
        except _FAILURES:
            # The next check opens a new connection; without a server nobody has the lock.
            continue
        if kept and not held:
            log.error("ledger_taken_by_another", extra={"advice": IN_USE_ALONE})
        elif held and not kept:
            log.info("ledger_owned_again")
        kept = held


@asynccontextmanager
async def open_leadership(url: str) -> AsyncIterator["PostgresLeadership"]:
    """Take part in the leader election of this ledger's processes. Connects to nothing yet."""
    async with _lock_engine(postgres_target(url)) as engine:
        leadership = PostgresLeadership(engine)
        try:
            yield leadership
        finally:
            await leadership.resign()


class PostgresLeadership:
    """Leader election: when the leader ends or loses its connection, the next that asks leads."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._lock = _Lock(engine, select(func.pg_try_advisory_lock(LEADER)))
        self._mutex = asyncio.Lock()
        self._leads = False

    async def lead(self) -> bool:
        """Take the lead if nobody has it; return whether this process leads."""
        async with self._mutex:
            led = self._leads
            try:
                self._leads = await self._lock.take()
            except _FAILURES as error:
                log.warning("leadership_unknown", extra={"reason": type(error).__name__})
                self._leads = False
            if self._leads != led:
                log.info("leadership_taken" if self._leads else "leadership_lost")
            return self._leads

    async def resign(self) -> None:
        """Let another process lead."""
        self._leads = False
        await self._lock.release()


class _Lock:
    """An advisory lock on a connection of its own, which it lasts as long as."""

    def __init__(self, engine: AsyncEngine, statement: Select[tuple[bool]]) -> None:
        self._engine = engine
        self._statement = statement
        self._connection: AsyncConnection | None = None
        self._held = False

    async def take(self) -> bool:
        """Take it if nobody has it; return whether this process holds it. Failures release it."""
        try:
            async with asyncio.timeout(LOCK_TIMEOUT_S):
                self._held = await self._ask()
        except _FAILURES:
            await self._close(lost=True)
            raise
        return self._held

    async def release(self) -> None:
        await self._close(lost=False)

    async def _close(self, *, lost: bool) -> None:
        connection, self._connection, self._held = self._connection, None, False
        if connection is not None:
            with suppress(*_FAILURES):
                async with asyncio.timeout(LOCK_TIMEOUT_S):
                    if lost:
                        await connection.invalidate()
                    await connection.close()

    async def _ask(self) -> bool:
        if self._connection is None:
            self._connection = await self._engine.connect()
        if self._held:
            # The lock is held as long as the connection answers.
            await self._connection.execute(select(1))
            return True
        return bool(await self._connection.scalar(self._statement))


@asynccontextmanager
async def _lock_engine(target: Target) -> AsyncIterator[AsyncEngine]:
    """An engine whose connections are not pooled."""
    engine = create_async_engine(
        _without_pooler(target.url),
        connect_args=dict(target.connect_args),
        poolclass=NullPool,
        isolation_level="AUTOCOMMIT",
        hide_parameters=True,
    )
    try:
        yield engine
    finally:
        await engine.dispose()


def _without_pooler(url: URL) -> URL:
    """Neon's direct host: behind its pooler a lock stays on a connection that others use next."""
    return url.set(host=url.host.replace("-pooler.", ".", 1)) if url.host else url
