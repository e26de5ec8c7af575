"""A migration that is killed leaves a database that the next start can use."""

import asyncio
import math
import os
import signal
import subprocess
import sys
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from sourcebook.core.collections import Collection, Generation
from sourcebook.core.documents import Chunk, Document, WholeDocument
from sourcebook.core.filters import OneOf
from sourcebook.core.writes import ChunkVersion
from sourcebook.providers.storage.database import upgrade
from sourcebook.providers.storage.ledger import (
    SqlLedger,
    open_postgres_ledger,
    open_sqlite_ledger,
)
from sourcebook.providers.storage.urls import postgres_target
from sourcebook.testing.ledger_values import put, version_of
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
LONG = bool(os.environ.get("SOURCEBOOK_LONG"))
# From nothing to the newest, and from the first version to the newest.
STATEMENTS = range(1, 60) if LONG else (2, 5, 9, 14, 19, 26, 33)
LATER_STATEMENTS = range(1, 40) if LONG else (4, 7, 10, 13, 16)

FIRST_VERSION = """
INSERT INTO collections VALUES
    ('c1', 'robotics', '{"a": 1}', 'i1', 'minilm', 'rev-1', 3, 4, 1, 5.5);
INSERT INTO documents VALUES (7, 'c1', 'd1', 'v1', 'words', 'h1', '{"n": 2}', 5.5, 6.5);
INSERT INTO document_fields VALUES (8, 7, 'c1', 'n', 'n', FALSE, '2', '2', 2.0);
INSERT INTO chunks VALUES
    (9, 'c1', 'd1', 'k1', 'v1', 0, 'words', 'h1', '{"n": 2}', 1, 4, NULL, NULL),
    (5, 'c1', 'd1', 'k0', 'v0', 0, 'old', 'h0', '{}', 1, 3, 4, 6.5);
INSERT INTO pending_writes VALUES ('w1', 'i1', '["p1"]', 6.5);
INSERT INTO retired_indexes VALUES ('i0', 4.5);
"""


def open_ledger(place: str) -> AbstractAsyncContextManager[SqlLedger]:
    return open_postgres_ledger(place) if "://" in place else open_sqlite_ledger(Path(place))


def open_and_kill(place: str, statement: int) -> int:
    command = [sys.executable, "-c", SCRIPT, place, str(statement)]
    return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode


async def fill_first_version(place: str) -> None:
    """Leave a ledger as the first version wrote it."""
    url = postgres_target(place).url if "://" in place else f"sqlite+aiosqlite:///{place}"
    engine = create_async_engine(url)
    async with engine.begin() as connection:
        await connection.run_sync(upgrade, "0001")
        for statement in FIRST_VERSION.strip().split(";\n"):
            await connection.exec_driver_sql(statement.removesuffix(";"))
    await engine.dispose()


async def check_what_the_first_version_wrote(ledger: SqlLedger) -> None:
    (collection,) = await ledger.collections.all()
    generation = Generation("i1", "minilm", "rev-1", 3)
    assert collection == Collection("c1", "robotics", {"a": 1}, generation, revision=4, count=1)
    chunk = Chunk("k1", "d1", 0, "words", {"n": 2})
    whole = await ledger.documents.whole("c1", "d1")
    assert whole == WholeDocument(Document("d1", "words", {"n": 2}), (chunk,))
    walked = [version async for batch in ledger.documents.walk("c1") for version in batch]
    assert walked == [ChunkVersion(chunk, "v1", "h1", 1)]
    assert [h.id for h in await ledger.documents.headers("c1", OneOf("n", (2,)))] == ["d1"]
    assert await ledger.documents.mend_links("c1") == 0
    assert [dead.key for dead in await ledger.attic.dead_chunks(math.inf, 9)] == [5]
    assert [write.id for write in await ledger.attic.abandoned_writes(math.inf)] == ["w1"]
    assert await ledger.attic.retired_indexes(math.inf) == ["i0"]
    assert await ledger.jobs.recent(9) == []


@pytest.fixture(params=["sqlite", "postgres"])
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a ledger could be: nothing is there yet."""
    if request.param == "sqlite":
        return str(tmp_path / "ledger.db")
    return await fresh_database(request.getfixturevalue("postgres_url"))


@pytest.mark.parametrize("statement", STATEMENTS)
async def test_a_killed_migration_can_be_repeated(place: str, statement: int) -> None:
    code = await asyncio.to_thread(open_and_kill, place, statement)

    assert code in {-signal.SIGKILL, 0}
    async with open_ledger(place) as ledger:
        assert await ledger.collections.all(hidden=True) == []


async def test_the_data_of_the_first_version_survive(place: str) -> None:
    await fill_first_version(place)

    async with open_ledger(place) as ledger:
        await check_what_the_first_version_wrote(ledger)
    async with open_ledger(place) as ledger:
        await check_what_the_first_version_wrote(ledger)
        await put(ledger, await ledger.collections.get("robotics"), version_of("d1", "newer"))
        assert (await ledger.collections.get("robotics")).count == 1


@pytest.mark.parametrize("statement", LATER_STATEMENTS)
async def test_a_kill_while_the_first_version_is_migrated_loses_nothing(
    place: str, statement: int
) -> None:
    await fill_first_version(place)

    code = await asyncio.to_thread(open_and_kill, place, statement)

    assert code in {-signal.SIGKILL, 0}
    async with open_ledger(place) as ledger:
        await check_what_the_first_version_wrote(ledger)


async def test_a_migration_has_more_statements_than_the_kills_reach(tmp_path: Path) -> None:
    """The kills above must really hit a migration."""
    fresh, first = str(tmp_path / "fresh.db"), str(tmp_path / "first.db")
    await fill_first_version(first)

    assert open_and_kill(fresh, max(STATEMENTS[:7])) == -signal.SIGKILL
    assert open_and_kill(first, max(LATER_STATEMENTS[:5])) == -signal.SIGKILL
