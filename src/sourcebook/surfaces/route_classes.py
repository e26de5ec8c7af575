"""Route classes: strict JSON bodies, and the admin key checked before the body is read."""

from collections.abc import Callable, Coroutine
from json import JSONDecodeError
from typing import Any

import orjson
from fastapi import Request, Response
from fastapi.routing import APIRoute

from sourcebook.core.errors import SourcebookError
from sourcebook.surfaces.admin_key import check_admin_access, check_write_access

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class StrictRequest(Request):
    """Parses JSON strictly: UTF-8, no NaN, no Infinity, no lone surrogates, limited depth."""

    async def json(self) -> Any:
        """Parse the body; JSONDecodeError says where it breaks."""
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
        handle = super().get_route_handler()
        takes_body = self.body_field is not None

        async def handle_strictly(request: Request) -> Response:
            if takes_body:
                _check_content_type(request)
            return await handle(StrictRequest(request.scope, request.receive))

        return handle_strictly


class WriteRoute(JsonRoute):
    """A route that changes something; it may need the admin key."""

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()

        async def handle_if_allowed(request: Request) -> Response:
            check_write_access(request)
            return await handle(request)

        return handle_if_allowed


class AdminRoute(JsonRoute):
    """A route that always needs the admin key."""

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()

        async def handle_if_admin(request: Request) -> Response:
            check_admin_access(request)
            return await handle(request)

        return handle_if_admin


def _check_content_type(request: Request) -> None:
    """Refuse a body of another type: browsers send those across sites without a preflight."""
    has_body = request.headers.get("content-length", "0") != "0"
    has_body = has_body or "transfer-encoding" in request.headers
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if has_body and content_type != "application/json" and not content_type.endswith("+json"):
        raise NotJson(
            f"The body must be JSON, sent with 'Content-Type: application/json', not"
            f" {content_type[:60]!r}"
        )
