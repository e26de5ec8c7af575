"""Crowds of connections that idle, or do not read, leave room for everybody else."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from sourcebook.service.http.connection_limits import ConnectionLimitsProtocol
from sourcebook.service.http.server import bind

PATIENCE_S = 20
LARGE = b"x" * 30_000_000


class Narrow(ConnectionLimitsProtocol):
    max_connections = 6
    max_connections_per_address = 5
    max_pipelined = 5
    headers_timeout_s = 60.0
    read_check_s = 0.2


@dataclass
class World:
    """A server with room for few, and a request that waits until `go_on` is set."""

    server: uvicorn.Server
    port: int = 0
    go_on: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def connections(self) -> int:
        return len(self.server.server_state.connections)

    async def open(self, sent: bytes = b"") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1_000)
        writer.write(sent)
        await writer.drain()
        return reader, writer

    async def status(self, path: str) -> bytes:
        reader, writer = await self.open(get(path))
        try:
            return (await asyncio.wait_for(reader.readline(), PATIENCE_S)).split()[1]
        finally:
            writer.close()


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


@asynccontextmanager
async def serving(protocol: type[ConnectionLimitsProtocol] = Narrow) -> AsyncIterator[World]:
    async def wait(_: Request) -> Response:
        await world.go_on.wait()
        return PlainTextResponse("done")

    app = Starlette(
        routes=[
            Route("/livez", lambda _: PlainTextResponse("alive")),
            Route("/search", lambda _: PlainTextResponse("found")),
            Route("/large", lambda _: Response(LARGE)),
            Route("/wait", wait),
        ]
    )
    config = uvicorn.Config(
        app,
        http=protocol,
        ws="none",
        log_config=None,
        lifespan="off",
        limit_concurrency=protocol.max_connections,
        timeout_keep_alive=60,
        timeout_graceful_shutdown=1,
    )
    listener = bind("127.0.0.1", 0)
    world = World(uvicorn.Server(config), listener.getsockname()[1])
    running = asyncio.create_task(world.server._serve([listener]))
    while not world.server.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0.01)
    try:
        yield world
    finally:
        world.go_on.set()
        world.server.should_exit = True
        await running
        listener.close()


async def test_a_crowd_of_idle_connections_makes_room() -> None:
    async with serving() as world:
        crowd = [await world.open() for _ in range(30)]

        assert [await world.status("/search") for _ in range(10)] == [b"200"] * 10
        assert world.connections <= Narrow.max_connections
        for _, writer in crowd:
            writer.close()


async def test_probes_are_answered_when_nothing_else_can_be() -> None:
    async with serving() as world:
        crowd = [await world.open(get("/wait")) for _ in range(Narrow.max_connections)]

        assert await world.status("/search") == b"503"
        assert await world.status("/livez") == b"200"
        for _, writer in crowd:
            writer.close()


async def test_one_address_cannot_take_every_connection() -> None:
    class Shared(Narrow):
        max_connections = 50

    async with serving(Shared) as world:
        busy = [await world.open(get("/wait")) for _ in range(Shared.max_connections_per_address)]

        assert await world.status("/search") == b"503"
        assert await world.status("/livez") == b"200"
        world.go_on.set()
        for reader, writer in busy:
            assert b"200" in await asyncio.wait_for(reader.readline(), PATIENCE_S)
            writer.close()


async def test_whoever_does_not_read_a_reply_is_disconnected() -> None:
    async with serving() as world:
        _, writer = await world.open(get("/large"))

        async with asyncio.timeout(PATIENCE_S):
            while world.connections:  # noqa: ASYNC110 - uvicorn has no event for it
                await asyncio.sleep(0.05)
        writer.close()


async def test_whoever_reads_gets_all_of_a_large_reply() -> None:
    async with serving() as world:
        reader, writer = await world.open(get("/large"))
        await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE_S)

        read = 0
        while read < len(LARGE):
            read += len(await asyncio.wait_for(reader.read(1_000_000), PATIENCE_S))

        assert read == len(LARGE)
        writer.close()


@pytest.mark.parametrize("path", ["/wait", "/search"])
async def test_a_request_in_the_same_breath_has_all_the_time_of_the_first(path: str) -> None:
    class Hasty(Narrow):
        headers_timeout_s = 0.2

    async with serving(Hasty) as world:
        reader, writer = await world.open(get("/search") + get(path))
        await asyncio.wait_for(reader.readuntil(b"found"), PATIENCE_S)
        await asyncio.sleep(2 * Hasty.headers_timeout_s)
        world.go_on.set()

        assert b"200" in await asyncio.wait_for(reader.readline(), PATIENCE_S)
        writer.close()


async def test_few_requests_wait_on_one_connection() -> None:
    async with serving() as world:
        reader, writer = await world.open(get("/wait") + get("/search") * Narrow.max_pipelined)
        flood, other = await world.open(get("/wait") + get("/search") * 10_000)

        assert b"400" in await asyncio.wait_for(flood.readline(), PATIENCE_S)
        world.go_on.set()
        for _ in range(1 + Narrow.max_pipelined):
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE_S)
            assert b" 200 " in head
            await reader.readexactly(len("found") if b"content-length: 5" in head else len("done"))
        writer.close()
        other.close()
