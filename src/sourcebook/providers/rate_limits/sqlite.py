"""Rate limits in a SQLite file: exact sliding windows that the processes of one machine share."""

import asyncio
import hashlib
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

from sourcebook.core.errors import Unavailable
from sourcebook.core.health import HealthTimer, ServiceHealth

WINDOW_S = 60.0
BUSY_TIMEOUT_S = 1.0
# Nothing here has to survive a power cut.
_SET_UP = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=OFF",
    "CREATE TABLE IF NOT EXISTS calls (name TEXT, caller BLOB, at_s REAL)",
    "CREATE INDEX IF NOT EXISTS ix_calls ON calls (name, caller, at_s)",
    "CREATE INDEX IF NOT EXISTS ix_calls_at ON calls (at_s)",
)


@asynccontextmanager
async def open_sqlite_windows(
    file: Path, installation: str, now_s: Callable[[], float] = time.monotonic
) -> AsyncIterator["SqliteWindows"]:
    """Open the windows. The clock is one that all processes of the machine share."""
    with ThreadPoolExecutor(1, "rate-limits") as thread:
        loop = asyncio.get_running_loop()
        connection = await loop.run_in_executor(thread, _connect, file)
        try:
            yield SqliteWindows(connection, thread, installation, now_s)
        finally:
            await loop.run_in_executor(thread, connection.close)


class SqliteWindows:
    """Sliding windows by name. Callers are stored as keyed hashes, never readable."""

    service = "rate_limits"

    def __init__(
        self,
        connection: sqlite3.Connection,
        thread: ThreadPoolExecutor,
        installation: str,
        now_s: Callable[[], float],
    ) -> None:
        self._connection = connection
        self._thread = thread
        self._key = hashlib.sha256(installation.encode()).digest()
        self._now_s = now_s

    def window(self, name: str) -> "SqliteWindow":
        return SqliteWindow(self, name)

    async def take(self, name: str, caller: str, at_most: int) -> float | None:
        """Count a call of the caller in a window; Unavailable."""
        hashed = hashlib.blake2b(caller.encode(), key=self._key, digest_size=16).digest()
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._thread, self._take, name, hashed, at_most)
        except sqlite3.Error as error:
            raise Unavailable("The rate limits of several processes cannot be counted") from error

    async def check(self) -> ServiceHealth:
        """Count a call that nobody makes."""
        timer = HealthTimer()
        try:
            await self.take("check", "", 1)
        except Unavailable:
            return ServiceHealth(
                "degraded", message="not available; each process counts calls for itself"
            )
        return timer.report()

    def _take(self, name: str, caller: bytes, at_most: int) -> float | None:
        with self._connection as calls:
            calls.execute("BEGIN IMMEDIATE")
            now_s = self._now_s()
            # After a restart of the machine its clock begins anew.
            old = now_s - WINDOW_S, now_s
            calls.execute("DELETE FROM calls WHERE at_s <= ? OR at_s > ?", old)
            latest = calls.execute(
                "SELECT at_s FROM calls WHERE name = ? AND caller = ? ORDER BY at_s DESC"
                " LIMIT 1 OFFSET ?",
                (name, caller, at_most - 1),
            ).fetchone()
            if latest is not None:
                return float(latest[0]) + WINDOW_S - now_s
            calls.execute("INSERT INTO calls VALUES (?, ?, ?)", (name, caller, now_s))
            return None


class SqliteWindow:
    """A sliding window of 60 seconds."""

    def __init__(self, windows: SqliteWindows, name: str) -> None:
        self._windows = windows
        self._name = name

    async def take(self, caller: str, at_most: int) -> float | None:
        """Count a call, or return the seconds to wait if `at_most` fell into the last 60 s."""
        return await self._windows.take(self._name, caller, at_most)


def _connect(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        file, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
    )
    for statement in _SET_UP:
        connection.execute(statement)
    return connection
