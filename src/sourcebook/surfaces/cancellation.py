"""Cancels a request's work when its client disconnects or its time is up."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from starlette.requests import Request

from sourcebook.core.errors import AgentTimeout, SourcebookError


class ClientDisconnected(SourcebookError):
    """The client closed the connection before the reply began; nobody will read this."""

    code = "caller_left"


@asynccontextmanager
async def cancel_on_disconnect(request: Request) -> AsyncIterator[None]:
    """Cancel the block and raise ClientDisconnected as soon as the client disconnects.

    The server does not do this by itself. The request's body must have been read.
    """

    async def listen() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        # A time long past: the block ends at once, as after any timeout.
        scope.reschedule(0.0)

    scope = asyncio.timeout(None)
    try:
        async with scope:
            listening = asyncio.create_task(listen())
            try:
                yield
            finally:
                listening.cancel()
    except TimeoutError:
        if scope.expired():
            raise ClientDisconnected("The caller has closed the connection") from None
        raise


@dataclass(frozen=True, slots=True)
class Deadline:
    """When an answer must be there, by the event loop's clock, and how long it may take in all."""

    timeout_s: float
    at_s: float

    @classmethod
    def after(cls, timeout_s: float) -> "Deadline":
        return cls(timeout_s, asyncio.get_running_loop().time() + timeout_s)


@asynccontextmanager
async def answer_deadline(deadline: Deadline) -> AsyncIterator[None]:
    """Cancel the block and raise AgentTimeout when the time is up."""
    scope = asyncio.timeout_at(deadline.at_s)
    try:
        async with scope:
            yield
    except TimeoutError:
        if scope.expired():
            raise AgentTimeout(
                f"The answer took longer than {deadline.timeout_s:g} s; try a shorter question"
            ) from None
        raise
