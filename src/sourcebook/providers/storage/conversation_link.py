"""The link to a database that may be away: calls end soon, whether it answers or not."""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from typing import TypeVar

from sourcebook.core.errors import HistoryUnavailable

log = logging.getLogger(__name__)

T = TypeVar("T")

# How long an answer may be held up for its conversation's sake; longer by as much as connecting
# may take while nobody knows yet whether the database is there.
CALL_LIMIT_S = 2.0
FIRST_KNOCK_S = 5.0
# How long a knock may take: connecting, and looking after the table.
KNOCK_LIMIT_S = 10.0
QUIET_S = 5.0
CLOSE_LIMIT_S = 5.0

AWAY = "The database of conversations is not available; try again in a moment"
CLOSED = "The database of conversations is closed"


class HistoryBusy(HistoryUnavailable):
    """The database is there, but has no time for this call."""


class Link:
    """Passes calls on while the database answers.

    After a failure calls are refused at once for some seconds. Then the next one knocks, and who
    comes meanwhile waits for the same knock. A knock goes on when its callers have left, because
    connecting may take longer than an answer can wait.
    """

    def __init__(
        self,
        knock: Callable[[], Coroutine[object, object, None]],
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._knock = knock
        self._monotonic_s = monotonic_s
        self._answers = False
        self._away = False
        self._closed = False
        self._problem: HistoryUnavailable | None = None
        self._quiet_until_s = monotonic_s()
        self._knocking: asyncio.Task[None] | None = None
        self._knocked_at_s = monotonic_s()
        self._tasks: set[asyncio.Task[object]] = set()

    async def call(
        self, work: Callable[[], Coroutine[object, object, T]], limit_s: float = CALL_LIMIT_S
    ) -> T:
        """What the work gives; HistoryUnavailable if it gives nothing within the limit."""
        await self._be_let_in()
        try:
            async with asyncio.timeout(limit_s):
                return await self._left_behind(work())
        except HistoryBusy:
            raise
        except HistoryUnavailable as error:
            self._stop_calling(error, error)
            raise
        except TimeoutError as error:
            unavailable = HistoryUnavailable(AWAY)
            self._stop_calling(unavailable, error)
            raise unavailable from error

    async def close(self) -> None:
        """Let nobody in any more, and wait for a while until what was begun has ended."""
        self._closed = True
        running = set(self._tasks)
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running, timeout=CLOSE_LIMIT_S)

    async def _be_let_in(self) -> None:
        if self._closed:
            raise HistoryUnavailable(CLOSED)
        if self._answers:
            return
        knocking = self._knock_in_progress()
        await asyncio.wait({knocking}, timeout=self._patience_s)
        if knocking.done() and not knocking.cancelled():
            knocking.result()  # raises only what nobody foresaw
        if not self._answers:
            raise self._refusal()

    @property
    def _patience_s(self) -> float:
        """How long a caller waits for a knock."""
        return FIRST_KNOCK_S if self._problem is None else CALL_LIMIT_S

    def _knock_in_progress(self) -> asyncio.Task[None]:
        now_s = self._monotonic_s()
        if self._knocking is None:
            if now_s < self._quiet_until_s:
                raise self._refusal()
            self._knocked_at_s = now_s
            self._knocking = self._begin(self._knock_once())
        elif now_s - self._knocked_at_s > self._patience_s:
            # Most likely in vain; those who came first have waited for it long enough.
            raise self._refusal()
        return self._knocking

    async def _knock_once(self) -> None:
        try:
            async with asyncio.timeout(KNOCK_LIMIT_S):
                await self._knock()
        except HistoryBusy as error:
            self._problem = error
        except HistoryUnavailable as error:
            self._keep_away(error, error)
        except TimeoutError as error:
            self._keep_away(HistoryUnavailable(AWAY), error)
        else:
            if self._away:
                log.info("conversations_back")
            self._answers, self._away, self._problem = True, False, None
        finally:
            self._knocking = None

    async def _left_behind(self, work: Coroutine[object, object, T]) -> T:
        """Wait for the work. If the caller leaves, it is cancelled and tidies up behind him."""
        task = self._begin(work)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise HistoryUnavailable(CLOSED) from None
            task.cancel()
            raise

    def _begin(self, work: Coroutine[object, object, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        return task

    def _forget(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # has been seen: nobody may be waiting for it any more

    def _stop_calling(self, problem: HistoryUnavailable, reason: BaseException) -> None:
        """Several calls may find out together; the first to tell sets how long it stays quiet."""
        if self._answers:
            self._keep_away(problem, reason)

    def _keep_away(self, problem: HistoryUnavailable, reason: BaseException) -> None:
        if not self._away:
            # Only the kind: what drivers say can hold addresses.
            log.warning("conversations_away", extra={"reason": type(_root(reason)).__name__})
        self._answers, self._away, self._problem = False, True, problem
        self._quiet_until_s = self._monotonic_s() + QUIET_S

    def _refusal(self) -> HistoryUnavailable:
        """A new error each time, because one that is raised twice gathers the traces of both."""
        problem = self._problem or HistoryUnavailable(AWAY)
        return type(problem)(problem.message)


def _root(error: BaseException) -> BaseException:
    """What was raised first."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error
