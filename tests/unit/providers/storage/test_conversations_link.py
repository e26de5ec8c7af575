"""The link refuses at once while a database is away, and lets nobody wait for long."""

import asyncio
import logging

import pytest

from sourcebook.core.errors import HistoryUnavailable
from sourcebook.providers.storage.conversation_link import (
    CALL_LIMIT_S,
    QUIET_S,
    HistoryBusy,
    Link,
)
from tests.fakes import FakeClock

SOON_S = 0.01


class FakeDatabase:
    """Answers, fails, or hangs."""

    def __init__(self) -> None:
        self.knocks = 0
        self.calls = 0
        self.tidied = 0
        self.problem: Exception | None = None
        self.open = asyncio.Event()
        self.open.set()
        self.asked = asyncio.Event()

    def hang(self) -> None:
        """Let whoever asks from now on wait."""
        self.open.clear()
        self.asked.clear()

    async def knock(self) -> None:
        self.knocks += 1
        await self._answer()

    async def work(self) -> int:
        self.calls += 1
        try:
            await self._answer()
        except asyncio.CancelledError:
            self.tidied += 1
            raise
        return self.calls

    async def _answer(self) -> None:
        self.asked.set()
        await self.open.wait()
        if self.problem is not None:
            raise self.problem


@pytest.fixture
def database() -> FakeDatabase:
    return FakeDatabase()


@pytest.fixture
def link(database: FakeDatabase, clock: FakeClock) -> Link:
    return Link(database.knock, clock)


async def test_nothing_is_asked_before_it_is_needed(link: Link, database: FakeDatabase) -> None:
    await asyncio.sleep(0)

    assert (database.knocks, database.calls) == (0, 0)


async def test_while_it_answers_it_is_knocked_at_once_only(
    link: Link, database: FakeDatabase
) -> None:
    calls = [await link.call(database.work) for _ in range(5)]

    assert (calls, database.knocks) == ([1, 2, 3, 4, 5], 1)


async def test_callers_that_come_together_share_a_knock(link: Link, database: FakeDatabase) -> None:
    await asyncio.gather(*(link.call(database.work) for _ in range(10)))

    assert (database.knocks, database.calls) == (1, 10)


async def test_after_a_failure_nobody_asks_for_a_while(
    link: Link, database: FakeDatabase, clock: FakeClock
) -> None:
    database.problem = HistoryUnavailable("The table is not ours")
    knocks = []

    for later_s in (0.0, QUIET_S / 2, QUIET_S / 2, 0.0, QUIET_S):
        clock.now_s += later_s
        with pytest.raises(HistoryUnavailable, match="The table is not ours"):
            await link.call(database.work)
        knocks.append(database.knocks)

    assert (knocks, database.calls) == ([1, 1, 2, 2, 3], 0)


async def test_what_fails_at_work_ends_the_asking_too(
    link: Link, database: FakeDatabase, clock: FakeClock
) -> None:
    await link.call(database.work)
    database.problem = HistoryUnavailable("It is away")

    tries = (link.call(database.work) for _ in range(10))
    together = await asyncio.gather(*tries, return_exceptions=True)
    with pytest.raises(HistoryUnavailable):
        await link.call(database.work)
    database.problem = None
    clock.now_s += QUIET_S

    assert {type(result) for result in together} == {HistoryUnavailable}
    assert await link.call(database.work) == 12
    assert database.knocks == 2


async def test_busy_is_not_away(link: Link, database: FakeDatabase) -> None:
    database.problem = HistoryBusy("No time")
    for _ in range(2):
        with pytest.raises(HistoryBusy):
            await link.call(database.work)
    database.problem = None
    await link.call(database.work)
    database.problem = HistoryBusy("No time")
    with pytest.raises(HistoryBusy):
        await link.call(database.work)
    database.problem = None

    assert await link.call(database.work) == 3
    assert database.knocks == 3


async def test_work_that_hangs_is_left_and_tidies_up(link: Link, database: FakeDatabase) -> None:
    await link.call(database.work)
    database.hang()

    with pytest.raises(HistoryUnavailable):
        await link.call(database.work, SOON_S)
    with pytest.raises(HistoryUnavailable):
        await link.call(database.work)
    await link.close()

    assert (database.calls, database.tidied) == (2, 1)


async def test_a_caller_that_leaves_ends_its_work_and_nothing_else(
    link: Link, database: FakeDatabase
) -> None:
    await link.call(database.work)
    database.hang()
    calling = asyncio.create_task(link.call(database.work))
    await database.asked.wait()

    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    database.open.set()

    assert await link.call(database.work) == 3
    assert (database.tidied, database.knocks) == (1, 1)


async def test_a_knock_goes_on_when_its_caller_has_left(link: Link, database: FakeDatabase) -> None:
    database.hang()
    calling = asyncio.create_task(link.call(database.work))
    await database.asked.wait()

    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    database.open.set()

    assert await link.call(database.work) == 1
    assert database.knocks == 1


async def test_nobody_waits_for_an_old_knock(
    link: Link, database: FakeDatabase, clock: FakeClock
) -> None:
    database.problem = HistoryUnavailable("It is away")
    with pytest.raises(HistoryUnavailable):
        await link.call(database.work)
    clock.now_s += QUIET_S
    database.hang()
    first = asyncio.create_task(link.call(database.work))
    await database.asked.wait()

    clock.now_s += CALL_LIMIT_S + 1
    with pytest.raises(HistoryUnavailable):
        await link.call(database.work)
    database.open.set()
    with pytest.raises(HistoryUnavailable):
        await first

    assert database.knocks == 2


async def test_an_error_that_nobody_foresaw_is_heard_of(link: Link, database: FakeDatabase) -> None:
    database.problem = ValueError("a bug")
    with pytest.raises(ValueError, match="a bug"):
        await link.call(database.work)
    database.problem = None

    assert await link.call(database.work) == 1


async def test_a_closed_link_lets_nobody_in_and_nobody_wait(
    link: Link, database: FakeDatabase
) -> None:
    await link.call(database.work)
    database.hang()
    calling = asyncio.create_task(link.call(database.work))
    await database.asked.wait()

    await link.close()

    for call in (calling, link.call(database.work)):
        with pytest.raises(HistoryUnavailable, match="closed"):
            await call


async def test_going_and_coming_back_are_logged_once_each(
    link: Link, database: FakeDatabase, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        database.problem = HistoryBusy("No time")
        with pytest.raises(HistoryBusy):
            await link.call(database.work)
        database.problem = HistoryUnavailable("It is away")
        for _ in range(3):
            clock.now_s += QUIET_S
            with pytest.raises(HistoryUnavailable):
                await link.call(database.work)
        database.problem = None
        clock.now_s += QUIET_S
        await link.call(database.work)
        await link.call(database.work)

    assert caplog.messages == ["conversations_away", "conversations_back"]
