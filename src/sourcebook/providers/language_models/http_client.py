"""The HTTP client for language models: sends known headers only, and detects truncated streams."""

import re
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager

import httpx2

from sourcebook.providers.language_models.endpoint import Endpoint

# Reading has no limit here: only a deadline ends a stream that drips.
TIMEOUT = httpx2.Timeout(None, connect=3.0)
_SENT = frozenset(
    {
        "accept",
        "accept-encoding",
        "connection",
        "content-length",
        "content-type",
        "host",
        "user-agent",
    }
)
_END = re.compile(rb'data: ?\[DONE\]|"finish_reason" ?: ?"')
_LONGEST_END = 24


def open_http_client(endpoint: Endpoint) -> AbstractAsyncContextManager[httpx2.AsyncClient]:
    """Open a client that sends the key to this endpoint alone and follows no redirects."""

    async def sign(request: httpx2.Request) -> None:
        # The SDK adds headers from the environment, also those meant for other servers.
        for name in set(request.headers) - _SENT:
            del request.headers[name]
        if endpoint.api_key is not None:
            request.headers["authorization"] = f"Bearer {endpoint.api_key}"

    return httpx2.AsyncClient(
        timeout=TIMEOUT,
        follow_redirects=False,
        event_hooks={"request": [sign], "response": [_watch]},
    )


async def _watch(response: httpx2.Response) -> None:
    if response.headers.get("content-type", "").startswith("text/event-stream"):
        assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101 - for the types
        response.stream = CompleteStream(response.stream)


class CompleteStream(httpx2.AsyncByteStream):
    """Raises if the stream ends before the model did: half an answer looks like a whole one."""

    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        is_whole = False
        tail = b""
        async for data in self._inner:
            is_whole = is_whole or _END.search(tail + data) is not None
            tail = (tail + data)[-_LONGEST_END:]
            yield data
        if not is_whole:
            raise httpx2.RemoteProtocolError("the stream ended too early")

    async def aclose(self) -> None:
        """Close the connection's side of it."""
        await self._inner.aclose()
