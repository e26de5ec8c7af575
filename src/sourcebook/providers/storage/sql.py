"""SQL basics that the ledger and the conversations share."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from sqlalchemy import Insert, Table
from sqlalchemy.dialects import sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from sourcebook.core.errors import InvalidInput
from sourcebook.core.metadata import JsonValue
from sourcebook.core.text import check_text

T = TypeVar("T")

# A statement takes only so many parameters.
MAX_PARAMETERS = 1_000
POOL_SIZE = 8
POOL_TIMEOUT_S = 5.0
POOL_RECYCLE_S = 300

# What every engine is created with.
ENGINE_SETTINGS = {
    "pool_size": POOL_SIZE,
    "max_overflow": 0,
    "pool_timeout": POOL_TIMEOUT_S,
    "hide_parameters": True,  # they hold people's texts, and errors end in logs
}


def in_batches(items: Sequence[T], size: int = MAX_PARAMETERS) -> Iterator[Sequence[T]]:
    """Yield the items in order, at most `size` at a time."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


async def insert_new(
    connection: AsyncConnection, table: Table, rows: Sequence[Mapping[str, object]]
) -> bool:
    """Insert the rows that do not exist yet; return whether a single row was inserted."""
    done = await connection.execute(insert_or_ignore(connection.dialect.name, table), list(rows))
    return len(rows) == 1 and done.rowcount == 1


def insert_or_ignore(dialect: str, table: Table) -> Insert:
    """Build an insert that skips rows that exist, even if others insert them at the same time."""
    if dialect == "postgresql":
        # With SQLite, a process does without it: it takes as long to import as SQLAlchemy's core.
        from sqlalchemy.dialects import postgresql  # noqa: PLC0415

        return postgresql.insert(table).on_conflict_do_nothing()
    return sqlite.insert(table).on_conflict_do_nothing()


def is_storable(text: str) -> bool:
    """Return whether a row can hold the text at all, so that it is worth looking for."""
    try:
        check_text(text, "text")
    except InvalidInput:
        return False
    return True


def as_storable(text: str) -> str:
    """Escape what no database stores: NUL characters and halves of surrogate pairs."""
    return text.replace("\x00", "\\x00").encode("utf-8", "backslashreplace").decode("utf-8")


def to_json(value: JsonValue) -> str:
    """Serialize to JSON, with characters escaped that no database stores."""
    return as_storable(
        json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    )
