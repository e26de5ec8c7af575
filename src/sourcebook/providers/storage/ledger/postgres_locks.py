"""Advisory locks in Postgres: who owns the ledger, and which process leads."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from enum import Enum

from sqlalchemy import URL, NullPool, Select, func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from sourcebook.core.errors import ConfigurationError, RetrievalUnavailable
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
# And how often it tries to take a lock again that it has lost.
RETRY_INTERVAL_S = 0.1
# A request that finds the lock lost waits so long for it to be taken again.
ANSWER_TIMEOUT_S = 1.0

IN_USE = (
    "The ledger at SOURCEBOOK_LEDGER_URL is in use by another Sourcebook. With the embedded store,"
    " and for `verify` and `rebuild`, a ledger belongs to one process: stop the others first"
)
IN_USE_ALONE = (
    "The ledger at SOURCEBOOK_LEDGER_URL is in use by another Sourcebook that needs it for itself:"
    " one with an embedded store, or `verify` or `rebuild`. Stop that one first"
)
LOST = (
    "Another Sourcebook has taken the ledger at SOURCEBOOK_LEDGER_URL while this one was cut off"
    " from it. With an embedded store a ledger belongs to one process: stop one of the two, then"
    " restart this one"
)


class Ownership:
    """Whether this process has the ledger; nothing is read or written without it.

    Set `wake` to have the lock asked for at once.
    """

    class _State(Enum):
        HELD = "held"
        UNKNOWN = "unknown"
        TAKEN = "taken"

    def __init__(self) -> None:
        self._state = self._State.UNKNOWN
        self._answered = asyncio.Event()
        self.wake = asyncio.Event()

    async def check(self) -> None:
        """Raise RetrievalUnavailable unless the lock is held, or can be taken again right now."""
        # The first answer may be to a question from before the server came back.
        for _ in range(2):
            if self._state is self._State.UNKNOWN:
                self.wake.set()
                with suppress(TimeoutError):
                    async with asyncio.timeout(ANSWER_TIMEOUT_S):
                        await self._answered.wait()
        if self.is_taken:
            raise RetrievalUnavailable(LOST)
        if not self.is_held:
            raise RetrievalUnavailable(
                "The connection to the ledger (database) was lost; try again in a moment"
            )

    @property
    def is_held(self) -> bool:
        return self._state is self._State.HELD

    @property
    def is_taken(self) -> bool:
        return self._state is self._State.TAKEN

    def note_disconnection(self) -> None:
        """Doubt it until the lock was asked for again: another process may take it now."""
        if self.is_held:
            self._state = self._State.UNKNOWN
        self.wake.set()

    def note_answer(self, held: bool | None) -> None:
        """Note whether the lock is held; None if the server did not say."""
        if held and self.is_taken:
            log.info("ledger_owned_again")
        if held is False and not self.is_taken:
            log.error("ledger_taken_by_another", extra={"advice": LOST})
        if held is not None:
            self._state = self._State.HELD if held else self._State.TAKEN
        elif self.is_held:
            self._state = self._State.UNKNOWN
        self._answered.set()
        self._answered = asyncio.Event()


@asynccontextmanager
async def hold_ledger(
    target: Target,
    *,
    shared: bool,
    ownership: Ownership | None = None,
    check_interval_s: float = CHECK_INTERVAL_S,
) -> AsyncIterator[None]:
    """Lock the ledger, exclusively or shared; ConfigurationError if it is taken.

    An embedded index lives in one process, so a second one on the same ledger would have another.
    `ownership` knows at any time whether the lock is still held.
    """
    ownership = ownership or Ownership()
    take = func.pg_try_advisory_lock_shared if shared else func.pg_try_advisory_lock
    async with _lock_engine(target) as engine:
        lock = _Lock(engine, select(take(OWNER)), ownership.note_disconnection)
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
            ownership.note_answer(True)
            renewal = _Renewal(lock, ownership, check_interval_s, final=not shared)
            async with renewal.running():
                yield
        finally:
            await lock.release()


class _Renewal:
    """Takes the lock again whenever its connection was lost, before others can.

    If another process was faster, `final` says that the lock is not taken again: what that one has
    written is missing in the embedded index of this one.
    """

    def __init__(
        self,
        lock: "_Lock",
        ownership: Ownership,
        check_interval_s: float,
        *,
        final: bool,
    ) -> None:
        self._lock = lock
        self._ownership = ownership
        self._check_interval_s = check_interval_s
        self._final = final
        self._ended = False

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        renewing = asyncio.create_task(self._renew())
        try:
            yield
        finally:
            # Not cancelled: a query in progress would leave its connection open.
            self._ended = True
            self._ownership.wake.set()
            await renewing

    async def _renew(self) -> None:
        while not self._ended and not (self._final and self._ownership.is_taken):
            with suppress(TimeoutError):
                async with asyncio.timeout(self._interval_s):
                    await self._ownership.wake.wait()
            self._ownership.wake.clear()
            if not self._ended:
                await self._take()

    @property
    def _interval_s(self) -> float:
        unsure = not (self._ownership.is_held or self._ownership.is_taken)
        return min(RETRY_INTERVAL_S, self._check_interval_s) if unsure else self._check_interval_s

    async def _take(self) -> None:
        held = None
        # Without a server nobody has the lock.
        with suppress(*_FAILURES):
            held = await self._lock.take_again()
        self._ownership.note_answer(held)


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

    def __init__(
        self,
        engine: AsyncEngine,
        statement: Select[tuple[bool]],
        on_disconnection: Callable[[], None] | None = None,
    ) -> None:
        self._engine = engine
        self._statement = statement
        self._on_disconnection = on_disconnection
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

    async def take_again(self) -> bool:
        """As `take`; what fails on an old connection is tried on a new one."""
        if self._connection is not None:
            with suppress(*_FAILURES):
                return await self.take()
        return await self.take()

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
            await self._listen(self._connection)
        if self._held:
            # The lock is held as long as the connection answers.
            await self._connection.execute(select(1))
            return True
        return bool(await self._connection.scalar(self._statement))

    async def _listen(self, connection: AsyncConnection) -> None:
        """Hear at once that a connection has ended, not when it is next used."""
        if (tell := self._on_disconnection) is not None:
            raw = await connection.get_raw_connection()
            assert raw.driver_connection is not None  # noqa: S101 - for the type checker
            raw.driver_connection.add_termination_listener(lambda _: tell())


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
