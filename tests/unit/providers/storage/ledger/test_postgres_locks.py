"""One process leads at a time, and when it is gone the next one does; owners keep their locks."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest
from sqlalchemy import insert

from sourcebook.core.errors import ConfigurationError, RetrievalUnavailable
from sourcebook.core.jobs import JobRequest
from sourcebook.providers.storage.conversations.sql_conversations import open_postgres_conversations
from sourcebook.providers.storage.ledger import schema
from sourcebook.providers.storage.ledger.postgres_locks import (
    LEADER,
    LOST,
    OWNER,
    Ownership,
    PostgresLeadership,
    _without_pooler,
    hold_ledger,
    open_leadership,
)
from sourcebook.providers.storage.ledger.sql_ledger import SqlLedger, open_postgres_ledger
from sourcebook.providers.storage.postgres_url import postgres_target
from tests.postgres import fresh_database

WAIT_S = 30.0


@pytest.fixture
async def url(postgres_url: str) -> str:
    return await fresh_database(postgres_url)


@pytest.fixture
async def leader(url: str) -> AsyncIterator[PostgresLeadership]:
    async with open_leadership(url) as leadership:
        assert await leadership.lead()
        yield leadership


HOLDERS = (
    " FROM pg_locks WHERE locktype = 'advisory' AND granted"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    " AND ((classid::bigint << 32) | objid::bigint) = $1"
)


async def cut_off(url: str, lock: int) -> None:
    """End the connection that has the lock, as a network or a restart would."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("SELECT pg_terminate_backend(pid, 30000)" + HOLDERS, lock)
    finally:
        await connection.close()


async def until_held(url: str, lock: int) -> None:
    """Wait until somebody has the lock."""
    connection = await asyncpg.connect(url)
    try:
        async with asyncio.timeout(WAIT_S):
            held = "SELECT count(*)" + HOLDERS
            while not await connection.fetchval(held, lock):  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)
    finally:
        await connection.close()


async def test_one_leads_for_as_long_as_it_is_there(url: str, leader: PostgresLeadership) -> None:
    async with open_leadership(url) as other:
        assert [await leader.lead(), await other.lead()] == [True, False]
        assert [await leader.lead(), await other.lead()] == [True, False]


async def test_when_the_leader_ends_another_one_leads(url: str) -> None:
    async with open_leadership(url) as other:
        async with open_leadership(url) as first:
            assert [await first.lead(), await other.lead()] == [True, False]

        assert await other.lead()


async def test_a_leader_that_lost_its_connection_has_lost_the_lead(
    url: str, leader: PostgresLeadership
) -> None:
    async with open_leadership(url) as other:
        await cut_off(url, LEADER)

        assert await other.lead()
        assert not await leader.lead()
        assert not await leader.lead()


async def test_a_leader_that_lost_its_connection_may_lead_again(
    url: str, leader: PostgresLeadership
) -> None:
    await cut_off(url, LEADER)

    # The first question finds the connection gone, the second makes a new one.
    assert [await leader.lead(), await leader.lead()] == [False, True]


async def test_nobody_leads_where_there_is_no_server() -> None:
    async with open_leadership("postgresql://u:p@127.0.0.1:1/db") as leadership:
        assert not await leadership.lead()


async def test_ledgers_do_not_share_a_leader(postgres_url: str, leader: PostgresLeadership) -> None:
    async with open_leadership(await fresh_database(postgres_url)) as elsewhere:
        assert await elsewhere.lead()
    assert await leader.lead()


async def test_ledger_leader_and_conversations_fit_into_one_database(
    url: str, leader: PostgresLeadership
) -> None:
    async with (
        open_postgres_ledger(url, shared=True) as ledger,
        open_postgres_conversations(url, retention_days=30) as conversations,
    ):
        assert await conversations.purge() == 0
        assert (await ledger.check()).status == "up"
    assert await leader.lead()


@pytest.mark.parametrize("shared", [True, False])
async def test_an_owner_takes_its_lock_again_when_its_connection_was_lost(
    url: str, *, shared: bool
) -> None:
    target = postgres_target(url)
    async with hold_ledger(target, shared=shared, check_interval_s=0.01):
        await cut_off(url, OWNER)
        await until_held(url, OWNER)

        with pytest.raises(ConfigurationError, match="in use by another"):
            async with hold_ledger(target, shared=not shared):
                pass


@asynccontextmanager
async def next_in_line(url: str, lock: int) -> AsyncIterator[asyncpg.Connection]:
    """A process that gets the lock as soon as its owner loses it, before that one can ask again."""
    connection = await asyncpg.connect(url)
    waiting = asyncio.create_task(connection.execute("SELECT pg_advisory_lock($1)", lock))
    looking = await asyncpg.connect(url)
    queued = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    try:
        async with asyncio.timeout(WAIT_S):
            while not await looking.fetchval(queued):  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)
        await cut_off(url, lock)
        async with asyncio.timeout(WAIT_S):
            await waiting
        yield connection
    finally:
        waiting.cancel()
        await connection.close()
        await looking.close()


async def until_health_is(ledger: SqlLedger, message: str | None) -> None:
    async with asyncio.timeout(WAIT_S):
        while (await ledger.check()).message != message:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)


async def test_an_owner_that_lost_the_ledger_to_another_serves_nothing_any_more(url: str) -> None:
    async with open_postgres_ledger(url) as ledger:
        async with next_in_line(url, OWNER):
            await until_health_is(ledger, LOST)

            assert (await ledger.check()).status == "down"
            with pytest.raises(RetrievalUnavailable, match="Another Sourcebook"):
                await ledger.collections.all()
            with pytest.raises(RetrievalUnavailable, match="Another Sourcebook"):
                await ledger.jobs.enqueue(JobRequest("book"))

        # Its index lacks what the other one has written, so it does not go on after it either.
        assert (await ledger.check()).message == LOST


async def test_one_of_several_processes_goes_on_when_the_ledger_is_free_again(url: str) -> None:
    target, ownership = postgres_target(url), Ownership()
    async with hold_ledger(target, shared=True, ownership=ownership, check_interval_s=0.01):
        async with next_in_line(url, OWNER):
            async with asyncio.timeout(WAIT_S):
                while not ownership.is_taken:  # noqa: ASYNC110 - nobody tells
                    await asyncio.sleep(0.01)
            with pytest.raises(RetrievalUnavailable, match="Another Sourcebook"):
                await ownership.check()

        async with asyncio.timeout(WAIT_S):
            while not ownership.is_held:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)
        await ownership.check()


async def test_an_owner_that_was_cut_off_and_takes_its_lock_again_goes_on(url: str) -> None:
    async with open_postgres_ledger(url) as ledger:
        await cut_off(url, OWNER)
        await until_held(url, OWNER)
        await until_health_is(ledger, None)

        assert await ledger.collections.all() == []


async def test_what_is_written_while_the_lock_is_lost_is_not_committed(url: str) -> None:
    async with open_postgres_ledger(url) as ledger:

        async def write_too_late() -> None:
            async with ledger.database.writing() as connection:
                row = {"only": 1, "id": "lost"}
                await connection.execute(insert(schema.installation), row)
                async with next_in_line(url, OWNER):
                    await until_health_is(ledger, LOST)

        with pytest.raises(RetrievalUnavailable, match="Another Sourcebook"):
            await write_too_late()

        other = await asyncpg.connect(url)
        assert await other.fetchval("SELECT count(*) FROM installation") == 0
        await other.close()


async def test_an_owner_that_ends_leaves_the_ledger_to_others(url: str) -> None:
    target = postgres_target(url)
    async with hold_ledger(target, shared=False):
        pass

    async with hold_ledger(target, shared=True), hold_ledger(target, shared=True):
        pass


async def test_a_lock_that_cannot_be_asked_for_is_said_without_the_password() -> None:
    target = postgres_target("postgresql://u:canary@127.0.0.1:1/db")

    with pytest.raises(ConfigurationError, match="without `-pooler`") as refused:
        async with hold_ledger(target, shared=True):
            pass

    assert "canary" not in str(refused.value)


def test_locks_are_not_held_through_neons_pooler() -> None:
    pooled = postgres_target("postgresql://u:p@ep-a-b-1-pooler.eu.aws.neon.tech/db").url

    assert _without_pooler(pooled).host == "ep-a-b-1.eu.aws.neon.tech"
    plain = postgres_target("postgresql://u:p@db.example.org/db").url
    assert _without_pooler(plain) == plain
