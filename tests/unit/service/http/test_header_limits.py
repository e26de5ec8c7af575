"""A connection whose headers do not come is closed; others are not disturbed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from sourcebook.service.http.header_limits import MAX_HEADER_BYTES, HeaderLimitsProtocol
from sourcebook.service.http.server import bind

REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
PATIENCE_S = 20


class Hasty(HeaderLimitsProtocol):
    headers_timeout_s = 0.3


@asynccontextmanager
async def listening() -> AsyncIterator[int]:
    app = Starlette(routes=[Route("/", lambda _: PlainTextResponse("hello"))])
    server = uvicorn.Server(
        uvicorn.Config(app, http=Hasty, ws="none", log_config=None, lifespan="off")
    )
    listener = bind("127.0.0.1", 0)
    serving = asyncio.create_task(server._serve([listener]))
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0.01)
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        await serving
        listener.close()


async def exchange(port: int, *parts: bytes) -> bytes:
    """Send the parts and read until the other side closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for part in parts:
            writer.write(part)
            await writer.drain()
        return await asyncio.wait_for(reader.read(), PATIENCE_S)
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


@pytest.mark.parametrize(
    "sent", [b"", b"G", REQUEST[:-2], b"POST / HTTP/1.1\r\nHost: a\r\nX-Slow: "]
)
async def test_headers_that_do_not_come_end_the_connection(sent: bytes) -> None:
    async with listening() as port:
        assert await exchange(port, sent) == b""


async def test_a_connection_that_idles_after_a_reply_is_closed() -> None:
    async with listening() as port:
        reply = await exchange(port, REQUEST)

    assert reply.startswith(b"HTTP/1.1 200")
    assert reply.endswith(b"hello")


@pytest.mark.parametrize(
    "headers",
    [
        b"X-Long: " + b"a" * MAX_HEADER_BYTES + b"\r\n",
        b"X-Many: 1\r\n" * 3_000,
        b"X-Endless: " + b"a" * 1_000_000,
    ],
)
async def test_headers_that_are_too_large_are_refused(headers: bytes) -> None:
    async with listening() as port:
        reply = await exchange(port, REQUEST[:-2] + headers + b"\r\n")

    assert reply.startswith(b"HTTP/1.1 400") or reply == b""


async def test_others_are_served_meanwhile() -> None:
    async with listening() as port:
        slow = [asyncio.create_task(exchange(port, b"GET / HT")) for _ in range(50)]
        replies = await asyncio.gather(*(exchange(port, REQUEST) for _ in range(20)))
        await asyncio.gather(*slow)

    assert all(reply.endswith(b"hello") for reply in replies)
