"""How often something is tried again."""

import pytest

from sourcebook.answering.retrying import Persistence
from sourcebook.core.errors import (
    EmbeddingFailed,
    InvalidInput,
    Overloaded,
    RateLimited,
    RetrievalUnavailable,
    SourcebookError,
)


class Flaky:
    """Fails so many times, then gives its answer."""

    def __init__(self, error: SourcebookError, times: int) -> None:
        self._error = error
        self._left = times
        self.calls = 0

    async def __call__(self) -> str:
        self.calls += 1
        if self._left:
            self._left -= 1
            raise self._error
        return "found"


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def persistence(pauses: list[float]) -> Persistence:
    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    return Persistence(sleep, jitter=lambda: 0.5)


@pytest.mark.parametrize(
    ("error", "retries"),
    [
        (RetrievalUnavailable("away"), 3),
        (EmbeddingFailed("away"), 2),
        (InvalidInput("wrong"), 0),
        (Overloaded("busy"), 0),
    ],
)
async def test_each_kind_of_failure_is_retried_as_often_as_the_taxonomy_says(
    error: SourcebookError, retries: int, persistence: Persistence, pauses: list[float]
) -> None:
    lasting = Flaky(error, times=100)
    passing = Flaky(error, times=retries)

    with pytest.raises(type(error)):
        await persistence.call(lasting)
    assert lasting.calls == retries + 1
    pauses.clear()
    assert await persistence.call(passing) == "found"
    assert pauses == [0.1, 0.2, 0.4][:retries]


async def test_a_service_that_asks_to_wait_is_not_asked_before(
    persistence: Persistence, pauses: list[float]
) -> None:
    assert await persistence.call(Flaky(RateLimited("full", 1.0), times=2)) == "found"
    assert pauses == [1.1, 1.2]


async def test_a_service_that_asks_to_wait_for_too_long_is_left_alone(
    persistence: Persistence, pauses: list[float]
) -> None:
    full = Flaky(RateLimited("full", 60.0), times=2)

    with pytest.raises(RateLimited):
        await persistence.call(full)
    assert (full.calls, pauses) == (1, [])
