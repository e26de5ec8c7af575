"""The error dialect of the chat contract: {"error_code", "message", "details", "retry_after"}."""

from collections.abc import Mapping, Sequence

from starlette.responses import JSONResponse, Response

from sourcebook.core.errors import (
    EmbeddingFailed,
    HistoryUnavailable,
    InvalidInput,
    ModelNotLoaded,
    Overloaded,
    RetrievalUnavailable,
    SourcebookError,
    Unavailable,
)
from sourcebook.core.metadata import JsonValue
from sourcebook.surfaces.chat.schemas import ChatErrorOut
from sourcebook.surfaces.errors import (
    INTERNAL,
    STOPPING,
    WHOLE_BODY,
    Statuses,
    documented_errors,
    headers_of,
    status_of,
)
from sourcebook.surfaces.request_errors import InvalidField
from sourcebook.surfaces.validation_errors import Problem

AGENT_UNAVAILABLE = "agent_unavailable"
INTERNAL_ERROR = "internal_error"
# For a store or an embedder that is away: as long as its health is cached.
DEFAULT_RETRY_AFTER_S = 5

# Contract 004 has its own codes for some errors; the first class that fits decides. A model that
# is not loaded is the embedder's failure: the index works, but the question has no vector.
_OWN_CODES: Sequence[tuple[type[SourcebookError], str]] = (
    (Overloaded, "rate_limited"),
    (RetrievalUnavailable, RetrievalUnavailable.code),
    (EmbeddingFailed, "embedding_failed"),
    (ModelNotLoaded, "embedding_failed"),
    (HistoryUnavailable, HistoryUnavailable.code),
    (Unavailable, AGENT_UNAVAILABLE),
)
_OWN_STATUSES: Statuses = ((Overloaded, 429),)

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
    401: "The admin key is missing or wrong",
    404: "There is no such thing here; `message` says what there is",
    429: "Too many requests from there, or at once; `retry_after` says when there is room",
    503: "A part that is needed is not available; `error_code` says which",
}

# The errors that any request with a body can also get.
BODY = (400, 408, 413, 415)


class InvalidSession(InvalidInput):
    """The session id is not a UUID of version 4."""

    code = "invalid_session_id"


class ChatDialect:
    """Errors as spec 004 has them, with a `trace_id` that leads to the log."""

    def invalid(self, problems: Sequence[Problem]) -> Response:
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
        response = _reply(status_of(error, _OWN_STATUSES), error_out(error))
        response.headers.update(headers_of(error))
        return response

    def http(self, status: int, message: str) -> Response:
        return _reply(status, _error(_CODES.get(status, INTERNAL_ERROR), message))


def error_out(error: SourcebookError) -> ChatErrorOut:
    """Map an error for a reply, or for the last event of a stream."""
    details: dict[str, JsonValue] | None = None
    if isinstance(error, InvalidField):
        details = {"field": error.field}
    code = _code_of(error)
    message = INTERNAL if code == INTERNAL_ERROR else error.public_message
    return _error(code, message, details, _retry_after(error))


def crash_out() -> ChatErrorOut:
    return _error(INTERNAL_ERROR, INTERNAL)


def stopping_out() -> ChatErrorOut:
    return _error(AGENT_UNAVAILABLE, STOPPING)


def errors(*statuses: int) -> dict[int | str, dict[str, object]]:
    """Describe the error replies of a route for the OpenAPI document."""
    return documented_errors(ChatErrorOut, _MEANINGS, statuses)


def _error(
    code: str,
    message: str,
    details: dict[str, JsonValue] | None = None,
    retry_after: int | None = None,
) -> ChatErrorOut:
    # Where nothing fails, commands do without it.
    import structlog  # noqa: PLC0415

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


def _code_of(error: SourcebookError) -> str:
    if status_of(error) == 500:
        return INTERNAL_ERROR
    own = (code for kind, code in _OWN_CODES if isinstance(error, kind))
    return next(own, error.code)


def _retry_after(error: SourcebookError) -> int | None:
    said = headers_of(error).get("Retry-After")
    if said is not None:
        return int(said)
    away = RetrievalUnavailable | EmbeddingFailed | HistoryUnavailable
    return DEFAULT_RETRY_AFTER_S if isinstance(error, away) else None


DIALECT = ChatDialect()
