"""Retries embedding calls while the embedding service is rate limiting us."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from sourcebook.core.errors import RateLimited
from sourcebook.core.retry import Backoff, Sleep, retry

log = logging.getLogger(__name__)

T = TypeVar("T")

MAX_ATTEMPTS = 6
MAX_BACKOFF_S = 60.0
_BACKOFF = Backoff(first_s=1.0, max_s=MAX_BACKOFF_S)


class OverloadRetry:
    """Backs off exponentially, or for as long as the service asks."""

    def __init__(self, sleep: Sleep = asyncio.sleep, max_attempts: int = MAX_ATTEMPTS) -> None:
        self._sleep = sleep
        self._max_attempts = max_attempts

    async def call(self, work: Callable[[], Awaitable[T]]) -> T:
        """Return what `work` gives in the end; RateLimited if the service stays unwilling."""
        return await retry(work, self._wait_s, sleep=self._sleep)

    def _wait_s(self, error: Exception, failures: int) -> float | None:
        if not isinstance(error, RateLimited) or failures >= self._max_attempts:
            return None
        wait_s = seconds_until_retry(error, failures)
        log.warning("embedding_rate_limited", extra={"wait_s": round(wait_s, 2)})
        return wait_s


def seconds_until_retry(error: RateLimited, failures: int) -> float:
    """As long as the service asks for, within reason; else a backoff."""
    if error.retry_after_s is None:
        return _BACKOFF.wait_s(failures)
    return _BACKOFF.wait_s(1, min(max(error.retry_after_s, 0.0), MAX_BACKOFF_S))
