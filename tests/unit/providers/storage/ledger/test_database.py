"""The SQLite file: set up for safety, migrated to what the code expects."""

from contextlib import suppress
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, text

from sourcebook.core.errors import (
    ConfigurationError,
    DiskFull,
    RetrievalUnavailable,
    logged_reason,
)
from sourcebook.providers.storage.ledger.database import Database
from sourcebook.providers.storage.ledger.schema import metadata
from sourcebook.providers.storage.ledger.sql_ledger import open_sqlite_ledger
from sourcebook.providers.storage.ledger.sqlite import open_sqlite


def differences(connection: Connection) -> list[object]:
    return list(compare_metadata(MigrationContext.configure(connection), metadata))


async def test_the_migrations_make_the_tables_that_the_code_expects(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path / "ledger.db") as database, database.reading() as connection:
        assert await connection.run_sync(differences) == []


async def test_connections_are_set_up_for_safety(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path / "ledger.db") as database, database.reading() as connection:
        settings = {
            name: await connection.scalar(text(f"PRAGMA {name}"))
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }

    assert settings == {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "busy_timeout": 20_000,
    }


async def test_a_failed_write_leaves_everything_as_it_was(tmp_path: Path) -> None:
    insert = text("INSERT INTO retired_indexes VALUES ('a', 1.0)")
    async with open_sqlite(tmp_path / "ledger.db") as database:
        with suppress(RuntimeError):
            async with database.writing() as connection:
                await connection.execute(insert)
                raise RuntimeError("crash")

        async with database.reading() as connection:
            assert await connection.scalar(text("SELECT count(*) FROM retired_indexes")) == 0


async def test_errors_of_the_driver_become_ours_without_details(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path / "ledger.db") as database:
        with pytest.raises(RetrievalUnavailable) as caught:
            async with database.reading() as connection:
                await connection.execute(text("SELECT * FROM nowhere"))

    assert "nowhere" not in caught.value.message


async def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").write_text("this is not a database, it is a text of some length" * 99)

    with pytest.raises(ConfigurationError, match="ledger cannot be opened"):
        async with open_sqlite(tmp_path / "ledger.db"):
            pass


async def _fill(database: Database) -> None:
    async with database.writing() as connection:
        # SQLite says of a file that may not grow what it says of a full disk.
        await connection.execute(text("PRAGMA max_page_count = 1"))
        blob = text("INSERT INTO retired_indexes VALUES (zeroblob(1000000), 1.0)")
        await connection.execute(blob)


async def test_a_full_disk_is_told_with_what_is_needed(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path / "ledger.db") as database:
        with pytest.raises(DiskFull, match="at least 256 MiB must be free") as caught:
            await _fill(database)

    assert "database or disk is full" in logged_reason(caught.value)["cause"]


async def test_health_says_that_the_disk_has_too_little_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_sqlite_ledger(tmp_path / "ledger.db") as ledger:
        roomy = await ledger.check()
        monkeypatch.setattr("sourcebook.providers.storage.ledger.database.MIN_FREE_MIB", 1 << 40)
        cramped = await ledger.check()

    assert roomy.status == "up"
    assert (cramped.status, cramped.message) == ("degraded", DiskFull().message)
