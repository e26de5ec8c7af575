"""Calls are counted in a window that moves, and chats in slots that always come back."""

import asyncio

import pytest

from sourcebook.core.errors import TooManyRequests
from sourcebook.surfaces.admission import RateLimit, Slots
from tests.chaos import dice
from tests.fakes import FakeClock


def refused_for_s(limit: RateLimit, caller: str = "a") -> float | None:
    try:
        limit.let_in(caller)
    except TooManyRequests as error:
        return error.retry_after_s
    return None


def test_no_window_of_a_minute_holds_more_than_the_limit() -> None:
    clock, chance = FakeClock(), dice(6)
    limit = RateLimit(60, now_s=clock)
    let_in: list[float] = []
    for _ in range(5_000):
        clock.now_s += chance.choice([0.0, 0.01, 0.3, 1.0, 7.0])
        if refused_for_s(limit) is None:
            let_in.append(clock.now_s)

    assert len(let_in) > 500
    assert all(later - earlier >= 60 for earlier, later in zip(let_in, let_in[60:], strict=False))


def test_after_the_time_that_was_said_the_next_call_passes() -> None:
    clock, chance = FakeClock(), dice(7)
    limit = RateLimit(3, now_s=clock)
    refusals = 0
    for _ in range(500):
        clock.now_s += chance.uniform(0.0, 20.0)
        wait_s = refused_for_s(limit)
        if wait_s is not None:
            refusals += 1
            assert 0.0 < wait_s <= 60.0
            clock.now_s += wait_s
            assert refused_for_s(limit) is None

    assert refusals > 50


def test_a_burst_at_the_edge_of_a_minute_gains_nothing() -> None:
    clock = FakeClock()
    limit = RateLimit(60, now_s=clock)
    passed = 0
    for moment_s in (0.0, 59.9, 60.0, 60.1):
        clock.now_s = 1_000.0 + moment_s
        passed += sum(refused_for_s(limit) is None for _ in range(60))
        assert passed <= 60 + 60 * (moment_s >= 60.0)


def test_calls_that_were_refused_do_not_count() -> None:
    clock = FakeClock()
    limit = RateLimit(1, now_s=clock)
    limit.let_in("a")
    for _ in range(59):
        clock.now_s += 1.0
        assert refused_for_s(limit) is not None
    clock.now_s += 1.0

    assert refused_for_s(limit) is None


def test_callers_do_not_share_a_limit() -> None:
    limit = RateLimit(1, now_s=FakeClock())

    assert [refused_for_s(limit, caller) for caller in "abc"] == [None, None, None]
    assert refused_for_s(limit, "a") is not None


def test_no_limit_refuses_nobody_and_remembers_nobody() -> None:
    limit = RateLimit(0)

    assert all(refused_for_s(limit) is None for _ in range(1_000))
    assert len(limit) == 0


def test_callers_are_forgotten_after_a_minute() -> None:
    clock = FakeClock()
    limit = RateLimit(60, now_s=clock)
    for number in range(10_000):
        limit.let_in(str(number))
    assert len(limit) == 10_000
    clock.now_s += 60.0
    limit.let_in("another")

    assert len(limit) == 1


async def hold(slots: Slots, release: asyncio.Event) -> None:
    async with slots.one():
        await release.wait()


async def settle() -> None:
    """Let everything that can go on go on."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_as_many_are_in_at_once_as_there_are_slots() -> None:
    slots, release = Slots(at_once=2), asyncio.Event()
    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(hold(slots, release))
        await settle()
        assert slots.taken == 2
        release.set()

    assert slots.taken == 0


async def test_whoever_waits_too_long_is_told_when_a_slot_must_be_free() -> None:
    slots, release = Slots(at_once=1, wait_s=0.01), asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(hold(slots, release))
        await settle()
        with pytest.raises(TooManyRequests) as caught:
            await hold(slots, release)
        release.set()

    assert 29.0 < caught.value.retry_after_s <= 30.0


async def test_only_so_many_may_wait() -> None:
    slots, release = Slots(at_once=1, waiting=2, wait_s=60.0), asyncio.Event()
    async with asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(hold(slots, release))
        await settle()
        with pytest.raises(TooManyRequests):
            await hold(slots, release)
        release.set()

    assert slots.taken == 0
    await hold(slots, release)


async def test_whoever_goes_away_leaves_the_queue() -> None:
    slots, release = Slots(at_once=1, waiting=1, wait_s=60.0), asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(hold(slots, release))
        await settle()
        for _ in range(5):
            waiting = group.create_task(hold(slots, release))
            await settle()
            waiting.cancel()
            await settle()
        group.create_task(hold(slots, release))
        release.set()

    assert slots.taken == 0


async def test_cancelling_at_any_moment_loses_no_slot() -> None:
    slots, chance = Slots(at_once=3, waiting=100, wait_s=60.0), dice(8)
    for _ in range(200):
        release = asyncio.Event()
        tasks = [asyncio.create_task(hold(slots, release)) for _ in range(8)]
        for task in chance.sample(tasks, 5):
            for _ in range(chance.randrange(4)):
                await asyncio.sleep(0)
            task.cancel()
        release.set()
        await asyncio.gather(*tasks, return_exceptions=True)

    release = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(hold(slots, release))
        await settle()
        assert slots.taken == 3
        release.set()
