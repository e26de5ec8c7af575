"""The route of the Model Context Protocol: streamable HTTP, stateless, with JSON replies."""

import asyncio
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from fastapi import Request
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from sourcebook.core.text import shorten
from sourcebook.surfaces.api_keys import Grant, check_api_key, grant_of
from sourcebook.surfaces.dependencies import use_cases
from sourcebook.surfaces.errors import MEANINGS
from sourcebook.surfaces.links import links_of
from sourcebook.surfaces.mcp.caller import CALLER, Caller
from sourcebook.surfaces.request_errors import InvalidField
from sourcebook.surfaces.route_classes import check_content_type, check_given_once

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PATH = "/mcp"
BOUNDS = ("book", "tier")
_TIER = re.compile(r"[1-4]")


class McpEndpoint:
    """Hands a request to the SDK, with its caller beside it.

    `?book=` and `?tier=` in the address narrow what the caller may read.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        request = Request(scope, receive)
        check_api_key(request)
        check_given_once(request, BOUNDS)
        check_content_type(request)
        grant = _narrowed(await grant_of(request), request)
        # Read here, so that what is wrong with a body is said in our words.
        body = await request.body()
        caller = Caller(request, await use_cases(request), grant, await links_of(request))
        CALLER.set(caller)
        manager = await asyncio.to_thread(_new_session_manager)
        # One for each request: it keeps nothing, and needs no lifespan.
        async with manager.run():
            await manager.handle_request(scope, _replay(body, receive), send)


def _new_session_manager() -> "StreamableHTTPSessionManager":
    # The SDK is imported by the first request: most services never need it.
    from sourcebook.surfaces.mcp.server import new_session_manager  # noqa: PLC0415

    return new_session_manager()


def _narrowed(grant: Grant, request: Request) -> Grant:
    tier = request.query_params.get("tier")
    if tier is not None and not _TIER.fullmatch(tier):
        raise InvalidField("tier", f"The tier must be 1, 2, 3 or 4, got {shorten(tier, 20)!r}")
    return grant.narrowed(
        request.query_params.get("book") or None, None if tier is None else int(tier)
    )


def _replay(body: bytes, receive: Receive) -> Receive:
    unread = [body]

    async def replayed() -> Message:
        if unread:
            return {"type": "http.request", "body": unread.pop(), "more_body": False}
        return await receive()

    return replayed


ROUTE = Route(PATH, McpEndpoint(), methods=["POST"])


def _reply(description: str) -> dict[str, object]:
    return {
        "description": description,
        "content": {"application/json": {"schema": {"type": "object"}}},
    }


# Written out, because the SDK reads the messages: FastAPI knows nothing of this route.
OPERATION: Mapping[str, object] = {
    "tags": ["mcp"],
    "summary": "Model Context Protocol",
    "description": "Takes one JSON-RPC message of the Model Context Protocol: streamable HTTP,"
    " stateless, with JSON replies. Its tools only read: search, fetch, ask, read_lesson,"
    " list_books. Needs an API key where others can reach the service.",
    "operationId": "mcp_post",
    "parameters": [
        {
            "name": "book",
            "in": "query",
            "required": False,
            "schema": {"type": "string"},
            "description": "Only this book may be read",
        },
        {
            "name": "tier",
            "in": "query",
            "required": False,
            "schema": {"type": "integer", "minimum": 1, "maximum": 4},
            "description": "Only lessons up to this tier may be read",
        },
    ],
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "required": ["jsonrpc", "method"],
                    "properties": {
                        "jsonrpc": {"type": "string", "const": "2.0"},
                        "id": {"type": ["integer", "string"]},
                        "method": {"type": "string", "examples": ["tools/list"]},
                        "params": {"type": "object"},
                    },
                }
            }
        },
    },
    "responses": {
        "200": _reply("The JSON-RPC reply: a `result`, or an `error` of the method"),
        "202": {"description": "A notification was taken; it has no reply"},
        "400": _reply("No JSON-RPC message, or a parameter that cannot be used"),
        "401": _reply("The API key is missing or wrong"),
        "404": _reply("The book is not known, or the key does not open it"),
        "406": _reply("The client does not accept JSON"),
        "408": _reply(MEANINGS[408]),
        "413": _reply(MEANINGS[413]),
        "415": _reply(MEANINGS[415]),
    },
}
