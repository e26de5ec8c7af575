"""Circuit breaker for the database of conversations: calls end soon, whether it answers or not."""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from typing import TypeVar

from sourcebook.core.errors import HistoryUnavailable

log = logging.getLogger(__name__)

T = TypeVar("T")

# How long an answer may be held up for its conversation's sake, and how long by the first probe:
# longer by as much as connecting may take while nobody knows yet whether the database is there.
CALL_TIMEOUT_S = 2.0
FIRST_PROBE_TIMEOUT_S = 5.0
# How long a probe may take: connecting, and looking after the table.
PROBE_TIMEOUT_S = 10.0
# How long the circuit stays open after a failure before the next call probes.
PROBE_INTERVAL_S = 5.0
CLOSE_TIMEOUT_S = 5.0

UNAVAILABLE = "The database of conversations is not available; try again in a moment"
CLOSED = "The database of conversations is closed"


class HistoryBusy(HistoryUnavailable):
    """The database is there, but has no time for this call."""


class CircuitBreaker:
    """Passes calls on while the database answers.

    After a failure calls are refused at once for some seconds. Then the next call starts a probe,
    and calls that arrive meanwhile wait for the same probe. A probe goes on when its callers have
    left, because connecting may take longer than an answer can wait.
    """

    def __init__(
        self,
        probe: Callable[[], Coroutine[object, object, None]],
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._probe = probe
        self._monotonic_s = monotonic_s
        self._available = False
        self._tripped = False
        self._shut_down = False
        self._problem: HistoryUnavailable | None = None
        self._next_probe_at_s = monotonic_s()
        self._probing: asyncio.Task[None] | None = None
        self._probe_started_at_s = monotonic_s()
        self._tasks: set[asyncio.Task[object]] = set()

    async def call(
        self, work: Callable[[], Coroutine[object, object, T]], timeout_s: float = CALL_TIMEOUT_S
    ) -> T:
        """Return the result of the work; HistoryUnavailable if there is none within the timeout."""
        await self._ensure_available()
        try:
            async with asyncio.timeout(timeout_s):
                return await self._run(work())
        except HistoryBusy:
            raise
        except HistoryUnavailable as error:
            self._trip_once(error, error)
            raise
        except TimeoutError as error:
            unavailable = HistoryUnavailable(UNAVAILABLE)
            self._trip_once(unavailable, error)
            raise unavailable from error

    async def close(self) -> None:
        """Refuse all further calls, and wait a while for those in progress to end."""
        self._shut_down = True
        running = set(self._tasks)
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running, timeout=CLOSE_TIMEOUT_S)

    async def _ensure_available(self) -> None:
        if self._shut_down:
            raise HistoryUnavailable(CLOSED)
        if self._available:
            return
        probing = self._probe_in_progress()
        await asyncio.wait({probing}, timeout=self._probe_wait_s)
        if probing.done() and not probing.cancelled():
            probing.result()  # raises only unforeseen errors
        if not self._available:
            raise self._refusal()

    @property
    def _probe_wait_s(self) -> float:
        """How long a caller waits for a probe."""
        return FIRST_PROBE_TIMEOUT_S if self._problem is None else CALL_TIMEOUT_S

    def _probe_in_progress(self) -> asyncio.Task[None]:
        now_s = self._monotonic_s()
        if self._probing is None:
            if now_s < self._next_probe_at_s:
                raise self._refusal()
            self._probe_started_at_s = now_s
            self._probing = self._start(self._probe_once())
        elif now_s - self._probe_started_at_s > self._probe_wait_s:
            # Most likely in vain; those who came first have waited for it long enough.
            raise self._refusal()
        return self._probing

    async def _probe_once(self) -> None:
        try:
            async with asyncio.timeout(PROBE_TIMEOUT_S):
                await self._probe()
        except HistoryBusy as error:
            self._problem = error
        except HistoryUnavailable as error:
            self._trip(error, error)
        except TimeoutError as error:
            self._trip(HistoryUnavailable(UNAVAILABLE), error)
        else:
            if self._tripped:
                log.info("conversations_back")
            self._available, self._tripped, self._problem = True, False, None
        finally:
            self._probing = None

    async def _run(self, work: Coroutine[object, object, T]) -> T:
        """Wait for the work. If the caller leaves, the work is cancelled and cleans up alone."""
        task = self._start(work)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise HistoryUnavailable(CLOSED) from None
            task.cancel()
            raise

    def _start(self, work: Coroutine[object, object, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._discard)
        return task

    def _discard(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # marks it as retrieved: nobody may be waiting for it any more

    def _trip_once(self, problem: HistoryUnavailable, reason: BaseException) -> None:
        """Several calls may fail together; only the first sets the time of the next probe."""
        if self._available:
            self._trip(problem, reason)

    def _trip(self, problem: HistoryUnavailable, reason: BaseException) -> None:
        if not self._tripped:
            # Only the type: messages of drivers can hold addresses.
            log.warning("conversations_away", extra={"reason": type(_root(reason)).__name__})
        self._available, self._tripped, self._problem = False, True, problem
        self._next_probe_at_s = self._monotonic_s() + PROBE_INTERVAL_S

    def _refusal(self) -> HistoryUnavailable:
        """A new error each time, because one that is raised twice collects both tracebacks."""
        problem = self._problem or HistoryUnavailable(UNAVAILABLE)
        return type(problem)(problem.message)


def _root(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error
