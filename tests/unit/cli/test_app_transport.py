"""An app inside the process is spoken to as a server is: its reply streams, and leaving ends it."""

import asyncio
from collections.abc import Awaitable, Callable

import httpx2
import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from sourcebook.cli.app_transport import AppTransport

PATIENCE_S = 5.0

Told = Callable[[Receive, Send], Awaitable[None]]


def client_of(told: Told) -> httpx2.AsyncClient:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == "http"
        await told(receive, send)

    return httpx2.AsyncClient(transport=AppTransport(app), base_url="http://localhost")


async def begin(send: Send, status: int = 200) -> None:
    await send({"type": "http.response.start", "status": status, "headers": [(b"x-a", b"b")]})


async def say(send: Send, body: bytes, *, more: bool) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": more})


async def test_a_request_arrives_whole_and_so_does_its_reply() -> None:
    scopes = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        scopes.append(scope)
        heard = await receive()
        await begin(send, 201)
        await say(send, b"heard ", more=True)
        await say(send, heard["body"], more=False)

    asgi: ASGIApp = app
    async with httpx2.AsyncClient(
        transport=AppTransport(asgi), base_url="http://localhost"
    ) as http:
        reply = await http.post("/a/b?c=d", content=b"hello")

    assert (reply.status_code, reply.content, reply.headers["x-a"]) == (201, b"heard hello", "b")
    (scope,) = scopes
    assert (scope["method"], scope["path"], scope["query_string"]) == ("POST", "/a/b", b"c=d")
    assert (b"host", b"localhost") in scope["headers"]


async def test_what_is_said_is_heard_before_the_reply_is_complete() -> None:
    heard = asyncio.Event()

    async def told(_: Receive, send: Send) -> None:
        await begin(send)
        await say(send, b"first", more=True)
        await heard.wait()
        await say(send, b"second", more=False)

    async with asyncio.timeout(PATIENCE_S), client_of(told).stream("GET", "/") as reply:
        pieces = reply.aiter_bytes()
        assert await anext(pieces) == b"first"
        heard.set()
        assert await anext(pieces) == b"second"


async def test_the_app_is_done_when_the_reply_has_been_read() -> None:
    done = asyncio.Event()

    async def told(_: Receive, send: Send) -> None:
        await begin(send)
        await say(send, b"all", more=False)
        await asyncio.sleep(0)
        done.set()

    await client_of(told).get("/")

    assert done.is_set()


async def test_leaving_early_ends_the_app_s_work() -> None:
    ended = asyncio.Event()

    async def told(_: Receive, send: Send) -> None:
        await begin(send)
        await say(send, b"first", more=True)
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with asyncio.timeout(PATIENCE_S):
        async with client_of(told).stream("GET", "/"):
            pass

    assert ended.is_set()


async def test_a_caller_that_is_cancelled_takes_the_app_s_work_along() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def told(_: Receive, __: Send) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    asking = asyncio.create_task(client_of(told).get("/"))
    await begun.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking

    assert ended.is_set()


async def test_an_app_that_fails_before_it_replies_is_status_500() -> None:
    async def told(_: Receive, __: Send) -> None:
        raise RuntimeError("broken")

    reply = await client_of(told).get("/")

    assert reply.status_code == 500


async def test_what_an_app_said_before_it_failed_is_heard() -> None:
    async def told(_: Receive, send: Send) -> None:
        await begin(send, 500)
        await say(send, b"sorry", more=False)
        raise RuntimeError("broken")

    reply = await client_of(told).get("/")

    assert (reply.status_code, reply.content) == (500, b"sorry")
