"""Ledgers for the tests: migrated once, then copied, as migrating takes longer than most tests."""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

import asyncpg

from sourcebook.providers.storage.ledger.sql_ledger import (
    SqlLedger,
    open_postgres_ledger,
    open_sqlite_ledger,
)
from tests.postgres import database_url, fresh_database

POSTGRES_TEMPLATE = "migrated_ledger"


@asynccontextmanager
async def open_copied_ledger(
    path: Path, now_s: Callable[[], float] = time.time
) -> AsyncIterator[SqlLedger]:
    """Open the ledger in this SQLite file, or a new and empty one."""
    _copy_unless_there(path)
    async with open_sqlite_ledger(path, now_s=now_s) as ledger:
        yield ledger


async def migrated_database(server_url: str) -> str:
    """Return the URL of a new database with an empty ledger on that server."""
    connection = await asyncpg.connect(server_url)
    try:
        known = "SELECT 1 FROM pg_database WHERE datname = $1"
        if not await connection.fetchval(known, POSTGRES_TEMPLATE):
            await connection.execute(f'CREATE DATABASE "{POSTGRES_TEMPLATE}"')
            async with open_postgres_ledger(database_url(server_url, POSTGRES_TEMPLATE)):
                pass
    finally:
        await connection.close()
    return await fresh_database(server_url, POSTGRES_TEMPLATE)


def _copy_unless_there(path: Path) -> None:
    if not path.exists():
        path.write_bytes(_migrated())


@cache
def _migrated() -> bytes:
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(1) as thread:
        path = Path(folder) / "ledger.db"
        # On a thread of its own: whoever asks may have an event loop running.
        thread.submit(asyncio.run, _migrate(path)).result()
        return path.read_bytes()


async def _migrate(path: Path) -> None:
    async with open_sqlite_ledger(path):
        pass
