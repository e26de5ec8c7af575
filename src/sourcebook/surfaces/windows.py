"""Windows of a minute that calls are counted in: in this process, or shared with others."""

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Protocol

from sourcebook.core.errors import Unavailable

WINDOW_S = 60.0
# A shared window counts a call a little later than its own does: as long as asking it may take.
LATER_S = 0.1


class Window(Protocol):
    """Counts the calls of each caller. Those that were refused do not count."""

    async def take(self, caller: str, at_most: int) -> float | None:
        """Count a call, unless `at_most` fell into the last 60 s: then how long to wait."""
        ...


class SharedWindows(Protocol):
    """Windows that other processes count in too. Their `take` raises Unavailable."""

    def window(self, name: str) -> Window:
        """The window of that name."""
        ...


class MemoryWindow:
    """Counts in this process. Callers are forgotten once their calls are a minute old."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self.now_s = now_s
        # The one who was let in last is at the end.
        self._calls: OrderedDict[str, deque[float]] = OrderedDict()

    def __len__(self) -> int:
        """How many callers are remembered."""
        return len(self._calls)

    async def take(self, caller: str, at_most: int) -> float | None:
        """Count a call, unless `at_most` fell into the last 60 s: then how long to wait."""
        now_s = self.now_s()
        wait_s = self.wait_s(caller, at_most, now_s)
        if wait_s is None:
            self.note(caller, at_most, now_s)
        return wait_s

    def wait_s(self, caller: str, at_most: int, now_s: float) -> float | None:
        """How long the caller has to wait; None if a call may be made at once."""
        self._forget(now_s - WINDOW_S)
        calls = self._calls.get(caller, ())
        if len(calls) < at_most:
            return None
        wait_s = calls[-at_most] + WINDOW_S - now_s
        return wait_s if wait_s > 0 else None

    def note(self, caller: str, at_most: int, at_s: float) -> None:
        """Remember a call, as one of the latest `at_most`."""
        calls = self._calls.setdefault(caller, deque(maxlen=at_most))
        calls.append(at_s)
        self._calls.move_to_end(caller)

    def _forget(self, until_s: float) -> None:
        while self._calls:
            caller, calls = next(iter(self._calls.items()))
            if calls[-1] > until_s:
                return
            del self._calls[caller]


class SteadyWindow:
    """Counts in a shared window, and in its own as well, which is enough while that is away.

    So a caller is never let in without a limit, and one who was let in here while the shared
    window was away is still known when it is back.
    """

    def __init__(self, shared: Window, own: MemoryWindow) -> None:
        self._shared = shared
        self._own = own

    async def take(self, caller: str, at_most: int) -> float | None:
        """Count a call, unless `at_most` fell into the last 60 s: then how long to wait."""
        # The time before asking: here a call must not grow old later than there.
        now_s = self._own.now_s()
        wait_s = self._own.wait_s(caller, at_most, now_s)
        if wait_s is not None:
            return min(wait_s + LATER_S, WINDOW_S)
        try:
            wait_s = await self._shared.take(caller, at_most)
        except Unavailable:
            return await self._own.take(caller, at_most)
        if wait_s is None:
            self._own.note(caller, at_most, now_s)
        return wait_s
