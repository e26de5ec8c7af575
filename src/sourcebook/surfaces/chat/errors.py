"""The dialect of contract 004: {"error_code", "message", "details", "retry_after"}."""

from collections.abc import Mapping, Sequence

import structlog
from fastapi import Response
from fastapi.responses import JSONResponse

from sourcebook.core.errors import (
    Conflict,
    EmbeddingFailed,
    HistoryUnavailable,
    InvalidInput,
    ModelNotLoaded,
    NotFound,
    Overloaded,
    RetrievalUnavailable,
    SourcebookError,
    TooManyRequests,
    Unavailable,
)
from sourcebook.core.metadata import JsonValue
from sourcebook.surfaces.access import TooManyFailures, Unauthorized
from sourcebook.surfaces.chat.schemas import ChatErrorOut
from sourcebook.surfaces.error_headers import headers_of
from sourcebook.surfaces.errors import INTERNAL, STOPPING
from sourcebook.surfaces.presence import CallerLeft
from sourcebook.surfaces.routing import NotJson
from sourcebook.surfaces.validation import Problem

AGENT_UNAVAILABLE = "agent_unavailable"
INTERNAL_ERROR = "internal_error"
WHOLE_BODY = "body"
# Of a store or an embedder that is away: as long as its health is remembered.
SOON_S = 5

# The first class that fits decides, so the narrower ones come first. A model that is not loaded
# is the embedder's failure: the index could be searched, but the question has no vector.
_MEANT: Sequence[tuple[type[SourcebookError], int, str | None]] = (
    (InvalidInput, 400, None),
    (Unauthorized, 401, None),
    (NotFound, 404, None),
    (Conflict, 409, None),
    (NotJson, 415, None),
    (TooManyFailures, 429, None),
    (TooManyRequests, 429, None),
    (Overloaded, 429, "rate_limited"),
    (CallerLeft, 499, None),
    (RetrievalUnavailable, 503, None),
    (EmbeddingFailed, 503, "embedding_failed"),
    (ModelNotLoaded, 503, "embedding_failed"),
    (HistoryUnavailable, 503, None),
    (Unavailable, 503, AGENT_UNAVAILABLE),
)

_CODES: Mapping[int, str] = {
    400: "validation_error",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    408: "request_timeout",
    413: "payload_too_large",
    415: "unsupported_media_type",
    429: "rate_limited",
    503: AGENT_UNAVAILABLE,
}

_MEANINGS: Mapping[int, str] = {
    400: "The request cannot be used as it is; `message` and `details` say why",
    408: "The body took too long to arrive",
    413: "The body is too large",
    415: "The body is not JSON",
    429: "Too many requests from there, or at once; `retry_after` says when there is room",
    503: "A part that is needed is not available; `error_code` says which",
}

# What any request with a body can get besides.
BODY = (400, 408, 413, 415)


class BadField(InvalidInput):
    """One field cannot be used; `details` name it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class InvalidSession(InvalidInput):
    """What should name a conversation does not."""

    code = "invalid_session_id"


class ChatDialect:
    """Errors as spec 004 has them, with a `trace_id` that leads to the log."""

    def invalid(self, problems: Sequence[Problem]) -> Response:
        """The request could not be understood."""
        problem = problems[0]
        details: dict[str, JsonValue] = {"field": problem.field or WHOLE_BODY}
        message = problem.message
        if problem.kind == "json_invalid":
            position = problem.where[0]
            details = {"field": WHOLE_BODY, "position": position}
            message += f", at character {position}"
        if len(problems) > 1:
            details["problems"] = [found.message for found in problems]
        return _reply(400, _error("validation_error", message, details))

    def failed(self, error: SourcebookError) -> Response:
        """A use case raised one of our errors."""
        response = _reply(_status_of(error), explained(error))
        response.headers.update(headers_of(error))
        return response

    def http(self, status: int, message: str) -> Response:
        """The framework refused the request, or something unexpected happened."""
        return _reply(status, _error(_CODES.get(status, INTERNAL_ERROR), message))


def explained(error: SourcebookError) -> ChatErrorOut:
    """What an error is in this dialect, as a reply and as the last event of a stream."""
    code = next((code for kind, _, code in _MEANT if isinstance(error, kind)), INTERNAL_ERROR)
    details: dict[str, JsonValue] | None = None
    if isinstance(error, BadField):
        details = {"field": error.field}
    return _error(code or error.code, error.message, details, _retry_after(error))


def crashed() -> ChatErrorOut:
    """What nobody expected."""
    return _error(INTERNAL_ERROR, INTERNAL)


def stopping() -> ChatErrorOut:
    """The service ends before the answer does."""
    return _error(AGENT_UNAVAILABLE, STOPPING)


def errors(*statuses: int) -> dict[int | str, dict[str, object]]:
    """The error replies of a route, for the OpenAPI document."""
    return {
        status: {"model": ChatErrorOut, "description": _MEANINGS[status]} for status in statuses
    }


def _error(
    code: str,
    message: str,
    details: dict[str, JsonValue] | None = None,
    retry_after: int | None = None,
) -> ChatErrorOut:
    trace_id = structlog.contextvars.get_contextvars().get("trace_id", "")
    return ChatErrorOut(
        error_code=code,
        message=message,
        details=details,
        retry_after=retry_after,
        trace_id=trace_id,
    )


def _reply(status: int, error: ChatErrorOut) -> Response:
    response = JSONResponse(error.model_dump(), status_code=status)
    if error.retry_after is not None:
        response.headers["Retry-After"] = str(error.retry_after)
    return response


def _status_of(error: SourcebookError) -> int:
    return next((status for kind, status, _ in _MEANT if isinstance(error, kind)), 500)


def _retry_after(error: SourcebookError) -> int | None:
    said = headers_of(error).get("Retry-After")
    if said is not None:
        return int(said)
    away = RetrievalUnavailable | EmbeddingFailed | HistoryUnavailable
    return SOON_S if isinstance(error, away) else None
