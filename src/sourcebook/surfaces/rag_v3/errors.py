"""The error dialect of the RAG contract: {"error", "message"}, and 400 with one field's details."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from fastapi import Response
from fastapi.responses import JSONResponse

from sourcebook.core.errors import (
    EmbeddingFailed,
    PoisonText,
    SourcebookError,
)
from sourcebook.surfaces.errors import (
    INTERNAL,
    WHOLE_BODY,
    documented_errors,
    headers_of,
    status_of,
)
from sourcebook.surfaces.rag_v3.schemas import InvalidOut, RagErrorOut
from sourcebook.surfaces.request_errors import InvalidField
from sourcebook.surfaces.validation_errors import Problem

ErrorBody: TypeAlias = dict[str, object]

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

# The errors that any request with a body, and any write, can also get.
BODY = (400, 408, 413, 415)
WRITE = (401, 429)

# The name of the field when a request is refused before any field is read.
WHOLE_REQUEST = "request"


class RagDialect:
    """Errors in the shape of section 5 of the contract; `shape` may add to each body."""

    def __init__(self, shape: Callable[[ErrorBody], ErrorBody] = dict) -> None:
        self._shape = shape

    def invalid(self, problems: Sequence[Problem]) -> Response:
        problem = problems[0]
        whole = problem.kind == "json_invalid" or not problem.field
        field = WHOLE_BODY if whole else problem.field
        return self._reply(400, _invalid(field, problem.message))

    def failed(self, error: SourcebookError) -> Response:
        status, body = explain(error)
        return self._reply(status, body, headers_of(error))

    def http(self, status: int, message: str) -> Response:
        return self._reply(status, _body(status, WHOLE_REQUEST, message))

    def _reply(
        self, status: int, body: ErrorBody, headers: Mapping[str, str] | None = None
    ) -> Response:
        return JSONResponse(self._shape(body), status, dict(headers or {}))


def explain(error: SourcebookError) -> tuple[int, ErrorBody]:
    """Return the status and the body of an error."""
    if isinstance(error, PoisonText):
        # Sending it again would end the same.
        return 400, _invalid("text", error.message)
    status = status_of(error)
    field = error.field if isinstance(error, InvalidField) else WHOLE_BODY
    message = INTERNAL if status == 500 else error.public_message
    if isinstance(error, EmbeddingFailed):
        # The words that clients of the contract know.
        message = f"Embeddings service is not available: {message}"
    return status, _body(status, field, message)


def errors(*statuses: int) -> dict[int | str, dict[str, object]]:
    """Describe the error replies of a route for the OpenAPI document."""
    described = documented_errors(RagErrorOut, MEANINGS, statuses)
    if 400 in described:
        described[400]["model"] = InvalidOut
    return described


def _body(status: int, field: str, message: str) -> ErrorBody:
    if status == 400:
        return _invalid(field, message)
    return {"error": _WORDS.get(status, "Internal server error"), "message": message}


def _invalid(field: str, message: str) -> ErrorBody:
    return {
        "error": "Validation error",
        "message": message,
        "details": {"field": field, "message": message},
    }


DIALECT = RagDialect()
