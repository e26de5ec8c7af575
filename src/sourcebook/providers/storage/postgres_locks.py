"""Locks that a process holds in Postgres for as long as its connection lasts."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from sqlalchemy import URL, NullPool, Select, func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.storage.urls import Target, postgres_target

log = logging.getLogger(__name__)

_FAILURES = (SQLAlchemyError, OSError, TimeoutError)

# 7274496211 and 7274496213 are locked by the migrations of the ledger and of conversations.
OWNER = 7_274_496_212
LEADER = 7_274_496_214
# A lock that cannot be asked about for this long is given up.
ASK_WITHIN_S = 5.0
# How often an owner looks whether its lock is still there: a server that restarts forgets it.
LOOK_EVERY_S = 5.0

IN_USE = (
    "The ledger at SOURCEBOOK_LEDGER_URL is in use by another Sourcebook. With the embedded store,"
    " and for `verify` and `rebuild`, a ledger belongs to one process: stop the others first"
)
IN_USE_ALONE = (
    "The ledger at SOURCEBOOK_LEDGER_URL is in use by another Sourcebook that needs it for itself:"
    " one with an embedded store, or `verify` or `rebuild`. Stop that one first"
)


@asynccontextmanager
async def owning(
    target: Target, *, shared: bool, look_every_s: float = LOOK_EVERY_S
) -> AsyncIterator[None]:
    """Keep the ledger, alone or with others that share it; ConfigurationError if it is taken.

    An embedded index lies in one process, so a second one on the same ledger would have another.
    """
    take = func.pg_try_advisory_lock_shared if shared else func.pg_try_advisory_lock
    async with _locking(target) as engine:
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
            async with _kept(lock, look_every_s):
                yield
        finally:
            await lock.give_back()


@asynccontextmanager
async def _kept(lock: "_Lock", look_every_s: float) -> AsyncIterator[None]:
    """Take the lock again whenever its connection was lost."""
    ended = asyncio.Event()
    keeping = asyncio.create_task(_keep(lock, look_every_s, ended))
    try:
        yield
    finally:
        # Not cancelled: a question in the middle would leave its connection open.
        ended.set()
        await keeping


async def _keep(lock: "_Lock", look_every_s: float, ended: asyncio.Event) -> None:
    kept = True
    while True:
        with suppress(TimeoutError):
            async with asyncio.timeout(look_every_s):
                await ended.wait()
                return
        try:
            held = await lock.take()
        except _FAILURES:
            # The next look makes a new connection; while there is no server, nobody has the lock.
            continue
        if kept and not held:
            log.error("ledger_taken_by_another", extra={"advice": IN_USE_ALONE})
        elif held and not kept:
            log.info("ledger_owned_again")
        kept = held


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
        self._lock = _Lock(engine, select(func.pg_try_advisory_lock(LEADER)))
        self._asking = asyncio.Lock()
        self._leads = False

    async def lead(self) -> bool:
        """Take the lead if nobody has it; tell whether it is ours."""
        async with self._asking:
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
        """Let another one lead."""
        self._leads = False
        await self._lock.give_back()


class _Lock:
    """A lock on a connection of its own, which lasts as long as that connection."""

    def __init__(self, engine: AsyncEngine, taking: Select[tuple[bool]]) -> None:
        self._engine = engine
        self._taking = taking
        self._connection: AsyncConnection | None = None
        self._held = False

    async def take(self) -> bool:
        """Take it if nobody has it; tell whether it is ours. Whatever fails gives it back."""
        try:
            async with asyncio.timeout(ASK_WITHIN_S):
                self._held = await self._ask()
        except _FAILURES:
            await self._let_go(lost=True)
            raise
        return self._held

    async def give_back(self) -> None:
        """Let another one have it."""
        await self._let_go(lost=False)

    async def _let_go(self, *, lost: bool) -> None:
        connection, self._connection, self._held = self._connection, None, False
        if connection is not None:
            with suppress(*_FAILURES):
                async with asyncio.timeout(ASK_WITHIN_S):
                    if lost:
                        await connection.invalidate()
                    await connection.close()

    async def _ask(self) -> bool:
        if self._connection is None:
            self._connection = await self._engine.connect()
        if self._held:
            # As long as the connection answers, the lock is still ours.
            await self._connection.execute(select(1))
            return True
        return bool(await self._connection.scalar(self._taking))


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
