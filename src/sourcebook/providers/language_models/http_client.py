"""The HTTP client for language models: sends known headers only, and detects truncated streams."""

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

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
# Of Mistral "model_length" too; other servers pass on what the model behind them says.
_CUT = re.compile(
    rb'"finish_reason" ?: ?"(?:(?:model_)?length|max_tokens|content_filter)"', re.IGNORECASE
)
_LONGEST_END = 36


@dataclass(slots=True)
class StreamEnd:
    """How a stream ended. `is_cut` is True if the model was stopped before it was done."""

    is_cut: bool = False


# The SDK keeps to itself why a model stopped. Its streams are read in the context of who asks.
_noted: ContextVar[StreamEnd | None] = ContextVar("noted", default=None)


@contextmanager
def noting_end() -> Iterator[StreamEnd]:
    """Note how the stream ends that is opened and read inside."""
    end = StreamEnd()
    token = _noted.set(end)
    try:
        yield end
    finally:
        _noted.reset(token)


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
        response.stream = CompleteStream(response.stream, _noted.get())


class CompleteStream(httpx2.AsyncByteStream):
    """Raises if the stream ends before the model did: half an answer looks like a whole one."""

    def __init__(self, inner: httpx2.AsyncByteStream, end: StreamEnd | None = None) -> None:
        self._inner = inner
        self._end = end or StreamEnd()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        is_whole = False
        tail = b""
        async for data in self._inner:
            seen = tail + data
            is_whole = is_whole or _END.search(seen) is not None
            self._end.is_cut = self._end.is_cut or _CUT.search(seen) is not None
            tail = seen[-_LONGEST_END:]
            yield data
        if not is_whole:
            raise httpx2.RemoteProtocolError("the stream ended too early")

    async def aclose(self) -> None:
        """Close the connection's side of it."""
        await self._inner.aclose()
