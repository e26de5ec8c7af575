"""Writes long replies piece by piece, so that other requests have their turn in between."""

import asyncio
from collections.abc import AsyncIterator, Iterable

from fastapi.responses import StreamingResponse


def in_turns(pieces: Iterable[bytes], media_type: str) -> StreamingResponse:
    """Send pieces as they are made. A client that does not read costs one of them, not all."""

    async def each() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece
            # Sending waits only once the client is behind.
            await asyncio.sleep(0)

    return StreamingResponse(each(), media_type=media_type)
