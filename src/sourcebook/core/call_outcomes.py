"""Remembers how the latest real calls of a part ended: a probe may succeed while they fail."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from sourcebook.core.errors import Overloaded, PoisonText, Unavailable
from sourcebook.core.health import ServiceHealth

# A failure that nothing followed for so long says nothing about now.
FAILURE_TTL_S = 300.0
# These are about the text, or about how much is asked at once.
_NOT_THE_PARTS_FAULT = (PoisonText, Overloaded)


class CallOutcomes:
    """Keeps the last failure until a call succeeds. Only errors of the class `failure` count."""

    def __init__(
        self, failure: type[Unavailable], now_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._failure = failure
        self._now_s = now_s
        self._last: tuple[str, float] | None = None

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Note how the call inside ends. One that is cancelled says nothing."""
        try:
            yield
        except Unavailable as error:
            if isinstance(error, self._failure) and not isinstance(error, _NOT_THE_PARTS_FAULT):
                self._last = error.message, self._now_s()
            raise
        self._last = None

    def applied_to(self, health: ServiceHealth) -> ServiceHealth:
        """What a probe found, degraded if the last real call failed."""
        if health.status != "up" or self._last is None:
            return health
        message, failed_s = self._last
        if self._now_s() - failed_s >= FAILURE_TTL_S:
            return health
        return replace(health, status="degraded", message=f"the last call failed. {message}")
