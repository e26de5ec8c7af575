"""How much is let in: so many calls a minute from each caller, so many chats at once."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from fastapi import Request

from sourcebook.core.errors import TooManyRequests
from sourcebook.surfaces.clients import Clients
from sourcebook.surfaces.windows import MemoryWindow, Window

CHATS_AT_ONCE = 10
CHATS_WAITING = 20
CHAT_WAITS_S = 2.0
# After this long a chat is ended, so its slot is free again.
CHAT_WITHIN_S = 30.0


class RateLimit:
    """Lets each caller in `per_minute` times in any 60 seconds; 0 means as often as they like."""

    def __init__(self, per_minute: int, window: Window | None = None) -> None:
        self._per_minute = per_minute
        self._window = MemoryWindow() if window is None else window

    async def let_in(self, caller: str) -> None:
        """Count a call; TooManyRequests says when the next one will be let in."""
        if self._per_minute == 0:
            return
        wait_s = await self._window.take(caller, self._per_minute)
        if wait_s is not None:
            raise TooManyRequests(
                f"Only {self._per_minute} requests a minute are allowed", retry_after_s=wait_s
            )


class Slots:
    """Lets so many in at once; a few more may wait for a moment."""

    def __init__(
        self,
        at_once: int = CHATS_AT_ONCE,
        waiting: int = CHATS_WAITING,
        wait_s: float = CHAT_WAITS_S,
    ) -> None:
        self._free = asyncio.Semaphore(at_once)
        self._most_waiting = waiting
        self._wait_s = wait_s
        self._waiting = 0
        self._taken_s: dict[object, float] = {}

    @property
    def taken(self) -> int:
        """How many are in."""
        return len(self._taken_s)

    @property
    def waiting(self) -> int:
        """How many would like to be in."""
        return self._waiting

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """A slot; TooManyRequests if none is free soon."""
        await self._wait()
        slot = object()
        self._taken_s[slot] = time.monotonic()
        try:
            yield
        finally:
            del self._taken_s[slot]
            self._free.release()

    async def _wait(self) -> None:
        if self._waiting >= self._most_waiting and self._free.locked():
            raise self._full()
        self._waiting += 1
        try:
            async with asyncio.timeout(self._wait_s):
                await self._free.acquire()
        except TimeoutError:
            raise self._full() from None
        finally:
            self._waiting -= 1

    def _full(self) -> TooManyRequests:
        """By when the one who has been in the longest must be out."""
        since_s = min(self._taken_s.values(), default=time.monotonic())
        return TooManyRequests(
            "Too many questions are being answered; try again in a moment",
            retry_after_s=since_s + CHAT_WITHIN_S - time.monotonic(),
        )


@dataclass(frozen=True, slots=True)
class Admission:
    """Who counts as one caller, and what each, and all together, may ask for."""

    clients: Clients = field(default_factory=Clients)
    chats: RateLimit = field(default_factory=lambda: RateLimit(60))
    searches: RateLimit = field(default_factory=lambda: RateLimit(0))
    chat_slots: Slots = field(default_factory=Slots)


def admission_of(request: Request) -> Admission:
    """The rules of the app that serves this request."""
    found = request.app.state.admission
    assert isinstance(found, Admission)  # noqa: S101 - for the type checker
    return found


async def admit_search(request: Request) -> None:
    """Count a search. Async, or FastAPI would use a thread."""
    rules = admission_of(request)
    await rules.searches.let_in(rules.clients.of(request))
