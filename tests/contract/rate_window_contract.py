"""Contract of the rate limit windows: in memory or shared, they count alike."""

import asyncio
import random
from abc import abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

import pytest


class Window(Protocol):
    """Counts the calls of each caller."""

    async def take(self, caller: str, at_most: int) -> float | None:
        """Count a call, or return how long to wait if the last 60 s had `at_most` calls already."""
        ...


@dataclass(frozen=True, slots=True)
class WatchedWindow:
    """A new window, its clock, and a way to let time pass."""

    window: Window
    now_s: Callable[[], float]
    let_pass: Callable[[float], Awaitable[None]]


class RateWindowContract:
    """Inherit this and give a fixture `watched`; take more `steps` where they cost nothing."""

    steps = 800

    @pytest.fixture
    @abstractmethod
    def watched(self) -> WatchedWindow:
        """Return a window that has counted nothing yet."""

    async def test_no_window_of_a_minute_holds_more_than_the_limit(
        self, watched: WatchedWindow
    ) -> None:
        chance = random.Random(6)  # noqa: S311 - the same steps every time
        let_in: list[tuple[float, float]] = []
        for _ in range(self.steps):
            await watched.let_pass(chance.choice([0.0, 0.01, 0.3, 1.0, 7.0]))
            before_s = watched.now_s()
            if await watched.window.take("a", 20) is None:
                let_in.append((before_s, watched.now_s()))

        assert len(let_in) > self.steps // 6
        # Each call was counted between its two moments, so this holds for the calls themselves.
        for (before_s, _), (_, after_s) in zip(let_in, let_in[20:], strict=False):
            assert after_s - before_s >= 60

    async def test_after_the_time_that_was_said_the_next_call_passes(
        self, watched: WatchedWindow
    ) -> None:
        chance = random.Random(7)  # noqa: S311 - the same steps every time
        refusals = 0
        for _ in range(200):
            await watched.let_pass(chance.uniform(0.0, 20.0))
            wait_s = await watched.window.take("a", 3)
            if wait_s is not None:
                refusals += 1
                assert 0.0 < wait_s <= 60.0
                await watched.let_pass(wait_s)
                assert await watched.window.take("a", 3) is None

        assert refusals > 20

    async def test_a_burst_at_the_edge_of_a_minute_gains_nothing(
        self, watched: WatchedWindow
    ) -> None:
        passed = []
        for pause_s in (0.0, 59.0, 1.0):
            await watched.let_pass(pause_s)
            taken = [await watched.window.take("a", 10) for _ in range(12)]
            passed.append(taken.count(None))

        assert passed == [10, 0, 10]

    async def test_calls_that_were_refused_do_not_count(self, watched: WatchedWindow) -> None:
        assert await watched.window.take("a", 1) is None
        for _ in range(50):
            await watched.let_pass(1.0)
            assert await watched.window.take("a", 1) is not None
        await watched.let_pass(10.0)

        assert await watched.window.take("a", 1) is None

    async def test_callers_do_not_share_a_limit(self, watched: WatchedWindow) -> None:
        assert [await watched.window.take(caller, 1) for caller in "abc"] == [None, None, None]
        assert await watched.window.take("a", 1) is not None

    async def test_of_many_at_once_no_more_pass_than_may(self, watched: WatchedWindow) -> None:
        taken = await asyncio.gather(*(watched.window.take("a", 25) for _ in range(60)))

        assert taken.count(None) == 25

    async def test_any_text_can_stand_for_a_caller(self, watched: WatchedWindow) -> None:
        for caller in ("", "::1/128", "a b\n*?[", "ä" * 500):
            assert await watched.window.take(caller, 1) is None
            assert await watched.window.take(caller, 1) is not None
