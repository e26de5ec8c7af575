"""Looks at a ledger without changing it: its schema version, its collections, its soundness."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import quote

from sqlalchemy import URL, Connection, create_engine, select, text
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.ext.asyncio import create_async_engine

from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.providers.storage.ledger.schema import MIGRATIONS, collections
from sourcebook.providers.storage.postgres_url import postgres_target

if TYPE_CHECKING:
    import sqlite3

CHECK_TIMEOUT_S = 10.0
# How many steps of SQLite's machine are between two looks at the clock.
STEPS_PER_LOOK = 100_000


@dataclass(frozen=True, slots=True)
class LedgerFacts:
    """What a ledger holds. `damage` is what SQLite's own check found; None if it is sound.

    `checked` is False if that check was not done to the end, or not at all.
    """

    version: str | None
    newest: str
    indexes: dict[str, str]
    documents: int
    checked: bool = False
    damage: str | None = None

    @property
    def too_new(self) -> bool:
        """True if a newer release wrote it."""
        return self.version is not None and self.version > self.newest


def inspect_sqlite_ledger(path: Path) -> LedgerFacts:
    """Read the file, also while another process writes to it; RetrievalUnavailable if it fails."""
    read_only = URL.create(
        "sqlite", database=f"file:{quote(str(path))}", query={"mode": "ro", "uri": "true"}
    )
    engine = create_engine(read_only, hide_parameters=True)
    try:
        with _translated(), engine.connect() as connection:
            checked, damage = _quick_check(connection)
            if damage is not None:
                return LedgerFacts(None, MIGRATIONS.head, {}, 0, checked, damage)
            return _facts(connection, checked=checked)
    finally:
        engine.dispose()


async def inspect_postgres_ledger(url: str) -> LedgerFacts:
    """Read the database; RetrievalUnavailable if that fails."""
    target = postgres_target(url)
    engine = create_async_engine(
        target.url, connect_args=dict(target.connect_args), hide_parameters=True
    )
    try:
        with _translated():
            async with engine.connect() as connection:
                return await connection.run_sync(_facts)
    finally:
        await engine.dispose()


def _facts(connection: Connection, *, checked: bool = False) -> LedgerFacts:
    version = MIGRATIONS.version(connection)
    if version is None:
        return LedgerFacts(None, MIGRATIONS.head, {}, 0, checked)
    found = connection.execute(
        select(collections.c.name, collections.c.index_id, collections.c.document_count).where(
            collections.c.state == "live"
        )
    ).all()
    indexes = {str(name): str(index_id) for name, index_id, _ in found}
    documents = sum(int(count) for _, _, count in found)
    return LedgerFacts(version, MIGRATIONS.head, indexes, documents, checked)


def _quick_check(connection: Connection) -> tuple[bool, str | None]:
    """Return whether SQLite's check was done in time, and the first damage that it found."""
    end_s = time.monotonic() + CHECK_TIMEOUT_S
    raw = cast("sqlite3.Connection", connection.connection.driver_connection)
    raw.set_progress_handler(lambda: time.monotonic() > end_s, STEPS_PER_LOOK)
    try:
        found = str(connection.execute(text("PRAGMA quick_check(1)")).scalar())
    except OperationalError as error:
        if "interrupted" in str(error.orig):
            return False, None
        raise
    finally:
        raw.set_progress_handler(None, STEPS_PER_LOOK)
    return True, None if found == "ok" else found


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (SQLAlchemyError, OSError, TimeoutError) as error:
        cause = getattr(error, "orig", error)
        raise RetrievalUnavailable(f"The ledger cannot be read ({type(cause).__name__})") from error
