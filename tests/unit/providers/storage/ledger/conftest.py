"""An empty ledger in each database, and the plans of what is asked of it."""

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from sqlalchemy import Connection, Engine, event

from sourcebook.providers.storage.ledger.sql_ledger import SqlLedger, open_postgres_ledger
from tests.ledgers import migrated_database, open_copied_ledger

PlansOf: TypeAlias = Callable[[str], list[str]]


@pytest.fixture(params=["sqlite", "postgres"])
async def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[SqlLedger]:
    if request.param == "sqlite":
        opening = open_copied_ledger(tmp_path / "ledger.db")
    else:
        url = await migrated_database(request.getfixturevalue("postgres_url"))
        opening = open_postgres_ledger(url)
    async with opening as ledger:
        yield ledger


@pytest.fixture
def plans_of() -> Iterator[PlansOf]:
    """The lines of the plans of all queries so far that hold some words."""
    noted: list[tuple[str, str]] = []

    def note(
        connection: Connection, cursor: Any, statement: str, parameters: Any, *_: object
    ) -> None:
        if statement.startswith(("SELECT", "WITH")):
            word = "EXPLAIN QUERY PLAN" if connection.dialect.name == "sqlite" else "EXPLAIN"
            explained = connection.connection.cursor()
            explained.execute(f"{word} {statement}", parameters)
            noted.extend((statement, str(row[-1])) for row in explained.fetchall())

    event.listen(Engine, "before_cursor_execute", note)
    yield lambda words: [line for statement, line in noted if words in statement]
    event.remove(Engine, "before_cursor_execute", note)
