"""A window forgets in time, and goes on alone while the shared one is away."""

import pytest

from sourcebook.core.errors import TooManyRequests, Unavailable
from sourcebook.surfaces.admission import RateLimit
from sourcebook.surfaces.windows import MemoryWindow, SteadyWindow
from tests.fakes import FakeClock


class SharedWindow:
    """What another process counts in too; it can be away."""

    def __init__(self, clock: FakeClock) -> None:
        self.inner = MemoryWindow(clock)
        self.away = False
        self.asked = 0

    async def take(self, caller: str, at_most: int) -> float | None:
        self.asked += 1
        if self.away:
            raise Unavailable("away")
        return await self.inner.take(caller, at_most)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


async def passing(window: SteadyWindow | MemoryWindow, calls: int, at_most: int = 10) -> int:
    return [await window.take("a", at_most) for _ in range(calls)].count(None)


async def test_no_limit_refuses_nobody_and_remembers_nobody() -> None:
    window = MemoryWindow()
    limit = RateLimit(0, window)
    for _ in range(1_000):
        await limit.let_in("a")

    assert len(window) == 0


async def test_who_is_refused_is_told_for_how_long(clock: FakeClock) -> None:
    limit = RateLimit(1, MemoryWindow(clock))
    await limit.let_in("a")
    clock.now_s += 20

    with pytest.raises(TooManyRequests, match="Only 1 requests a minute") as caught:
        await limit.let_in("a")

    assert caught.value.retry_after_s == 40


async def test_callers_are_forgotten_after_a_minute(clock: FakeClock) -> None:
    window = MemoryWindow(clock)
    for number in range(10_000):
        await window.take(str(number), 60)
    assert len(window) == 10_000
    clock.now_s += 60.0
    await window.take("another", 60)

    assert len(window) == 1


async def test_two_processes_together_let_in_no_more_than_one_may(clock: FakeClock) -> None:
    shared = SharedWindow(clock)
    one, other = (SteadyWindow(shared, MemoryWindow(clock)) for _ in range(2))

    assert await passing(one, 6) + await passing(other, 10) == 10


async def test_without_the_shared_window_each_process_counts_for_itself(clock: FakeClock) -> None:
    shared = SharedWindow(clock)
    one, other = (SteadyWindow(shared, MemoryWindow(clock)) for _ in range(2))
    shared.away = True

    assert await passing(one, 15) == 10
    assert await passing(other, 15) == 10


async def test_what_was_let_in_before_the_outage_counts_during_it(clock: FakeClock) -> None:
    shared = SharedWindow(clock)
    window = SteadyWindow(shared, MemoryWindow(clock))
    assert await passing(window, 7) == 7
    shared.away = True

    assert await passing(window, 10) == 3


async def test_what_was_let_in_during_the_outage_counts_after_it(clock: FakeClock) -> None:
    shared = SharedWindow(clock)
    window = SteadyWindow(shared, MemoryWindow(clock))
    shared.away = True
    assert await passing(window, 7) == 7
    shared.away = False

    assert await passing(window, 10) == 3
    clock.now_s += 60
    assert await passing(window, 15) == 10


async def test_whoever_is_over_the_limit_here_costs_no_call_elsewhere(clock: FakeClock) -> None:
    shared = SharedWindow(clock)
    window = SteadyWindow(shared, MemoryWindow(clock))
    await passing(window, 10)
    asked = shared.asked

    assert await passing(window, 100) == 0
    assert shared.asked == asked


async def test_what_the_shared_window_refuses_is_not_counted_here(clock: FakeClock) -> None:
    shared, own = SharedWindow(clock), MemoryWindow(clock)
    await passing(shared.inner, 10)
    window = SteadyWindow(shared, own)

    assert await passing(window, 5) == 0
    assert len(own) == 0
