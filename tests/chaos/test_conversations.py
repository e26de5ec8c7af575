"""The database of conversations goes away under ten callers, and comes back."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import asyncpg
import pytest

from sourcebook.core.errors import HistoryUnavailable
from sourcebook.core.ports import ConversationStore
from sourcebook.providers.storage.conversations.sql_conversations import open_postgres_conversations
from tests.chaos.postgres_outages import GoingPostgres, going_postgres
from tests.contract.conversation_contract import exchange, new_session

CALLERS = 10
# Far more than any call may take: reached only by one that hangs.
HANGS_AFTER_S = 30.0
NOTHING_MOVES_AFTER_S = 120.0


@pytest.fixture
def server(postgres_folder: Path) -> Iterator[GoingPostgres]:
    with going_postgres(postgres_folder) as server:
        yield server


@pytest.fixture
async def store(server: GoingPostgres) -> AsyncIterator[ConversationStore]:
    async with open_postgres_conversations(server.url, 30.0) as store:
        yield store


class Caller:
    """Adds and reads for ever, and counts; any error but one ends it."""

    def __init__(self, store: ConversationStore) -> None:
        self.session = new_session()
        self.kept: list[str] = []
        self.served = 0
        self.refused = 0
        self._store = store

    async def call_for_ever(self) -> None:
        while True:
            try:
                async with asyncio.timeout(HANGS_AFTER_S):
                    await self._converse()
                self.served += 1
            except HistoryUnavailable:
                self.refused += 1
            await asyncio.sleep(0.02)

    async def _converse(self) -> None:
        added = exchange(self.session, time.time())
        await self._store.add(added)
        self.kept.append(added.id)
        await self._store.latest(self.session, 5)


class Crowd:
    """Callers that go on beside the test."""

    def __init__(self, store: ConversationStore) -> None:
        self.callers = [Caller(store) for _ in range(CALLERS)]
        self._tasks = [asyncio.create_task(caller.call_for_ever()) for caller in self.callers]

    async def until(self, count: Callable[[Caller], int], more: int = 3) -> None:
        """Wait until the count of each caller has grown by some."""
        before = [count(caller) for caller in self.callers]
        async with asyncio.timeout(NOTHING_MOVES_AFTER_S):
            while any(
                count(caller) < seen + more
                for caller, seen in zip(self.callers, before, strict=True)
            ):
                self._raise_what_ended_a_caller()
                await asyncio.sleep(0.02)

    async def leave(self) -> None:
        self._raise_what_ended_a_caller()
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)

    def _raise_what_ended_a_caller(self) -> None:
        for task in self._tasks:
            if task.done():
                task.result()


def served(caller: Caller) -> int:
    return caller.served


def refused(caller: Caller) -> int:
    return caller.refused


async def open_transactions(url: str) -> int:
    connection = await asyncpg.connect(url)
    try:
        found = await connection.fetchval(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE application_name = 'sourcebook' AND xact_start IS NOT NULL"
        )
    finally:
        await connection.close()
    return int(found)


@pytest.mark.parametrize("outage", ["stopped", "frozen"])
async def test_ten_callers_hear_that_history_is_away_and_need_no_restart(
    server: GoingPostgres, store: ConversationStore, outage: str
) -> None:
    crowd = Crowd(store)
    await crowd.until(served)

    await asyncio.to_thread(server.stop if outage == "stopped" else server.freeze)
    await crowd.until(refused)
    assert (await store.check()).status == "down"
    await asyncio.to_thread(server.start if outage == "stopped" else server.thaw)
    await crowd.until(served)
    await crowd.leave()

    assert (await store.check()).status == "up"
    for caller in crowd.callers:
        found = {one.id for one in await store.latest(caller.session, 100_000)}
        assert set(caller.kept) <= found
    assert await open_transactions(server.url) == 0


async def test_a_store_closes_although_the_server_hangs(server: GoingPostgres) -> None:
    async with open_postgres_conversations(server.url, 30.0) as store:
        calls = (store.latest(new_session(), 5) for _ in range(CALLERS))
        await asyncio.gather(*calls)
        server.freeze()

    assert (await store.check()).status == "down"
