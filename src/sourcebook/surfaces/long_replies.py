"""Writes long replies piece by piece, so that other requests have their turn in between."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator

from fastapi.responses import StreamingResponse

# Smaller pieces are joined: each costs a turn.
MIN_PIECE_BYTES = 32 * 1024


def in_turns(pieces: Iterable[bytes], media_type: str) -> StreamingResponse:
    """Send pieces as they are made. A client that does not read costs one of them, not all."""

    async def each() -> AsyncIterator[bytes]:
        for piece in _joined(pieces):
            yield piece
            # Sending waits only once the client is behind.
            await asyncio.sleep(0)

    return StreamingResponse(each(), media_type=media_type)


def _joined(pieces: Iterable[bytes]) -> Iterator[bytes]:
    joined = b""
    for piece in pieces:
        joined += piece
        if len(joined) >= MIN_PIECE_BYTES:
            yield joined
            joined = b""
    if joined:
        yield joined
