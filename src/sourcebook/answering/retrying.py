"""Tries again what may have failed by chance, as often as its kind of failure deserves."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from sourcebook.core.errors import (
    EmbeddingFailed,
    RateLimited,
    RetrievalUnavailable,
    SourcebookError,
)
from sourcebook.core.refusals import EmbeddingRefused

T = TypeVar("T")

# How often a call is repeated after each kind of failure, as specification 004 has it.
# The first that fits counts.
RETRIES: Mapping[type[SourcebookError], int] = {
    RetrievalUnavailable: 3,
    EmbeddingRefused: 0,
    EmbeddingFailed: 2,
}
FIRST_PAUSE_S = 0.1
# Who asks to wait for longer will not be there before the caller's deadline.
LONGEST_PAUSE_S = 2.0


class Persistence:
    """Repeats calls with growing pauses of random length. The caller's deadline ends it."""

    def __init__(
        self,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._sleep = sleep
        self._jitter = jitter

    async def call(self, work: Callable[[], Awaitable[T]]) -> T:
        """What the work gives; its last failure, if it goes on failing."""
        failures = 0
        while True:
            try:
                return await work()
            except SourcebookError as error:
                failures += 1
                asked_s = _seconds_asked_for(error)
                if failures > _retries_of(error) or asked_s > LONGEST_PAUSE_S:
                    raise
            await self._sleep(asked_s + self._jitter() * FIRST_PAUSE_S * 2**failures)


def _retries_of(error: SourcebookError) -> int:
    return next((often for kind, often in RETRIES.items() if isinstance(error, kind)), 0)


def _seconds_asked_for(error: SourcebookError) -> float:
    return error.retry_after_s or 0.0 if isinstance(error, RateLimited) else 0.0
