"""Ends work that nobody waits for any more."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import Request

from sourcebook.core.errors import SourcebookError


class CallerLeft(SourcebookError):
    """The caller closed the connection before the reply began; nobody will read this."""

    code = "caller_left"


@asynccontextmanager
async def while_here(request: Request) -> AsyncIterator[None]:
    """Cancel what is inside, and raise CallerLeft, as soon as the caller is gone.

    The server does not do this by itself. The request's body must have been read.
    """

    async def listen() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        # A time long past: the block ends at once, as after any timeout.
        presence.reschedule(0.0)

    presence = asyncio.timeout(None)
    try:
        async with presence:
            listening = asyncio.create_task(listen())
            try:
                yield
            finally:
                listening.cancel()
    except TimeoutError:
        if presence.expired():
            raise CallerLeft("The caller has closed the connection") from None
        raise
