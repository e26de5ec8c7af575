"""Waiting for an embedding service that takes no more for now."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

from sourcebook.core.errors import RateLimited

log = logging.getLogger(__name__)

T = TypeVar("T")
Sleep = Callable[[float], Awaitable[None]]

FIRST_WAIT_S = 1.0
TRIES = 6
LONGEST_WAIT_S = 60.0


class Patience:
    """Calls again after ever longer waits, or after as long as the service asks for."""

    def __init__(self, sleep: Sleep = asyncio.sleep, tries: int = TRIES) -> None:
        self._sleep = sleep
        self._tries = tries

    async def call(self, ask: Callable[[], Awaitable[T]]) -> T:
        """What `ask` gives in the end; RateLimited if the service stays unwilling."""
        for ceiling_s in _ceilings_s(self._tries - 1):
            try:
                return await ask()
            except RateLimited as error:
                wait_s = seconds_until_retry(error, ceiling_s)
                log.warning("embedding_rate_limited", extra={"wait_s": round(wait_s, 2)})
                await self._sleep(wait_s)
        return await ask()


def seconds_until_retry(error: RateLimited, ceiling_s: float) -> float:
    """As long as the service asks for, within reason; else a random part of the ceiling."""
    jitter = random.uniform(0.5, 1.0)  # noqa: S311 - nothing secret about it
    if error.retry_after_s is not None:
        return min(max(error.retry_after_s, 0.0), LONGEST_WAIT_S) + jitter * FIRST_WAIT_S
    return ceiling_s * jitter


def _ceilings_s(count: int) -> Iterator[float]:
    for exponent in range(count):
        yield min(FIRST_WAIT_S * 2**exponent, LONGEST_WAIT_S)
