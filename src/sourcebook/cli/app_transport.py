"""Speaks HTTP to an app in this process, and hands on what it says as soon as it says it."""

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import httpx2

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Scope

HERE = ("127.0.0.1", 0)


class AppTransport(httpx2.AsyncBaseTransport):
    """Streams, where `httpx2.ASGITransport` would gather a reply until it is complete."""

    def __init__(self, app: "ASGIApp") -> None:
        self._app = app

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The reply, once it begins; a status of 500 if the app fails before that."""
        exchange = _Exchange(await request.aread())
        running = asyncio.create_task(self._run(_scope(request), exchange))
        body = _Body(exchange, running)
        try:
            start = await exchange.said.get()
        except asyncio.CancelledError:
            await body.aclose()
            raise
        if start is None:
            await body.aclose()
            return httpx2.Response(500)
        return httpx2.Response(start["status"], headers=start.get("headers", []), stream=body)

    async def _run(self, scope: "Scope", exchange: "_Exchange") -> None:
        try:
            await self._app(scope, exchange.receive, exchange.said.put)
        finally:
            exchange.said.put_nowait(None)


class _Exchange:
    """What the app hears and says. None is the end of what it says."""

    def __init__(self, body: bytes) -> None:
        self.said: asyncio.Queue[Message | None] = asyncio.Queue()
        self.left = asyncio.Event()
        self._unheard: bytes | None = body

    async def receive(self) -> "Message":
        """The request, then nothing until the caller leaves."""
        if self._unheard is None:
            await self.left.wait()
            return {"type": "http.disconnect"}
        body, self._unheard = self._unheard, None
        return {"type": "http.request", "body": body, "more_body": False}


class _Body(httpx2.AsyncByteStream):
    """The pieces of a reply. To close it early is to leave."""

    def __init__(self, exchange: _Exchange, running: "asyncio.Task[None]") -> None:
        self._exchange = exchange
        self._running = running

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (message := await self._exchange.said.get()) is not None:
            yield message.get("body", b"")

    async def aclose(self) -> None:
        """End the app's work on this, if it has not ended."""
        self._exchange.left.set()
        self._running.cancel()
        await asyncio.wait({self._running})
        if not self._running.cancelled():
            # Its failure was its reply; nobody has to hear of it again.
            self._running.exception()


def _scope(request: httpx2.Request) -> "Scope":
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "scheme": request.url.scheme,
        "path": request.url.path,
        "raw_path": request.url.raw_path.partition(b"?")[0],
        "query_string": request.url.query,
        "server": (request.url.host, request.url.port),
        "client": HERE,
        "root_path": "",
    }
