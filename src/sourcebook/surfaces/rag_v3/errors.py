"""The dialect of contract 003: {"error", "message"}, and 400 that names one field."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from fastapi import Response
from fastapi.responses import JSONResponse

from sourcebook.core.errors import (
    Conflict,
    EmbeddingFailed,
    InvalidInput,
    NotFound,
    SourcebookError,
    TooManyRequests,
    Unavailable,
)
from sourcebook.core.refusals import PoisonText
from sourcebook.surfaces.access import TooManyFailures, Unauthorized
from sourcebook.surfaces.error_headers import headers_of
from sourcebook.surfaces.presence import CallerLeft
from sourcebook.surfaces.rag_v3.schemas import InvalidOut, RagErrorOut
from sourcebook.surfaces.routing import NotJson
from sourcebook.surfaces.validation import Problem

Said: TypeAlias = dict[str, object]

# The first class that fits decides, so the narrower ones come first.
_STATUSES: Sequence[tuple[type[SourcebookError], int]] = (
    (InvalidInput, 400),
    (Unauthorized, 401),
    (TooManyFailures, 429),
    (TooManyRequests, 429),
    (NotJson, 415),
    (NotFound, 404),
    (Conflict, 409),
    (CallerLeft, 499),
    (Unavailable, 503),
)

_WORDS: Mapping[int, str] = {
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not found",
    405: "Method not allowed",
    408: "Request timeout",
    409: "Conflict",
    413: "Payload too large",
    415: "Unsupported media type",
    429: "Too many requests",
    499: "Client closed request",
    503: "Service Unavailable",
}

MEANINGS: Mapping[int, str] = {
    400: "The request cannot be used as it is; `details` say which field, and why",
    401: "The admin key is needed and missing or wrong",
    404: "There is nothing of that name or number",
    408: "The body took too long to arrive",
    409: "The collection of posted documents needs re-indexing first",
    413: "The body is too large",
    415: "The body is not JSON",
    429: "Too many wrong admin keys, or too many requests",
    503: "A model or a store that is needed is not available",
}

# What any request with a body, and any write, can get besides.
BODY = (400, 408, 413, 415)
WRITE = (401, 429)

# Of requests that are refused before any field is looked at.
WHOLE_BODY = "body"
WHOLE_REQUEST = "request"


class BadField(InvalidInput):
    """One field cannot be used; the contract names it beside the message."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class RagDialect:
    """Errors as section 5 of the contract has them, in the given shape."""

    def __init__(self, shape: Callable[[Said], Said] = dict) -> None:
        self._shape = shape

    def invalid(self, problems: Sequence[Problem]) -> Response:
        """The request could not be understood."""
        problem = problems[0]
        whole = problem.kind == "json_invalid" or not problem.field
        field = WHOLE_BODY if whole else problem.field
        return self._reply(400, _invalid(field, problem.message))

    def failed(self, error: SourcebookError) -> Response:
        """A use case raised one of our errors."""
        status, said = explained(error)
        return self._reply(status, said, headers_of(error))

    def http(self, status: int, message: str) -> Response:
        """The framework refused the request, or something unexpected happened."""
        return self._reply(status, _said(status, WHOLE_REQUEST, message))

    def _reply(self, status: int, said: Said, headers: Mapping[str, str] | None = None) -> Response:
        return JSONResponse(self._shape(said), status, dict(headers or {}))


def explained(error: SourcebookError) -> tuple[int, Said]:
    """The status and the body that an error gets."""
    if isinstance(error, PoisonText):
        # Sending it again would end the same.
        return 400, _invalid("text", error.message)
    status = next((code for kind, code in _STATUSES if isinstance(error, kind)), 500)
    field = error.field if isinstance(error, BadField) else WHOLE_BODY
    message = error.message
    if isinstance(error, EmbeddingFailed):
        # The words that clients of the contract know.
        message = f"Embeddings service is not available: {message}"
    return status, _said(status, field, message)


def errors(*statuses: int) -> dict[int | str, dict[str, object]]:
    """The error replies of a route, for the OpenAPI document."""
    return {
        status: {
            "model": InvalidOut if status == 400 else RagErrorOut,
            "description": MEANINGS[status],
        }
        for status in statuses
    }


def _said(status: int, field: str, message: str) -> Said:
    if status == 400:
        return _invalid(field, message)
    return {"error": _WORDS.get(status, "Internal server error"), "message": message}


def _invalid(field: str, message: str) -> Said:
    return {"error": "Validation error", "details": {"field": field, "message": message}}
