"""Dialects: each surface says errors in its own words; the app finds the one that fits."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import compile_path
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sourcebook.core.errors import SourcebookError
from sourcebook.surfaces.validation import Problem, problems_of

log = logging.getLogger(__name__)

STOPPING = "The service is being stopped; try again in a moment"
LONGEST_PATH = 120
INTERNAL = "Something went wrong inside Sourcebook; the log has the details"


class Dialect(Protocol):
    """How one surface says that something went wrong."""

    def invalid(self, problems: Sequence[Problem]) -> Response:
        """The request could not be understood."""
        ...

    def failed(self, error: SourcebookError) -> Response:
        """A use case raised one of our errors."""
        ...

    def http(self, status: int, message: str) -> Response:
        """The framework refused the request, or something unexpected happened."""
        ...


@dataclass(frozen=True, slots=True)
class Speaker:
    """A dialect and the paths where it is spoken; the longest prefix that fits wins."""

    prefixes: tuple[str, ...]
    dialect: Dialect


class CatchAll:
    """The last net: what nobody expected becomes a 500 in the right dialect, and a log entry."""

    def __init__(self, app: ASGIApp, dialect_of: Callable[[Request], Dialect]) -> None:
        self._app = app
        self._dialect_of = dialect_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        started = False

        async def send_and_note(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, send_and_note)
        except HTTPException as error:
            # From the middleware inside this one; those of the routes never get here.
            response = self._dialect_of(Request(scope)).http(error.status_code, str(error.detail))
            response.headers.update(error.headers or {})
            await response(scope, receive, send)
        except asyncio.CancelledError:
            if scope["type"] == "http" and not started:
                response = self._dialect_of(Request(scope)).http(503, STOPPING)
                await response(scope, receive, send)
            raise
        except Exception:
            if scope["type"] != "http" or started:
                raise
            log.exception("request_crashed")
            response = self._dialect_of(Request(scope)).http(500, INTERNAL)
            await response(scope, receive, send)


def install_dialects(app: FastAPI, speakers: Sequence[Speaker], default: Dialect) -> None:
    """Answer every error in the dialect of the path that was asked for."""

    def dialect_of(request: Request) -> Dialect:
        path: str = request.scope["path"]
        fitting = [
            (len(prefix), speaker.dialect)
            for speaker in speakers
            for prefix in speaker.prefixes
            if path == prefix or path.startswith(prefix + "/")
        ]
        return max(fitting, key=lambda pair: pair[0])[1] if fitting else default

    async def on_invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)  # noqa: S101 - for the type checker
        return dialect_of(request).invalid(problems_of(error))

    async def on_ours(request: Request, error: Exception) -> Response:
        assert isinstance(error, SourcebookError)  # noqa: S101 - for the type checker
        if error.__cause__ is not None:
            log.warning("request_failed", extra={"code": error.code}, exc_info=error)
        return dialect_of(request).failed(error)

    async def on_http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101 - for the type checker
        headers = dict(error.headers or {})
        if error.status_code == 405:
            headers["Allow"] = ", ".join(sorted(_methods_at(request)))
        message = _explain(request, error, headers)
        response = dialect_of(request).http(error.status_code, message)
        response.headers.update(headers)
        return response

    app.add_exception_handler(RequestValidationError, on_invalid)
    app.add_exception_handler(SourcebookError, on_ours)
    app.add_exception_handler(HTTPException, on_http)
    app.add_middleware(CatchAll, dialect_of=dialect_of)


def _methods_at(request: Request) -> set[str]:
    """Every method that some route takes at this path."""
    paths: Mapping[str, Mapping[str, object]] = request.app.openapi()["paths"]
    return {
        method.upper()
        for template, operations in paths.items()
        if compile_path(template)[0].match(request.scope["path"])
        for method in operations
    }


def _explain(request: Request, error: HTTPException, headers: Mapping[str, str]) -> str:
    path = request.scope["path"][:LONGEST_PATH]
    if error.status_code == 404:
        return f"There is nothing at {path}; /docs lists every route"
    if error.status_code == 405:
        return f"{request.method} is not possible at {path}; allowed: {headers['Allow']}"
    return str(error.detail)
