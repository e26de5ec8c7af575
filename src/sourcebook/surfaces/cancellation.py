"""Cancels a request's work when its client disconnects or its time is up."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import Request

from sourcebook.core.errors import AgentUnavailable, SourcebookError
from sourcebook.surfaces.rate_limits import CHAT_TIMEOUT_S


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


@asynccontextmanager
async def answer_deadline(at_s: float) -> AsyncIterator[None]:
    """Cancel the block and raise AgentUnavailable at that time of the event loop's clock."""
    deadline = asyncio.timeout_at(at_s)
    try:
        async with deadline:
            yield
    except TimeoutError:
        if deadline.expired():
            raise AgentUnavailable(
                f"The answer took longer than {CHAT_TIMEOUT_S:g} s; try a shorter question"
            ) from None
        raise
