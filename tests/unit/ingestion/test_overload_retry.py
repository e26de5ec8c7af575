"""Waiting grows, is never quite the same, and ends."""

import statistics
from collections.abc import Iterator

import pytest

from sourcebook.core.errors import EmbeddingFailed, RateLimited
from sourcebook.ingestion.overload_retry import MAX_BACKOFF_S, OverloadRetry, seconds_until_retry


class Service:
    """Gives one answer after another."""

    def __init__(self, *answers: "Exception | str") -> None:
        self._answers: Iterator[Exception | str] = iter(answers)
        self.calls = 0

    async def ask(self) -> str:
        self.calls += 1
        answer = next(self._answers)
        if isinstance(answer, Exception):
            raise answer
        return answer


class Sleeper:
    def __init__(self) -> None:
        self.waits_s: list[float] = []

    async def __call__(self, wait_s: float) -> None:
        self.waits_s.append(wait_s)


@pytest.fixture
def sleeper() -> Sleeper:
    return Sleeper()


async def test_it_asks_again_after_ever_longer_waits(sleeper: Sleeper) -> None:
    limited = [RateLimited("wait") for _ in range(4)]
    service = Service(*limited, "done")

    assert await OverloadRetry(sleeper).call(service.ask) == "done"

    assert service.calls == 5
    for wait_s, ceiling_s in zip(sleeper.waits_s, [1, 2, 4, 8], strict=True):
        assert ceiling_s / 2 <= wait_s <= ceiling_s


async def test_it_gives_up_in_the_end(sleeper: Sleeper) -> None:
    service = Service(*[RateLimited("wait") for _ in range(10)])

    with pytest.raises(RateLimited):
        await OverloadRetry(sleeper, max_attempts=3).call(service.ask)

    assert service.calls == 3


async def test_other_failures_are_not_waited_for(sleeper: Sleeper) -> None:
    service = Service(EmbeddingFailed("broken"))

    with pytest.raises(EmbeddingFailed):
        await OverloadRetry(sleeper).call(service.ask)

    assert (service.calls, sleeper.waits_s) == (1, [])


def test_what_the_service_asks_for_is_honoured_within_reason() -> None:
    assert 7.0 <= seconds_until_retry(RateLimited("wait", 7.0), 1) <= 8.0
    assert seconds_until_retry(RateLimited("wait", 1e9), 1) <= MAX_BACKOFF_S + 1
    assert seconds_until_retry(RateLimited("wait", -5.0), 1) >= 0.0


def test_two_workers_do_not_come_back_at_the_same_moment() -> None:
    waits = [seconds_until_retry(RateLimited("wait"), 4) for _ in range(50)]

    assert statistics.stdev(waits) > 0
