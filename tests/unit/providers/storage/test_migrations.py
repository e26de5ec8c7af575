"""A migration that is killed leaves a database that the next start can use."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sourcebook.providers.storage.ledger import open_postgres_ledger, open_sqlite_ledger
from tests.postgres import fresh_database

# Opens the ledger and kills itself before the statement of that number.
SCRIPT = """
import asyncio, os, signal, sys
from pathlib import Path
from sqlalchemy import Engine, event
from sourcebook.providers.storage.ledger import open_postgres_ledger, open_sqlite_ledger

place, last = sys.argv[1], int(sys.argv[2])
count = 0

@event.listens_for(Engine, "before_cursor_execute")
def count_down(*_):
    global count
    count += 1
    if count == last:
        os.kill(os.getpid(), signal.SIGKILL)

async def main():
    opening = open_postgres_ledger(place) if "://" in place else open_sqlite_ledger(Path(place))
    async with opening:
        print("opened after", count)

asyncio.run(main())
"""
STATEMENTS = range(1, 60) if os.environ.get("SOURCEBOOK_LONG") else (2, 5, 9, 14, 19)


def open_and_kill(place: str, statement: int) -> int:
    command = [sys.executable, "-c", SCRIPT, place, str(statement)]
    return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode


@pytest.mark.parametrize("statement", STATEMENTS)
async def test_a_killed_migration_of_sqlite_can_be_repeated(tmp_path: Path, statement: int) -> None:
    path = tmp_path / "ledger.db"

    code = await asyncio.to_thread(open_and_kill, str(path), statement)

    assert code in {-signal.SIGKILL, 0}
    async with open_sqlite_ledger(path) as ledger:
        assert await ledger.collections.all() == []


@pytest.mark.parametrize("statement", STATEMENTS)
async def test_a_killed_migration_of_postgres_can_be_repeated(
    postgres_url: str, statement: int
) -> None:
    url = await fresh_database(postgres_url)

    code = await asyncio.to_thread(open_and_kill, url, statement)

    assert code in {-signal.SIGKILL, 0}
    async with open_postgres_ledger(url) as ledger:
        assert await ledger.collections.all() == []


def test_a_migration_has_more_statements_than_the_kills_reach(tmp_path: Path) -> None:
    """The kills above must really hit a migration."""
    assert open_and_kill(str(tmp_path / "ledger.db"), max(STATEMENTS[:5])) == -signal.SIGKILL
