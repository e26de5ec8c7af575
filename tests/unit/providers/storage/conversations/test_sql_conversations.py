"""Conversations on real databases: tables that are there already, and databases that go away."""

import asyncio
import logging
import os
import signal
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import pytest
from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.ext.asyncio import create_async_engine

from sourcebook.core.conversations import Exchange
from sourcebook.core.errors import HistoryUnavailable
from sourcebook.core.ports import ConversationStore
from sourcebook.providers.storage.conversations.circuit_breaker import PROBE_INTERVAL_S, HistoryBusy
from sourcebook.providers.storage.conversations.database import (
    BUSY_TIMEOUT_S,
    PostgresConversations,
    SqliteConversations,
)
from sourcebook.providers.storage.conversations.sql_conversations import (
    DELETE_BATCH,
    SqlConversations,
    open_postgres_conversations,
    open_sqlite_conversations,
)
from sourcebook.providers.storage.ledger.sql_ledger import open_postgres_ledger, open_sqlite_ledger
from sourcebook.providers.storage.postgres_url import postgres_target
from tests.contract.conversation_contract import RETENTION_DAYS, RETENTION_S, exchange
from tests.contract.ledger_values import new_collection
from tests.fakes import FakeClock
from tests.postgres import fresh_database, postgres_server
from tests.unit.providers.storage.killer import Killer

T = TypeVar("T")

LONG = os.environ.get("SOURCEBOOK_LONG") == "1"

SESSION = "3f0c1e4e-6c8e-4b59-9f0a-6f7a3f0b8a11"
# 2025-01-01T00:00:00Z
NEW_YEAR_S = 1_735_689_600.0

# The table as another program may have made it by the words of spec 004.
EARLIER_ON_POSTGRES = """
CREATE TABLE conversations (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(), session_id VARCHAR(36), query TEXT,
    response TEXT, sources JSONB, mode VARCHAR(20), selected_text TEXT, chunks_retrieved INT,
    latency_ms FLOAT, created_at TIMESTAMP DEFAULT now(), remark TEXT DEFAULT 'theirs'
)
"""
EARLIER_ON_SQLITE = """
CREATE TABLE conversations (
    id CHAR(32) PRIMARY KEY, session_id VARCHAR(36), query TEXT,
    response TEXT, sources JSON, mode VARCHAR(20), selected_text TEXT, chunks_retrieved INT,
    latency_ms FLOAT, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, remark TEXT DEFAULT 'theirs'
)
"""
EARLIER_ROW = """
INSERT INTO conversations (id, session_id, query, response, created_at)
VALUES ('00000000000000000000000000000007', '3f0c1e4e-6c8e-4b59-9f0a-6f7a3f0b8a11', 'earlier?',
        'Yes.', '2025-01-01 00:00:00')
"""

EXPIRED_ROWS = """
INSERT INTO conversations
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
SELECT {random_id}, 's', 'q', 'r', '[]', 'general', NULL, 1, 2.0, '2024-01-01 00:00:00' FROM n
"""


# Far from the time after which a call ends, so that no pause of a machine under load confuses them.
IMPATIENT_S = 0.1


def open_conversations(
    place: str, clock: Callable[[], float], busy_timeout_s: float = BUSY_TIMEOUT_S
) -> AbstractAsyncContextManager[SqlConversations]:
    if "://" in place:
        return open_postgres_conversations(place, RETENTION_DAYS, clock, busy_timeout_s)
    return open_sqlite_conversations(Path(place), RETENTION_DAYS, clock, busy_timeout_s)


async def on_database(place: str, work: Callable[[Connection], T]) -> T:
    url = postgres_target(place).url if "://" in place else f"sqlite+aiosqlite:///{place}"
    engine = create_async_engine(url)
    try:
        async with engine.begin() as connection:
            return await connection.run_sync(work)
    finally:
        await engine.dispose()


async def execute(place: str, *statements: str) -> None:
    def run(connection: Connection) -> None:
        for statement in statements:
            connection.exec_driver_sql(statement)

    await on_database(place, run)


@pytest.fixture(params=["sqlite", "postgres"])
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where conversations could be: nothing is there yet."""
    if request.param == "sqlite":
        return str(tmp_path / "ledger.db")
    return await fresh_database(request.getfixturevalue("postgres_url"))


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NEW_YEAR_S)


@pytest.fixture
async def store(place: str, clock: FakeClock) -> AsyncIterator[SqlConversations]:
    async with open_conversations(place, clock) as store:
        yield store


def shape(connection: Connection) -> tuple[dict[str, str], dict[str, list[str | None]]]:
    found = inspect(connection)
    columns = {c["name"]: str(c["type"]).upper() for c in found.get_columns("conversations")}
    indexes = {str(i["name"]): i["column_names"] for i in found.get_indexes("conversations")}
    return columns, indexes


@pytest.mark.spec("004 FR-013")
async def test_the_table_is_that_of_the_specification(store: SqlConversations, place: str) -> None:
    assert (await store.check()).status == "up"

    columns, indexes = await on_database(place, shape)

    on_postgres = "://" in place
    assert columns == {
        "id": "UUID" if on_postgres else "CHAR(32)",
        "session_id": "TEXT",
        "query": "TEXT",
        "response": "TEXT",
        "sources": "JSONB" if on_postgres else "JSON",
        "mode": "TEXT",
        "selected_text": "TEXT",
        "chunks_retrieved": "INTEGER",
        "latency_ms": "DOUBLE PRECISION" if on_postgres else "DOUBLE",
        "created_at": "TIMESTAMP" if on_postgres else "DATETIME",
    }
    assert indexes == {
        "idx_conversations_session_id": ["session_id"],
        "idx_conversations_session_created": ["session_id", "created_at"],
    }


async def test_other_programs_may_leave_id_and_time_to_postgres(
    postgres_url: str, clock: FakeClock
) -> None:
    place = await fresh_database(postgres_url)
    clock.now_s = time.time()
    async with open_conversations(place, clock) as store:
        await store.check()
        await execute(
            place,
            "INSERT INTO conversations (session_id, query, response, sources, mode,"
            " chunks_retrieved, latency_ms) VALUES ('s', 'q', 'r', '[]', 'general', 1, 2)",
        )
        clock.now_s = time.time() + 1

        (found,) = await store.latest("s", 5)

    assert abs(found.created_at_s - clock.now_s) < 3_600


async def test_a_table_that_is_there_is_used_as_it_is_with_its_rows(
    place: str, clock: FakeClock
) -> None:
    table = EARLIER_ON_POSTGRES if "://" in place else EARLIER_ON_SQLITE
    await execute(place, table, EARLIER_ROW)
    before = (await on_database(place, shape))[0]
    added = exchange(SESSION, NEW_YEAR_S + 1)

    async with open_conversations(place, clock) as store:
        await store.add(added)
    async with open_conversations(place, clock) as store:
        found = await store.latest(SESSION, 5)
        columns, indexes = await on_database(place, shape)
        clock.now_s = NEW_YEAR_S + RETENTION_S + 0.5
        assert await store.purge() == 1
        assert await store.latest(SESSION, 5) == [added]

    earlier = str(uuid.UUID(int=7))
    assert found == [
        Exchange(earlier, SESSION, "earlier?", "Yes.", (), "general", None, 0, 0.0, NEW_YEAR_S),
        added,
    ]
    assert columns == before
    assert len(indexes) == 2


async def test_another_table_of_that_name_is_left_alone(place: str, clock: FakeClock) -> None:
    await execute(place, "CREATE TABLE conversations (id INT PRIMARY KEY, query TEXT)")

    async with open_conversations(place, clock) as store:
        health = await store.check()
        with pytest.raises(HistoryUnavailable, match="it lacks session_id, response"):
            await store.add(exchange(SESSION, NEW_YEAR_S))

    columns, indexes = await on_database(place, shape)
    assert (health.status, set(columns), indexes) == ("down", {"id", "query"}, {})


async def test_ledger_and_conversations_may_share_a_database(place: str, clock: FakeClock) -> None:
    on_postgres = "://" in place
    kept = exchange(SESSION, NEW_YEAR_S)
    for turn in range(2):
        opening = open_postgres_ledger(place) if on_postgres else open_sqlite_ledger(Path(place))
        async with opening as ledger, open_conversations(place, clock) as store:
            if not turn:
                await ledger.collections.create(new_collection())
                await store.add(kept)
            assert [found.name for found in await ledger.collections.all()] == ["robotics"]
            assert await store.latest(SESSION, 5) == [kept]


async def test_many_processes_may_begin_at_once(place: str, clock: FakeClock) -> None:
    async def begin(number: int) -> None:
        async with open_conversations(place, clock) as store:
            await store.add(exchange(SESSION, NEW_YEAR_S + number))

    await asyncio.gather(*map(begin, range(5)))

    async with open_conversations(place, clock) as store:
        assert len(await store.latest(SESSION, 50)) == 5


async def test_a_killed_migration_can_be_repeated(
    place: str, clock: FakeClock, killer: Killer
) -> None:
    code = await killer.open("conversations", place, before="0001")

    assert code == -signal.SIGKILL
    await check_that_the_migration_is_repeated(place, clock)


@pytest.mark.skipif(not LONG, reason="many minutes: a kill before each statement")
@pytest.mark.parametrize("statement", range(1, 14))
async def test_a_migration_killed_before_any_statement_can_be_repeated(
    place: str, clock: FakeClock, killer: Killer, statement: int
) -> None:
    code = await killer.open("conversations", place, before=statement)

    assert code in {-signal.SIGKILL, 0}
    await check_that_the_migration_is_repeated(place, clock)


async def check_that_the_migration_is_repeated(place: str, clock: FakeClock) -> None:
    async with open_conversations(place, clock) as store:
        await store.add(exchange(SESSION, NEW_YEAR_S))
        assert len(await store.latest(SESSION, 5)) == 1
    assert len((await on_database(place, shape))[1]) == 2


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Kolkata", "UTC"])
async def test_times_do_not_depend_on_the_zone_of_the_machine(
    place: str, monkeypatch: pytest.MonkeyPatch, zone: str
) -> None:
    # New York's clocks are put back at 06:00 UTC on this day, so that an hour comes twice.
    changing_s = 1_762_063_200.0
    clock = FakeClock(changing_s)
    times = [changing_s + hour * 1_800 for hour in range(-4, 5)]
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        async with open_conversations(place, clock) as store:
            for at_s in times:
                await store.add(exchange(SESSION, at_s))
            assert [e.created_at_s for e in await store.latest(SESSION, 50)] == times
            for index, at_s in enumerate(times):
                clock.now_s = at_s + RETENTION_S
                assert [e.created_at_s for e in await store.latest(SESSION, 50)] == times[index:]
    finally:
        monkeypatch.undo()
        time.tzset()


async def test_a_purge_deletes_in_short_steps(
    store: SqlConversations, place: str, clock: FakeClock
) -> None:
    await store.check()
    random_id = "gen_random_uuid()" if "://" in place else "lower(hex(randomblob(16)))"
    await execute(place, EXPIRED_ROWS.format(random_id=random_id))
    kept = exchange("s", NEW_YEAR_S)
    await store.add(kept)

    with deletions() as counts:
        assert await store.purge() == 2_500

    assert counts == [DELETE_BATCH, DELETE_BATCH, 500]
    clock.now_s = NEW_YEAR_S
    assert await store.latest("s", 5) == [kept]


@contextmanager
def deletions() -> Iterator[list[int]]:
    """How many rows each statement deletes."""
    counts: list[int] = []

    def count(_: object, cursor: object, statement: str, *__: object) -> None:
        if statement.startswith("DELETE FROM conversations"):
            counts.append(cursor.rowcount)  # type: ignore[attr-defined]

    event.listen(Engine, "after_cursor_execute", count)
    try:
        yield counts
    finally:
        event.remove(Engine, "after_cursor_execute", count)


async def test_a_table_that_was_dropped_is_made_anew(place: str, clock: FakeClock) -> None:
    monotonic = FakeClock()
    database = PostgresConversations(place) if "://" in place else SqliteConversations(Path(place))
    store = SqlConversations(database, RETENTION_S, clock, monotonic)
    try:
        await store.add(exchange(SESSION, NEW_YEAR_S))
        await execute(place, "DROP TABLE conversations")
        with pytest.raises(HistoryUnavailable):
            await store.latest(SESSION, 5)
        assert (await store.check()).status == "down"

        monotonic.now_s += PROBE_INTERVAL_S

        await store.add(exchange(SESSION, NEW_YEAR_S))
        assert len(await store.latest(SESSION, 5)) == 1
    finally:
        await store.close()


async def test_a_server_that_comes_later_is_used_and_nothing_secret_is_said(
    postgres_folder: Path, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    monotonic = FakeClock()
    url = f"postgresql://postgres:canary-password@/postgres?host={postgres_folder / 'data'}"
    store = SqlConversations(PostgresConversations(url), RETENTION_S, clock, monotonic)
    try:
        with caplog.at_level(logging.DEBUG, "sourcebook"):
            for call in calls_of(store):
                with pytest.raises(HistoryUnavailable) as caught:
                    await call
                assert "canary" not in caught.value.message
                assert str(postgres_folder) not in caught.value.message
            health = await store.check()
        with postgres_server(postgres_folder):
            monotonic.now_s += PROBE_INTERVAL_S
            await store.add(exchange(SESSION, NEW_YEAR_S))
            assert (await store.check()).status == "up"
    finally:
        await store.close()

    assert health.status == "down"
    assert "canary" not in str(health) + caplog.text
    assert caplog.messages.count("conversations_away") == 1


def calls_of(store: ConversationStore) -> Iterator[Awaitable[object]]:
    yield store.latest(SESSION, 5)
    yield store.add(exchange(SESSION, NEW_YEAR_S))
    yield store.forget(SESSION)
    yield store.purge()


async def test_when_all_connections_are_taken_calls_end_all_the_same(
    postgres_url: str, clock: FakeClock
) -> None:
    place = await fresh_database(postgres_url)
    async with open_conversations(place, clock, IMPATIENT_S) as store:
        await store.check()
        engine = create_async_engine(postgres_target(place).url)
        async with engine.begin() as other:
            await other.execute(text("LOCK TABLE conversations"))
            tries = (store.add(exchange(SESSION, NEW_YEAR_S + n)) for n in range(30))
            results = await asyncio.gather(*tries, return_exceptions=True)
        await engine.dispose()

    assert all(isinstance(result, HistoryUnavailable) for result in results)
    assert any(isinstance(result, HistoryBusy) for result in results)


async def test_a_file_that_another_writes_to_refuses_one_call_and_not_the_next(
    tmp_path: Path, clock: FakeClock
) -> None:
    path = tmp_path / "ledger.db"
    kept = exchange(SESSION, NEW_YEAR_S)
    async with open_conversations(str(path), clock, IMPATIENT_S) as store:
        await store.add(kept)
        with locked(path):
            with pytest.raises(HistoryBusy):
                await store.add(exchange(SESSION, NEW_YEAR_S))
            assert await store.latest(SESSION, 5) == [kept]

        await store.add(exchange(SESSION, NEW_YEAR_S + 1))
        assert len(await store.latest(SESSION, 5)) == 2


async def test_a_full_pool_or_a_locked_file_is_degraded_and_not_down(
    tmp_path: Path, clock: FakeClock
) -> None:
    path = tmp_path / "ledger.db"
    with locked(path):
        async with open_conversations(str(path), clock, IMPATIENT_S) as store:
            assert (await store.check()).status == "degraded"


@contextmanager
def locked(path: Path) -> Iterator[None]:
    engine = create_engine(f"sqlite:///{path}", connect_args={"isolation_level": None})
    with engine.connect() as other:
        other.exec_driver_sql("BEGIN IMMEDIATE")
        yield
        other.exec_driver_sql("ROLLBACK")
    engine.dispose()


async def test_cancelled_calls_leave_no_lock_and_no_broken_connection(
    store: SqlConversations, place: str
) -> None:
    await store.check()
    for steps in range(40):
        calling = asyncio.create_task(store.add(exchange(SESSION, NEW_YEAR_S + steps)))
        for _ in range(steps):
            await asyncio.sleep(0)
        calling.cancel()
        with suppress(asyncio.CancelledError):
            await calling

    for number in range(10):
        await store.add(exchange("after", NEW_YEAR_S + number))
    assert len(await store.latest("after", 50)) == 10
    await store.close()
    # Another could not get this lock while a transaction is left behind.
    lock = "LOCK TABLE conversations" if "://" in place else "CREATE TABLE other (a INT)"
    async with asyncio.timeout(30):
        await execute(place, lock)


async def test_a_closed_store_is_unavailable(place: str, clock: FakeClock) -> None:
    async with open_conversations(place, clock) as store:
        await store.add(exchange(SESSION, NEW_YEAR_S))

    with pytest.raises(HistoryUnavailable, match="closed"):
        await store.latest(SESSION, 5)
    assert (await store.check()).status == "down"
