"""An HTTP transport to an app in this process that streams the reply while it is produced."""

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import httpx2

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Scope

LOCAL_CLIENT = ("127.0.0.1", 0)


class AppTransport(httpx2.AsyncBaseTransport):
    """Streams a reply, where `httpx2.ASGITransport` would collect it until it is complete."""

    def __init__(self, app: "ASGIApp") -> None:
        self._app = app

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the reply once it starts; status 500 if the app fails before that."""
        exchange = _Exchange(await request.aread())
        running = asyncio.create_task(self._run(_scope(request), exchange))
        body = _Body(exchange, running)
        try:
            start = await exchange.sent.get()
        except asyncio.CancelledError:
            await body.aclose()
            raise
        if start is None:
            await body.aclose()
            return httpx2.Response(500)
        return httpx2.Response(start["status"], headers=start.get("headers", []), stream=body)

    async def _run(self, scope: "Scope", exchange: "_Exchange") -> None:
        try:
            await self._app(scope, exchange.receive, exchange.sent.put)
        finally:
            exchange.sent.put_nowait(None)


class _Exchange:
    """The ASGI messages of one request. None marks the end of the reply."""

    def __init__(self, body: bytes) -> None:
        self.sent: asyncio.Queue[Message | None] = asyncio.Queue()
        self.disconnected = asyncio.Event()
        self._unread: bytes | None = body

    async def receive(self) -> "Message":
        """Return the request, then wait until the caller disconnects."""
        if self._unread is None:
            await self.disconnected.wait()
            return {"type": "http.disconnect"}
        body, self._unread = self._unread, None
        return {"type": "http.request", "body": body, "more_body": False}


class _Body(httpx2.AsyncByteStream):
    """The body of a reply. Closing it early disconnects."""

    def __init__(self, exchange: _Exchange, running: "asyncio.Task[None]") -> None:
        self._exchange = exchange
        self._running = running

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (message := await self._exchange.sent.get()) is not None:
            yield message.get("body", b"")

    async def aclose(self) -> None:
        """Cancel the app's work on this request, if it has not ended."""
        self._exchange.disconnected.set()
        self._running.cancel()
        await asyncio.wait({self._running})
        if not self._running.cancelled():
            # Its failure became its reply; read it, so that asyncio does not report it again.
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
        "client": LOCAL_CLIENT,
        "root_path": "",
    }
