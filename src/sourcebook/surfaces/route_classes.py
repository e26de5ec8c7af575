"""Route classes: strict bodies and parameters, and keys that are checked before a body is read."""

from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Iterator
from http import HTTPStatus
from typing import Any, get_args, get_origin

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from sourcebook.surfaces.admin_key import check_admin_access, check_write_access
from sourcebook.surfaces.api_keys import check_api_key
from sourcebook.surfaces.request_errors import NotJson
from sourcebook.surfaces.strict_json import StrictRequest

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class JsonRoute(APIRoute):
    """A route whose body is strict JSON, and whose parameters are given once."""

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()
        takes_body = self.body_field is not None
        single = frozenset(_single_parameters(self.dependant))

        async def handle_strictly(request: Request) -> Response:
            check_given_once(request, single)
            if takes_body:
                check_content_type(request)
            return await handle(StrictRequest(request.scope, request.receive))

        return handle_strictly


class CheckedRoute(APIRoute):
    """A route that checks the right of access before it reads the body."""

    @staticmethod
    def check_access(request: Request) -> None:
        """Raise an error if the request lacks the key it needs."""
        raise NotImplementedError

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()
        check_access = self.check_access

        async def handle_if_allowed(request: Request) -> Response:
            check_access(request)
            return await handle(request)

        return handle_if_allowed


class WriteRoute(CheckedRoute, JsonRoute):
    """A route that changes something; it may need the admin key."""

    check_access = staticmethod(check_write_access)


class AdminRoute(CheckedRoute, JsonRoute):
    """A route that always needs the admin key."""

    check_access = staticmethod(check_admin_access)


class ApiKeyRoute(CheckedRoute, JsonRoute):
    """A route that may need an API key."""

    check_access = staticmethod(check_api_key)


class FormRoute(APIRoute):
    """A route whose body is a form; one that cannot be read is bad input like any other."""

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()

        async def handle_form(request: Request) -> Response:
            try:
                return await handle(request)
            except HTTPException as error:
                if error.status_code != HTTPStatus.BAD_REQUEST:
                    raise
                problem = {"type": "form_invalid", "loc": ("body",), "msg": error.detail}
                raise RequestValidationError([problem]) from None

        return handle_form


class AdminUploadRoute(CheckedRoute, FormRoute):
    """A route that takes files, and always needs the admin key."""

    check_access = staticmethod(check_admin_access)


def _single_parameters(dependant: Dependant) -> Iterator[str]:
    """The query parameters that take one value, also those of dependencies."""
    for field in dependant.query_params:
        if not _is_list(field.field_info.annotation):
            yield field.alias
    for inner in dependant.dependencies:
        yield from _single_parameters(inner)


def _is_list(annotation: object) -> bool:
    return get_origin(annotation) is list or any(map(_is_list, get_args(annotation)))


def check_given_once(request: Request, single: Collection[str]) -> None:
    """Refuse `?tier=1&tier=4`: whoever checks requests before us may have read the other value."""
    given = Counter(name for name, _ in request.query_params.multi_items() if name in single)
    repeated = [name for name, count in given.items() if count > 1]
    if repeated:
        raise RequestValidationError(
            [
                {
                    "type": "repeated",
                    "loc": ("query", name),
                    "input": request.query_params.getlist(name),
                }
                for name in repeated
            ]
        )


def check_content_type(request: Request) -> None:
    """Refuse a body of another type: browsers send those across sites without a preflight."""
    has_body = request.headers.get("content-length", "0") != "0"
    has_body = has_body or "transfer-encoding" in request.headers
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if has_body and content_type != "application/json" and not content_type.endswith("+json"):
        raise NotJson(
            f"The body must be JSON, sent with 'Content-Type: application/json', not"
            f" {content_type[:60]!r}"
        )
