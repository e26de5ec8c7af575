"""The in-memory mode of the Qdrant client, which stands for a server in tests.

It breaks when several callers use it at once, as a server does not.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar, cast

from qdrant_client import AsyncQdrantClient

_T = TypeVar("_T")


class _OneAtATime:
    def __init__(self, client: AsyncQdrantClient) -> None:
        self._client = client
        self._turn = asyncio.Lock()

    def __getattr__(self, name: str) -> Callable[..., Awaitable[object]]:
        method = getattr(self._client, name)

        async def in_turn(*arguments: object, **options: object) -> object:
            async with self._turn:
                # A server is asked over a wire, where other callers get their turn.
                await asyncio.sleep(0)
                return await method(*arguments, **options)

        return in_turn


def one_at_a_time(client: AsyncQdrantClient) -> AsyncQdrantClient:
    """The client, for callers that come at once."""
    return cast("AsyncQdrantClient", _OneAtATime(client))
