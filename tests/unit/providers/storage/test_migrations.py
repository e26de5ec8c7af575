"""A migration that is killed leaves a database that the next start can use."""

import asyncio
import math
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from sourcebook.core.books import FileProblem
from sourcebook.core.collections import Collection, Generation
from sourcebook.core.documents import Chunk, Document, WholeDocument
from sourcebook.core.errors import AlreadyExists
from sourcebook.core.filters import OneOf
from sourcebook.core.jobs import IngestJob, JobRequest, LoadItem, Progress
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
# From nothing, from the first version and from the second one to the newest.
FROM_NOTHING = (2, 5, 9, 14, 19, 26, 33, 35, 37, 39, 42)
FROM_FIRST = (4, 7, 10, 13, 16, 20, 22, 24, 27)
FROM_SECOND = (4, 5, 6, 7, 9, 11, 14)
# How many statements may come after the last kill; the databases differ by one.
BEHIND = 2

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
SECOND_VERSION = """
INSERT INTO jobs
    (book_id, mode, docs_path, force, triggered_by, status, token, attempts, created_at_s,
     started_at_s, finished_at_s, cancel_requested, progress, warnings, commit_id)
VALUES
    ('robotics', 'full', 'docs', TRUE, 'cli', 'completed', 2, 1, 7.5, 8.5, 9.5, FALSE,
     '{"files_found": 3}', '[["a.md", "is empty"]]', 'c0ffee'),
    ('robotics', 'incremental', NULL, FALSE, 'webhook', 'queued', 0, 0, 10.5, NULL, NULL, FALSE,
     '{}', '[]', NULL);
INSERT INTO webhook_deliveries VALUES ('d-1', 10.5);
"""


def open_ledger(place: str) -> AbstractAsyncContextManager[SqlLedger]:
    return open_postgres_ledger(place) if "://" in place else open_sqlite_ledger(Path(place))


def open_and_kill(place: str, statement: int) -> int:
    command = [sys.executable, "-c", SCRIPT, place, str(statement)]
    return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode


def to_try(statements: Sequence[int]) -> Sequence[int]:
    """Before which statements to kill: these, or every one if there is time."""
    return range(1, max(statements) + BEHIND + 1) if LONG else statements


async def leave_nothing(_: str) -> None:
    """Leave no ledger at all."""


async def fill_first_version(place: str) -> None:
    """Leave a ledger as the first version wrote it."""
    await fill(place, "0001", FIRST_VERSION)


async def fill_second_version(place: str) -> None:
    """Leave a ledger as the first two versions wrote it."""
    await fill_first_version(place)
    await fill(place, "0002", SECOND_VERSION)


async def fill(place: str, revision: str, rows: str) -> None:
    url = postgres_target(place).url if "://" in place else f"sqlite+aiosqlite:///{place}"
    engine = create_async_engine(url)
    async with engine.begin() as connection:
        await connection.run_sync(upgrade, revision)
        for statement in rows.strip().split(";\n"):
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


async def check_what_the_second_version_wrote(ledger: SqlLedger) -> None:
    await check_what_the_first_version_wrote(ledger)
    asked = JobRequest("robotics", "full", "docs", force=True, trigger="cli")
    assert await ledger.jobs.latest_indexed("robotics") == IngestJob(
        id=1,
        request=asked,
        status="completed",
        token=2,
        attempts=1,
        created_at_s=7.5,
        started_at_s=8.5,
        finished_at_s=9.5,
        progress=Progress(files_found=3),
        warnings=(FileProblem("a.md", "is empty"),),
        commit="c0ffee",
        kind="book",
    )
    assert [(job.id, job.kind) for job in await ledger.jobs.recent(9)] == [(2, "book"), (1, "book")]
    assert await ledger.jobs.recent(9, kind="documents") == []
    with pytest.raises(AlreadyExists):
        await ledger.jobs.enqueue(JobRequest("robotics"), delivery_id="d-1")


@pytest.fixture(params=["sqlite", "postgres"])
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a ledger could be: nothing is there yet."""
    if request.param == "sqlite":
        return str(tmp_path / "ledger.db")
    return await fresh_database(request.getfixturevalue("postgres_url"))


@pytest.mark.parametrize("statement", to_try(FROM_NOTHING))
async def test_a_killed_migration_can_be_repeated(place: str, statement: int) -> None:
    code = await asyncio.to_thread(open_and_kill, place, statement)

    assert code in {-signal.SIGKILL, 0}
    async with open_ledger(place) as ledger:
        assert await ledger.collections.all(hidden=True) == []


async def test_the_data_of_the_first_version_survive(place: str) -> None:
    await fill_first_version(place)

    async with open_ledger(place) as ledger:
        await check_what_the_first_version_wrote(ledger)
        assert await ledger.jobs.recent(9) == []
    async with open_ledger(place) as ledger:
        await check_what_the_first_version_wrote(ledger)
        await put(ledger, await ledger.collections.get("robotics"), version_of("d1", "newer"))
        assert (await ledger.collections.get("robotics")).count == 1


@pytest.mark.parametrize("statement", to_try(FROM_FIRST))
async def test_a_kill_while_the_first_version_is_migrated_loses_nothing(
    place: str, statement: int
) -> None:
    await fill_first_version(place)

    code = await asyncio.to_thread(open_and_kill, place, statement)

    assert code in {-signal.SIGKILL, 0}
    async with open_ledger(place) as ledger:
        await check_what_the_first_version_wrote(ledger)


async def test_the_data_of_the_second_version_survive(place: str) -> None:
    await fill_second_version(place)

    async with open_ledger(place) as ledger:
        await check_what_the_second_version_wrote(ledger)
    async with open_ledger(place) as ledger:
        await check_what_the_second_version_wrote(ledger)
        waiting = await ledger.jobs.claim(30.0)
        assert waiting is not None
        assert (waiting.id, waiting.request.trigger) == (2, "webhook")
        load = await ledger.jobs.enqueue_load([{"text": "words"}])
        assert load.id == 3
        assert await ledger.jobs.unsettled(load.id, 9) == [LoadItem(0, {"text": "words"})]


@pytest.mark.parametrize("statement", to_try(FROM_SECOND))
async def test_a_kill_while_the_second_version_is_migrated_loses_nothing(
    place: str, statement: int
) -> None:
    await fill_second_version(place)

    code = await asyncio.to_thread(open_and_kill, place, statement)

    assert code in {-signal.SIGKILL, 0}
    async with open_ledger(place) as ledger:
        await check_what_the_second_version_wrote(ledger)


@pytest.mark.parametrize(
    ("prepare", "statements"),
    [
        (leave_nothing, FROM_NOTHING),
        (fill_first_version, FROM_FIRST),
        (fill_second_version, FROM_SECOND),
    ],
)
async def test_the_kills_reach_the_newest_migration(
    place: str, prepare: Callable[[str], Awaitable[None]], statements: Sequence[int]
) -> None:
    """The kills above must really hit a migration, and a new one needs kills of its own."""
    await prepare(place)

    last = max(statements)
    assert await asyncio.to_thread(open_and_kill, place, last) == -signal.SIGKILL
    assert await asyncio.to_thread(open_and_kill, place, last + BEHIND + 1) == 0
