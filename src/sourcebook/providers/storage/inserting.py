"""Insert rows unless they are there already, whoever else inserts them at the same time."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection


async def insert_new(
    connection: AsyncConnection, table: Table, rows: Sequence[Mapping[str, object]]
) -> bool:
    """Insert the rows that are new; for a single row, tell whether it was."""
    if connection.dialect.name == "postgresql":
        done = await connection.execute(
            postgresql.insert(table).on_conflict_do_nothing(), list(rows)
        )
    else:
        done = await connection.execute(sqlite.insert(table).on_conflict_do_nothing(), list(rows))
    return len(rows) == 1 and done.rowcount == 1
