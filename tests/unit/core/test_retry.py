"""A failed call is retried as long as its caller wants, and never past the deadline."""

import pytest

from sourcebook.core.retry import Backoff, retry


class Flaky:
    """Fails so many times, then succeeds."""

    def __init__(self, failures: int) -> None:
        self._left = failures
        self.calls = 0

    async def __call__(self) -> str:
        self.calls += 1
        if self._left:
            self._left -= 1
            raise ConnectionError(f"failure {self.calls}")
        return "done"


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s

    async def sleep(self, seconds: float) -> None:
        self.now_s += seconds


def middle(low: float, high: float) -> float:
    return (low + high) / 2


def doubling(_: Exception, failures: int) -> float | None:
    return Backoff(2.0, min_share=0.0, jitter=middle).wait_s(failures)


async def test_it_waits_longer_after_each_failure() -> None:
    clock = Clock()

    assert await retry(Flaky(3), doubling, sleep=clock.sleep, now_s=clock) == "done"

    assert clock.now_s == 1.0 + 2.0 + 4.0


async def test_the_last_error_is_raised_when_the_caller_gives_up() -> None:
    work, clock = Flaky(9), Clock()

    with pytest.raises(ConnectionError, match="failure 3"):
        await retry(work, lambda _, failures: 1.0 if failures < 3 else None, sleep=clock.sleep)

    assert (work.calls, clock.now_s) == (3, 2.0)


async def test_a_wait_that_would_reach_the_deadline_is_not_begun() -> None:
    work, clock = Flaky(9), Clock()

    with pytest.raises(ConnectionError, match="failure 3"):
        await retry(work, doubling, deadline_s=7.0, sleep=clock.sleep, now_s=clock)

    assert clock.now_s == 1.0 + 2.0


def test_a_backoff_has_a_ceiling_a_least_share_and_honours_what_a_server_asks_for() -> None:
    backoff = Backoff(1.0, max_s=60.0, jitter=lambda low, _: low)

    assert [backoff.wait_s(failures) for failures in (1, 2, 3, 10)] == [0.5, 1.0, 2.0, 30.0]
    assert backoff.wait_s(1, retry_after_s=7.0) == 7.5
