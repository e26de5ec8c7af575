"""The circuit breaker refuses at once while a database is unavailable; nobody waits for long."""

import asyncio
import logging

import pytest

from sourcebook.core.errors import HistoryUnavailable
from sourcebook.providers.storage.conversations.circuit_breaker import (
    CALL_TIMEOUT_S,
    PROBE_INTERVAL_S,
    CircuitBreaker,
    HistoryBusy,
)
from tests.fakes import FakeClock

SOON_S = 0.01


class FakeDatabase:
    """Answers, fails, or hangs."""

    def __init__(self) -> None:
        self.probes = 0
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

    async def probe(self) -> None:
        self.probes += 1
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
def breaker(database: FakeDatabase, clock: FakeClock) -> CircuitBreaker:
    return CircuitBreaker(database.probe, clock)


async def test_nothing_is_asked_before_it_is_needed(
    breaker: CircuitBreaker, database: FakeDatabase
) -> None:
    await asyncio.sleep(0)

    assert (database.probes, database.calls) == (0, 0)


async def test_while_it_answers_it_is_probed_once_only(
    breaker: CircuitBreaker, database: FakeDatabase
) -> None:
    calls = [await breaker.call(database.work) for _ in range(5)]

    assert (calls, database.probes) == ([1, 2, 3, 4, 5], 1)


async def test_callers_that_come_together_share_a_probe(
    breaker: CircuitBreaker, database: FakeDatabase
) -> None:
    await asyncio.gather(*(breaker.call(database.work) for _ in range(10)))

    assert (database.probes, database.calls) == (1, 10)


async def test_after_a_failure_nobody_asks_for_a_while(
    breaker: CircuitBreaker, database: FakeDatabase, clock: FakeClock
) -> None:
    database.problem = HistoryUnavailable("The table is not ours")
    probes = []

    for later_s in (0.0, PROBE_INTERVAL_S / 2, PROBE_INTERVAL_S / 2, 0.0, PROBE_INTERVAL_S):
        clock.now_s += later_s
        with pytest.raises(HistoryUnavailable, match="The table is not ours"):
            await breaker.call(database.work)
        probes.append(database.probes)

    assert (probes, database.calls) == ([1, 1, 2, 2, 3], 0)


async def test_what_fails_at_work_ends_the_asking_too(
    breaker: CircuitBreaker, database: FakeDatabase, clock: FakeClock
) -> None:
    await breaker.call(database.work)
    database.problem = HistoryUnavailable("It is away")

    tries = (breaker.call(database.work) for _ in range(10))
    together = await asyncio.gather(*tries, return_exceptions=True)
    with pytest.raises(HistoryUnavailable):
        await breaker.call(database.work)
    database.problem = None
    clock.now_s += PROBE_INTERVAL_S

    assert {type(result) for result in together} == {HistoryUnavailable}
    assert await breaker.call(database.work) == 12
    assert database.probes == 2


async def test_busy_is_not_away(breaker: CircuitBreaker, database: FakeDatabase) -> None:
    database.problem = HistoryBusy("No time")
    for _ in range(2):
        with pytest.raises(HistoryBusy):
            await breaker.call(database.work)
    database.problem = None
    await breaker.call(database.work)
    database.problem = HistoryBusy("No time")
    with pytest.raises(HistoryBusy):
        await breaker.call(database.work)
    database.problem = None

    assert await breaker.call(database.work) == 3
    assert database.probes == 3


async def test_work_that_hangs_is_left_and_tidies_up(
    breaker: CircuitBreaker, database: FakeDatabase
) -> None:
    await breaker.call(database.work)
    database.hang()

    with pytest.raises(HistoryUnavailable):
        await breaker.call(database.work, SOON_S)
    with pytest.raises(HistoryUnavailable):
        await breaker.call(database.work)
    await breaker.close()

    assert (database.calls, database.tidied) == (2, 1)


async def test_a_caller_that_leaves_ends_its_work_and_nothing_else(
    breaker: CircuitBreaker, database: FakeDatabase
) -> None:
    await breaker.call(database.work)
    database.hang()
    calling = asyncio.create_task(breaker.call(database.work))
    await database.asked.wait()

    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    database.open.set()

    assert await breaker.call(database.work) == 3
    assert (database.tidied, database.probes) == (1, 1)


async def test_a_probe_goes_on_when_its_caller_has_left(
    breaker: CircuitBreaker, database: FakeDatabase
) -> None:
    database.hang()
    calling = asyncio.create_task(breaker.call(database.work))
    await database.asked.wait()

    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    database.open.set()

    assert await breaker.call(database.work) == 1
    assert database.probes == 1


async def test_nobody_waits_for_an_old_probe(
    breaker: CircuitBreaker, database: FakeDatabase, clock: FakeClock
) -> None:
    database.problem = HistoryUnavailable("It is away")
    with pytest.raises(HistoryUnavailable):
        await breaker.call(database.work)
    clock.now_s += PROBE_INTERVAL_S
    database.hang()
    first = asyncio.create_task(breaker.call(database.work))
    await database.asked.wait()

    clock.now_s += CALL_TIMEOUT_S + 1
    with pytest.raises(HistoryUnavailable):
        await breaker.call(database.work)
    database.open.set()
    with pytest.raises(HistoryUnavailable):
        await first

    assert database.probes == 2


async def test_an_error_that_nobody_foresaw_is_heard_of(
    breaker: CircuitBreaker, database: FakeDatabase
) -> None:
    database.problem = ValueError("a bug")
    with pytest.raises(ValueError, match="a bug"):
        await breaker.call(database.work)
    database.problem = None

    assert await breaker.call(database.work) == 1


async def test_a_closed_circuit_breaker_lets_nobody_in_and_nobody_wait(
    breaker: CircuitBreaker, database: FakeDatabase
) -> None:
    await breaker.call(database.work)
    database.hang()
    calling = asyncio.create_task(breaker.call(database.work))
    await database.asked.wait()

    await breaker.close()

    for call in (calling, breaker.call(database.work)):
        with pytest.raises(HistoryUnavailable, match="closed"):
            await call


async def test_going_and_coming_back_are_logged_once_each(
    breaker: CircuitBreaker,
    database: FakeDatabase,
    clock: FakeClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.INFO):
        database.problem = HistoryBusy("No time")
        with pytest.raises(HistoryBusy):
            await breaker.call(database.work)
        database.problem = HistoryUnavailable("It is away")
        for _ in range(3):
            clock.now_s += PROBE_INTERVAL_S
            with pytest.raises(HistoryUnavailable):
                await breaker.call(database.work)
        database.problem = None
        clock.now_s += PROBE_INTERVAL_S
        await breaker.call(database.work)
        await breaker.call(database.work)

    assert caplog.messages == ["conversations_away", "conversations_back"]
