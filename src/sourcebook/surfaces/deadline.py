"""Ends answers that take too long."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sourcebook.core.errors import AgentUnavailable
from sourcebook.surfaces.admission import CHAT_WITHIN_S


@asynccontextmanager
async def answered_by(end_s: float) -> AsyncIterator[None]:
    """Cancel what is inside, and raise AgentUnavailable, at that time of the event loop."""
    deadline = asyncio.timeout_at(end_s)
    try:
        async with deadline:
            yield
    except TimeoutError:
        if deadline.expired():
            raise AgentUnavailable(
                f"The answer took longer than {CHAT_WITHIN_S:g} s; try a shorter question"
            ) from None
        raise
