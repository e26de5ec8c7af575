"""Chats are counted in slots that always come back."""

import asyncio

import pytest

from sourcebook.core.errors import TooManyRequests
from sourcebook.surfaces.admission import Slots
from tests.chaos import dice


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
