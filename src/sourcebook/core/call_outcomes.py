"""Remembers how the latest real calls of a part ended: a probe may succeed while they fail."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from sourcebook.core.errors import Overloaded, PoisonText, Unavailable
from sourcebook.core.health import ServiceHealth

# A call that nothing followed for so long says nothing about now.
OUTCOME_TTL_S = 300.0
# So many probes in a row outweigh a failed call: the part is back, and nobody has asked it since.
PROBES_THAT_CLEAR = 2
# These are about the text, or about how much is asked at once.
_NOT_THE_PARTS_FAULT = (PoisonText, Overloaded)


class CallOutcomes:
    """Keeps how the last call ended. Of errors, only those of the class `failure` count.

    With `trusted`, a success outweighs a degraded probe, for one that asks something else. With
    `public`, errors are told in the words that readers get: this part's own name indexes.
    """

    def __init__(
        self,
        failure: type[Unavailable],
        now_s: Callable[[], float] = time.monotonic,
        *,
        trusted: bool = False,
        public: bool = False,
    ) -> None:
        self._failure = failure
        self._now_s = now_s
        self._trusted = trusted
        self._public = public
        # What went wrong, if anything, and when.
        self._last: tuple[str | None, float] | None = None
        self._good_probes = 0

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Note how the call inside ends. One that is cancelled says nothing."""
        try:
            yield
        except Unavailable as error:
            if isinstance(error, self._failure) and not isinstance(error, _NOT_THE_PARTS_FAULT):
                told = error.public_message if self._public else error.message
                self._last = told, self._now_s()
                self._good_probes = 0
            raise
        self._last = None, self._now_s()

    def applied_to(self, health: ServiceHealth) -> ServiceHealth:
        """What a probe found, with what the last real call says about it."""
        if self._last is None or self._now_s() - self._last[1] >= OUTCOME_TTL_S:
            return health
        message, _ = self._last
        if message is None:
            is_outweighed = self._trusted and health.status == "degraded"
            return replace(health, status="up", message=None) if is_outweighed else health
        if health.status != "up":
            self._good_probes = 0
            return health
        self._good_probes += 1
        if self._good_probes >= PROBES_THAT_CLEAR:
            self._last = None
            return health
        return replace(health, status="degraded", message=f"the last call failed. {message}")
