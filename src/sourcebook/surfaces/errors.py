"""Error dialects: each contract words its errors, and the app picks the dialect by path."""

import asyncio
import logging
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Protocol, TypeAlias

from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import compile_path
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sourcebook.core.errors import (
    AgentUnavailable,
    Conflict,
    InvalidInput,
    NotFound,
    Overloaded,
    RateLimited,
    SourcebookError,
    TooManyRequests,
    Unavailable,
    logged_reason,
)
from sourcebook.surfaces.cancellation import ClientDisconnected
from sourcebook.surfaces.request_errors import NotJson, TooManyFailures, Unauthorized
from sourcebook.surfaces.schema_types import WireModel
from sourcebook.surfaces.validation_errors import Problem, problems_of

log = logging.getLogger(__name__)

Statuses: TypeAlias = Sequence[tuple[type[SourcebookError], int]]

STOPPING = "The service is being stopped; try again in a moment"
INTERNAL = "Something went wrong inside Sourcebook; the log has the details"
MAX_PATH_LENGTH = 120
# The name of the field when the whole body cannot be used.
WHOLE_BODY = "body"

CRASHED = 500

# The first class that fits decides. A dialect may put narrower classes before these.
STATUSES: Statuses = (
    (InvalidInput, 400),
    (Unauthorized, 401),
    (NotFound, 404),
    (Conflict, 409),
    (NotJson, 415),
    (TooManyFailures, 429),
    (TooManyRequests, 429),
    (ClientDisconnected, 499),
    (Unavailable, 503),
)

# What the OpenAPI document says of errors that mean the same in every contract.
MEANINGS: Mapping[int, str] = {
    408: "The body took too long to arrive",
    413: "The body is too large",
    415: "The body is not JSON",
    500: "Something went wrong inside; the log has the details under the `X-Trace-Id`",
}


class ErrorDialect(Protocol):
    """How one contract words its errors."""

    def invalid(self, problems: Sequence[Problem]) -> Response:
        """Reply to a request that does not fit the schema."""
        ...

    def failed(self, error: SourcebookError) -> Response:
        """Reply when a use case raised one of our errors."""
        ...

    def http(self, status: int, message: str) -> Response:
        """Reply when the framework refused the request, or something unexpected happened."""
        ...


DialectOf: TypeAlias = Callable[[Request], ErrorDialect]


@dataclass(frozen=True, slots=True)
class DetailDialect:
    """Errors in FastAPI's own shape, `{"detail": "..."}`, but always one sentence.

    `statuses` come before the common ones. `word_problem` and `word_error` choose the sentence.
    """

    invalid_status: int = 400
    statuses: Statuses = ()
    word_problem: Callable[[Problem], str] = attrgetter("message")
    word_error: Callable[[SourcebookError], str] = attrgetter("public_message")

    def invalid(self, problems: Sequence[Problem]) -> Response:
        return self.http(self.invalid_status, self.word_problem(problems[0]))

    def failed(self, error: SourcebookError) -> Response:
        own = ((InvalidInput, self.invalid_status), *self.statuses)
        status = status_of(error, own)
        response = self.http(status, INTERNAL if status == CRASHED else self.word_error(error))
        response.headers.update(headers_of(error))
        return response

    def http(self, status: int, message: str) -> Response:
        return JSONResponse({"detail": message}, status_code=status)


class DetailOut(WireModel):
    """What went wrong and what to do about it."""

    detail: str


def status_of(error: SourcebookError, own: Statuses = ()) -> int:
    """Return the HTTP status of an error; `own` statuses win over the common ones."""
    return next((status for kind, status in (*own, *STATUSES) if isinstance(error, kind)), 500)


def headers_of(error: SourcebookError) -> Mapping[str, str]:
    """Return the headers of an error, which are the same in every dialect."""
    match error:
        case Unauthorized():
            return {"WWW-Authenticate": "Bearer"}
        case TooManyFailures():
            return {"Retry-After": "60"}
        case Overloaded():
            return {"Retry-After": "1"}
        case (
            RateLimited(retry_after_s=float(seconds))
            | AgentUnavailable(retry_after_s=float(seconds))
        ):
            return {"Retry-After": _whole_seconds(seconds)}
        case TooManyRequests(retry_after_s=seconds):
            # Spec 004 names the header with an underscore.
            return {"Retry-After": _whole_seconds(seconds), "retry_after": _whole_seconds(seconds)}
        case _:
            return {}


def log_failure(event: str, error: SourcebookError, status: int) -> None:
    """Log an error of ours in one line, with the trace id; with a stack only if it is a bug."""
    about = logged_reason(error)
    if status < CRASHED:
        log.info(event, extra=about)
    elif status == CRASHED:
        log.error(event, extra=about, exc_info=error)
    else:
        log.warning(event, extra=about)


def documented_errors(
    model: type[BaseModel], meanings: Mapping[int, str], statuses: Iterable[int]
) -> dict[int | str, dict[str, object]]:
    """Describe the error replies of a route for the OpenAPI document; any route may crash."""
    known = {**MEANINGS, **meanings}
    return {
        status: {"model": model, "description": known[status]} for status in (*statuses, CRASHED)
    }


def install_dialects(
    app: Starlette, dialects: Mapping[tuple[str, ...], ErrorDialect], default: ErrorDialect
) -> DialectOf:
    """Answer every error in the dialect of the requested path; the longest prefix wins.

    Except those that FastAPI finds in a request: see `install_validation`.
    """

    def dialect_of(request: Request) -> ErrorDialect:
        path: str = request.scope["path"]
        fitting = [
            (len(prefix), dialect)
            for prefixes, dialect in dialects.items()
            for prefix in prefixes
            if path == prefix or path.startswith(prefix + "/")
        ]
        return max(fitting, key=lambda pair: pair[0])[1] if fitting else default

    async def on_ours(request: Request, error: Exception) -> Response:
        assert isinstance(error, SourcebookError)  # noqa: S101 - for the type checker
        response = dialect_of(request).failed(error)
        log_failure("request_failed", error, response.status_code)
        return response

    async def on_http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101 - for the type checker
        headers = dict(error.headers or {})
        methods = _methods_at(request) if error.status_code == 405 else set()
        if methods:
            headers["Allow"] = ", ".join(sorted(methods))
        message = _explain(request, error, headers)
        response = dialect_of(request).http(error.status_code, message)
        response.headers.update(headers)
        return response

    app.add_exception_handler(SourcebookError, on_ours)
    app.add_exception_handler(HTTPException, on_http)
    app.add_middleware(CatchAll, dialect_of=dialect_of)
    return dialect_of


def install_validation(app: Starlette, dialect_of: DialectOf) -> None:
    """Answer a request that does not fit a route's schema in the dialect of its path."""
    # `ask` and `search` word errors too, and do without the framework, which is slow to import.
    from fastapi.exceptions import RequestValidationError  # noqa: PLC0415

    async def on_invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)  # noqa: S101 - for the type checker
        return dialect_of(request).invalid(problems_of(error))

    app.add_exception_handler(RequestValidationError, on_invalid)


class CatchAll:
    """Turns an unexpected exception into a 500 in the right dialect, and logs it."""

    def __init__(self, app: ASGIApp, dialect_of: DialectOf) -> None:
        self._app = app
        self._dialect_of = dialect_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
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


def _whole_seconds(seconds: float) -> str:
    return str(max(1, math.ceil(seconds)))


def _methods_at(request: Request) -> set[str]:
    """Return every method that some route takes at this path."""
    paths: Mapping[str, Mapping[str, object]] = request.app.openapi()["paths"]
    return {
        method.upper()
        for template, operations in paths.items()
        if compile_path(template)[0].match(request.scope["path"])
        for method in operations
    }


def _explain(request: Request, error: HTTPException, headers: Mapping[str, str]) -> str:
    path = request.scope["path"][:MAX_PATH_LENGTH]
    if error.status_code == 404 and path.startswith("/docs/"):
        # The link of a citation, without the website that it belongs to.
        return (
            f"There is no lesson at {path}: this service does not serve them. Set"
            " FRONTEND_BASE_URL to the address of the book's website, and citations link to it"
        )
    if error.status_code == 404:
        docs = request.scope.get("root_path", "") + "/docs"
        return f"There is nothing at {path}; {docs} lists every route"
    if error.status_code == 405:
        return f"{request.method} is not possible at {path}; allowed: {headers['Allow']}"
    return str(error.detail)
