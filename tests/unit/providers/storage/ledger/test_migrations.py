"""A migration that is killed leaves a database that the next start can use."""

import math
import os
import signal
import uuid
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from sourcebook.core.book_source import FileProblem
from sourcebook.core.collections import Collection, Generation
from sourcebook.core.documents import Chunk, Document, WholeDocument
from sourcebook.core.errors import AlreadyExists
from sourcebook.core.filters import OneOf
from sourcebook.core.jobs import ImportItem, IngestJob, JobRequest, Progress
from sourcebook.core.writes import ChunkVersion
from sourcebook.providers.storage.ledger.schema import MIGRATIONS
from sourcebook.providers.storage.ledger.sql_ledger import (
    SqlLedger,
    open_postgres_ledger,
    open_sqlite_ledger,
)
from sourcebook.providers.storage.postgres_url import postgres_target
from tests.contract.ledger_values import put, version_of
from tests.postgres import fresh_database
from tests.unit.providers.storage.killer import Killer

LONG = os.environ.get("SOURCEBOOK_LONG") == "1"

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
        await connection.run_sync(MIGRATIONS.upgrade, revision)
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
    assert [dead.key for dead in await ledger.garbage.dead_chunks(math.inf, 9)] == [5]
    assert [write.id for write in await ledger.garbage.abandoned_writes(math.inf)] == ["w1"]
    assert await ledger.garbage.retired_indexes(math.inf) == ["i0"]


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


async def check_that_nothing_is_there(ledger: SqlLedger) -> None:
    assert await ledger.collections.all(hidden=True) == []


@dataclass(frozen=True)
class Past:
    """A ledger as it may be found at a start, and what must be in it afterwards."""

    prepare: Callable[[str], Awaitable[None]]
    check: Callable[[SqlLedger], Awaitable[None]]


NOTHING = Past(leave_nothing, check_that_nothing_is_there)
FIRST = Past(fill_first_version, check_what_the_first_version_wrote)
SECOND = Past(fill_second_version, check_what_the_second_version_wrote)
REVISIONS = sorted(path.name[:4] for path in (MIGRATIONS.folder / "versions").glob("0*.py"))


@pytest.fixture(params=["sqlite", "postgres"])
def new_place(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Awaitable[str]]:
    """Where ledgers could be: nothing is there yet."""
    if request.param == "postgres":
        return partial(fresh_database, request.getfixturevalue("postgres_url"))

    async def new_file() -> str:
        return str(tmp_path / f"{uuid.uuid4()}.db")

    return new_file


@pytest.fixture
async def place(new_place: Callable[[], Awaitable[str]]) -> str:
    """Where a ledger could be."""
    return await new_place()


@pytest.mark.parametrize("revision", REVISIONS)
async def test_a_migration_that_is_killed_loses_nothing_and_can_be_repeated(
    place: str, killer: Killer, revision: str
) -> None:
    past = {"0001": NOTHING, "0002": FIRST}.get(revision, SECOND)
    await past.prepare(place)

    code = await killer.open("ledger", place, before=revision)

    assert code == -signal.SIGKILL
    async with open_ledger(place) as ledger:
        await past.check(ledger)


@pytest.mark.skipif(not LONG, reason="many minutes: a kill before each statement")
@pytest.mark.parametrize("past", [NOTHING, FIRST, SECOND], ids=["nothing", "first", "second"])
async def test_a_kill_before_any_statement_loses_nothing_and_can_be_repeated(
    new_place: Callable[[], Awaitable[str]], killer: Killer, past: Past
) -> None:
    for statement in count(1):
        place = await new_place()
        await past.prepare(place)

        code = await killer.open("ledger", place, before=statement)

        assert code in {-signal.SIGKILL, 0}
        async with open_ledger(place) as ledger:
            await past.check(ledger)
        if code == 0:
            break

    assert statement > len(REVISIONS)


async def test_the_data_of_the_first_version_survive(place: str) -> None:
    await fill_first_version(place)

    async with open_ledger(place) as ledger:
        await check_what_the_first_version_wrote(ledger)
        assert await ledger.jobs.recent(9) == []
    async with open_ledger(place) as ledger:
        await check_what_the_first_version_wrote(ledger)
        await put(ledger, await ledger.collections.get("robotics"), version_of("d1", "newer"))
        assert (await ledger.collections.get("robotics")).count == 1


async def test_the_data_of_the_second_version_survive(place: str) -> None:
    await fill_second_version(place)

    async with open_ledger(place) as ledger:
        await check_what_the_second_version_wrote(ledger)
    async with open_ledger(place) as ledger:
        await check_what_the_second_version_wrote(ledger)
        waiting = await ledger.jobs.claim(30.0)
        assert waiting is not None
        assert (waiting.id, waiting.request.trigger) == (2, "webhook")
        load = await ledger.jobs.enqueue_import([{"text": "words"}])
        assert load.id == 3
        assert await ledger.jobs.unsettled(load.id, 9) == [ImportItem(0, {"text": "words"})]
