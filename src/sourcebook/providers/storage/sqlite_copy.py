"""Copies a SQLite database while other processes write to it, and describes the copy."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.storage.conversations import schema as conversations
from sourcebook.providers.storage.ledger import schema as ledger

# Between two steps the copy can be interrupted.
PAGES_PER_STEP = 4_096
BUSY_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class DatabaseContents:
    """What a database holds; `schema` is the newest migration of the ledger, if it has one."""

    schema: str | None = None
    installation: str | None = None
    collections: int = 0
    documents: int = 0
    chunks: int = 0
    exchanges: int = 0


def copy_database(
    source: Path,
    target: Path,
    show: Callable[[float], None] = lambda share: None,
    *,
    pages_per_step: int = PAGES_PER_STEP,
) -> None:
    """Copy the database as it is at this moment into a new file; ConfigurationError if damaged.

    `show` is told after every step which share of it is copied.
    """

    def progress(_: int, remaining: int, total: int) -> None:
        show(1 - remaining / total if total else 1.0)

    with _opened(source) as live, closing(sqlite3.connect(target, isolation_level=None)) as copy:
        live.execute("PRAGMA query_only=ON")
        # One snapshot for all steps. Without it, each write of another process begins them anew.
        live.execute("BEGIN")
        live.execute("SELECT count(*) FROM sqlite_master").fetchone()
        live.backup(copy, pages=pages_per_step, progress=progress)
        # The copy is one file, without a log beside it.
        copy.execute("PRAGMA journal_mode=DELETE")
        (found,) = copy.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise ConfigurationError(
                f"The database {source.name!r} is damaged ({found}), so a backup of it would be"
                " too. Restore an earlier backup"
            )


def describe_database(path: Path) -> DatabaseContents:
    """Count what the database holds."""
    with _opened(path) as database:
        tables = _tables(database)

        def scalar(table: str, wanted: str, where: str = "") -> object:
            if table not in tables:
                return None
            # The names are ours, and SQLite takes no parameters for them.
            query = f"SELECT {wanted} FROM {table} {where}"  # noqa: S608
            row = database.execute(query).fetchone()
            return None if row is None else row[0]

        def count(table: str, where: str = "") -> int:
            found = scalar(table, "count(*)", where)
            return found if isinstance(found, int) else 0

        schema = scalar(ledger.MIGRATIONS.version_table, "version_num")
        installation = scalar(ledger.installation.name, "id")
        return DatabaseContents(
            schema=None if schema is None else str(schema),
            installation=None if installation is None else str(installation),
            collections=count(ledger.collections.name, "WHERE state = 'live'"),
            documents=count(
                ledger.documents.name,
                "WHERE collection_id IN (SELECT id FROM collections WHERE state = 'live')",
            ),
            chunks=count(
                ledger.chunks.name,
                "WHERE died IS NULL AND collection_id IN"
                " (SELECT id FROM collections WHERE state = 'live')",
            ),
            exchanges=count(conversations.conversations.name),
        )


def forget_installation(path: Path) -> None:
    """Make a copied ledger forget its id; it gets one of its own when it is opened.

    The installation that it was copied from may still run. Under the same id, each would take the
    other's indexes on a shared server for its own, and drop them.
    """
    with _opened(path) as database:
        # An earlier release had no ids.
        if ledger.installation.name in _tables(database):
            database.execute(f"DELETE FROM {ledger.installation.name}")  # noqa: S608


def newest_schema() -> str:
    """Return the newest migration of the ledger that this release knows."""
    return ledger.MIGRATIONS.head


def _tables(database: sqlite3.Connection) -> set[str]:
    return {str(name) for (name,) in database.execute("SELECT name FROM sqlite_master")}


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open an existing database; ConfigurationError if it cannot be read."""
    try:
        # Not created if it is missing.
        uri = f"{path.absolute().as_uri()}?mode=rw"
        connection = sqlite3.connect(uri, uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None)
        with closing(connection):
            yield connection
    except sqlite3.Error as error:
        raise ConfigurationError(
            f"The database {path.name!r} cannot be read or copied ({type(error).__name__}: {error})"
        ) from error
