"""A copy of a SQLite database is one moment of it, whoever writes meanwhile."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.storage.sqlite_copy import (
    DatabaseContents,
    copy_database,
    describe_database,
    forget_installation,
)
from tests.ledgers import open_copied_ledger


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A database of some hundred pages."""
    path = tmp_path / "ledger.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("CREATE TABLE texts (text)")
        writer.executemany("INSERT INTO texts VALUES (?)", [("x" * 2_000,)] * 500)
    return path


def count(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        found: int = connection.execute("SELECT count(*) FROM texts").fetchone()[0]
        return found


def test_a_copy_is_the_moment_it_began_although_others_go_on_writing(
    database: Path, tmp_path: Path
) -> None:
    steps: list[float] = []

    with closing(sqlite3.connect(database, isolation_level=None)) as writer:

        def write(share: float) -> None:
            steps.append(share)
            writer.execute("INSERT INTO texts VALUES ('later')")

        copy_database(database, tmp_path / "copy.db", write, pages_per_step=20)

    assert count(tmp_path / "copy.db") == 500
    assert count(database) == 500 + len(steps)
    assert steps == sorted(steps)
    assert steps[-1] == 1.0


def test_a_copy_is_one_file(database: Path, tmp_path: Path) -> None:
    target = tmp_path / "copies"
    target.mkdir()

    copy_database(database, target / "copy.db")

    assert [path.name for path in target.iterdir()] == ["copy.db"]


def test_a_damaged_database_is_not_backed_up(database: Path, tmp_path: Path) -> None:
    content = bytearray(database.read_bytes())
    content[20_000:24_000] = b"\xff" * 4_000
    database.write_bytes(content)

    with pytest.raises(ConfigurationError, match=r"ledger\.db"):
        copy_database(database, tmp_path / "copy.db")


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").write_text("Not a database, but long enough to be one." * 100)

    with pytest.raises(ConfigurationError, match="cannot be read"):
        copy_database(tmp_path / "ledger.db", tmp_path / "copy.db")


async def test_a_ledger_without_conversations_is_described(tmp_path: Path) -> None:
    async with open_copied_ledger(tmp_path / "ledger.db") as ledger:
        installation = await ledger.installation()

    found = describe_database(tmp_path / "ledger.db")

    assert found.schema is not None
    assert found == DatabaseContents(schema=found.schema, installation=installation)


async def test_a_copied_ledger_gets_an_id_of_its_own(tmp_path: Path) -> None:
    async with open_copied_ledger(tmp_path / "ledger.db") as ledger:
        before = await ledger.installation()

    forget_installation(tmp_path / "ledger.db")

    async with open_copied_ledger(tmp_path / "ledger.db") as ledger:
        assert await ledger.installation() != before


def test_a_ledger_of_a_release_without_ids_is_left_as_it_is(database: Path) -> None:
    forget_installation(database)

    assert describe_database(database) == DatabaseContents()
