"""Clients of a chat whose answers the test writes."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx2
import uvicorn
from fastapi import FastAPI

from sourcebook.service.http.app import create_app
from sourcebook.service.http.header_limits import HeaderLimitsProtocol
from sourcebook.service.http.server import bind
from sourcebook.surfaces.admin_key import AccessRule
from sourcebook.surfaces.rate_limits import RateLimits
from sourcebook.surfaces.use_cases import UseCases
from tests.surfaces.chat.fake_sessions import FakeSessions

ORIGIN = "http://localhost:3000"
SESSION = "0b8a3c1e-6f2d-4c5b-9a7e-1234567890ab"
ASKED = {"query": "What is a node?"}
KEYS = ["error_code", "message", "details", "retry_after", "trace_id"]
PATIENCE_S = 5.0


def chat_app(
    use_cases: UseCases, sessions: FakeSessions, rate_limits: RateLimits | None = None
) -> FastAPI:
    """An app whose answers come from the fake."""
    use_cases = replace(use_cases, sessions=sessions)  # type: ignore[arg-type]
    return create_app(use_cases, AccessRule(None), [ORIGIN], rate_limits=rate_limits)


def client_of(app: FastAPI, address: str = "192.0.2.1") -> httpx2.AsyncClient:
    """A client that calls from an address."""
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False, client=(address, 50_000))
    return httpx2.AsyncClient(transport=transport, base_url="http://localhost")


def check(reply: httpx2.Response, status: int, code: str) -> dict[str, Any]:
    """The error, in the dialect."""
    assert reply.status_code == status, reply.text
    said: dict[str, Any] = reply.json()
    assert list(said) == KEYS
    assert said["error_code"] == code
    assert said["message"]
    assert said["details"] is None or isinstance(said["details"], dict)
    assert len(said["trace_id"]) == 8
    assert reply.headers["x-trace-id"] == said["trace_id"]
    told = reply.headers.get("retry-after")
    assert said["retry_after"] == (None if told is None else int(told))
    return said


STATUS = {"type": "status", "status": "reading"}


def events_of(body: str) -> list[dict[str, Any]]:
    """The events of a stream after its status, read as strictly as the strictest client would."""
    assert body.endswith("\n\n")
    assert "\r" not in body
    frames = [frame for frame in body[:-2].split("\n\n") if not frame.startswith(":")]
    assert all(frame.startswith("data: ") for frame in frames)
    assert all(len(frame.splitlines()) == 1 for frame in frames)
    events = [json.loads(frame.removeprefix("data: ")) for frame in frames]
    terminal = [event["type"] in {"done", "error"} for event in events]
    assert terminal == [False] * (len(events) - 1) + [True]
    assert events[0] == STATUS
    return events[1:]


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that must happen."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110 - others do not tell
            await asyncio.sleep(0.005)


class Running:
    """A server on a loopback port."""

    def __init__(self, server: uvicorn.Server, port: int) -> None:
        self.server = server
        self.port = port

    async def begin(
        self, path: str = "/chat/stream", body: object = ASKED
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Send a question and wait for nothing."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        content = json.dumps(body).encode()
        writer.write(
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(content)}\r\n\r\n".encode()
            + content
        )
        await writer.drain()
        return reader, writer


@asynccontextmanager
async def running(app: FastAPI, graceful_s: int = 1) -> AsyncIterator[Running]:
    """Serve the app as the service does, until the end of the block."""
    listener = bind("127.0.0.1", 0)
    config = uvicorn.Config(
        app,
        http=HeaderLimitsProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        timeout_graceful_shutdown=graceful_s,
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server._serve([listener]))
    await until(lambda: server.started)
    try:
        yield Running(server, listener.getsockname()[1])
    finally:
        server.should_exit = True
        await serving
        listener.close()
