"""Retries failed calls: bounded attempts, exponential backoff with jitter, a deadline."""

import asyncio
import math
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import count
from typing import TypeAlias, TypeVar

T = TypeVar("T")
Sleep: TypeAlias = Callable[[float], Awaitable[None]]
# The seconds to wait after an error that is the n-th in a row; None to give up.
Wait: TypeAlias = Callable[[Exception, int], float | None]


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits that double up to `max_s`. Each is a random share of that, from `min_share` to 1.

    The share is never small: attempts without a wait between them are one attempt.
    """

    first_s: float
    max_s: float = math.inf
    min_share: float = 0.5
    jitter: Callable[[float, float], float] = random.uniform

    def wait_s(self, failures: int, retry_after_s: float = 0.0) -> float:
        """The wait after so many failures, on top of what the server asked for."""
        ceiling_s = min(self.first_s * 2 ** (failures - 1), self.max_s)
        return retry_after_s + self.jitter(self.min_share * ceiling_s, ceiling_s)


# For a server that says "too many requests": anything shorter would only use up the attempts.
RATE_LIMIT_BACKOFF = Backoff(first_s=1.0, max_s=8.0)


async def retry(
    work: Callable[[], Awaitable[T]],
    wait_s: Wait,
    *,
    deadline_s: float = math.inf,
    sleep: Sleep = asyncio.sleep,
    now_s: Callable[[], float] = time.monotonic,
) -> T:
    """Call `work` until it succeeds, and wait in between for as long as `wait_s` says.

    Raises the last error if `wait_s` gives None, or if the wait would reach the deadline.
    """
    for failures in count(1):
        try:
            return await work()
        except Exception as error:
            pause_s = wait_s(error, failures)
            if pause_s is None or now_s() + pause_s >= deadline_s:
                raise
        await sleep(pause_s)
    raise AssertionError("unreachable")
