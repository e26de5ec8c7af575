"""Route classes: strict JSON bodies, and keys that are checked before a byte is read."""

from collections.abc import Callable, Coroutine
from json import JSONDecodeError
from typing import Any

import orjson
from fastapi import Request, Response
from fastapi.routing import APIRoute

from sourcebook.core.errors import SourcebookError
from sourcebook.surfaces.access import check_access, check_admin

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class StrictRequest(Request):
    """Takes JSON by the book: UTF-8, no NaN, no Infinity, no half surrogates, not too deep."""

    async def json(self) -> Any:
        """The body as JSON; JSONDecodeError says where it breaks."""
        body = await self.body()
        try:
            return orjson.loads(body)
        except orjson.JSONDecodeError as error:
            # The original holds the whole body, which has no place in a log.
            raise JSONDecodeError(error.msg, "", error.pos) from None


class NotJson(SourcebookError):
    """The body is not declared as JSON."""

    code = "unsupported_media_type"


class JsonRoute(APIRoute):
    """A route whose body is strict JSON."""

    def get_route_handler(self) -> Handler:
        """Wrap FastAPI's own handler."""
        handle = super().get_route_handler()
        takes_body = self.body_field is not None

        async def handle_strictly(request: Request) -> Response:
            if takes_body:
                _check_content_type(request)
            return await handle(StrictRequest(request.scope, request.receive))

        return handle_strictly


class WriteRoute(JsonRoute):
    """A route that changes something."""

    def get_route_handler(self) -> Handler:
        """Check the key first of all."""
        handle = super().get_route_handler()

        async def handle_if_allowed(request: Request) -> Response:
            check_access(request)
            return await handle(request)

        return handle_if_allowed


class AdminRoute(JsonRoute):
    """A route for administrators, on this machine too."""

    def get_route_handler(self) -> Handler:
        """Check the key first of all."""
        handle = super().get_route_handler()

        async def handle_if_admin(request: Request) -> Response:
            check_admin(request)
            return await handle(request)

        return handle_if_admin


def _check_content_type(request: Request) -> None:
    """Refuse a body of another type: browsers send those across sites without asking."""
    has_body = request.headers.get("content-length", "0") != "0"
    has_body = has_body or "transfer-encoding" in request.headers
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if has_body and content_type != "application/json" and not content_type.endswith("+json"):
        raise NotJson(
            f"The body must be JSON, sent with 'Content-Type: application/json', not"
            f" {content_type[:60]!r}"
        )
