"""The dialect of the collections contract: {"detail": "..."} and 400 for bad input."""

from collections.abc import Mapping, Sequence

from fastapi import Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from sourcebook.core.errors import (
    AlreadyExists,
    Conflict,
    InvalidInput,
    NotFound,
    SourcebookError,
    TooManyRequests,
    Unavailable,
)
from sourcebook.surfaces.access import TooManyFailures, Unauthorized
from sourcebook.surfaces.error_headers import headers_of
from sourcebook.surfaces.routing import NotJson
from sourcebook.surfaces.validation import Problem

# The first class that fits decides, so the narrower ones come first.
_STATUSES: Sequence[tuple[type[SourcebookError], int]] = (
    (InvalidInput, 400),
    (Unauthorized, 401),
    (TooManyFailures, 429),
    (TooManyRequests, 429),
    (NotJson, 415),
    (NotFound, 404),
    (AlreadyExists, 400),
    (Conflict, 409),
    (Unavailable, 503),
)

_MEANINGS: Mapping[int, str] = {
    400: "The request cannot be used as it is; `detail` says why",
    401: "The admin key is needed and missing or wrong",
    404: "No such collection",
    408: "The body took too long to arrive",
    409: "The collection is not in a state that allows this",
    413: "The body is too large",
    415: "The body is not JSON",
    429: "Too many wrong admin keys, or too many requests",
    503: "A model or a store that is needed is not available",
}


class ErrorOut(BaseModel):
    """What went wrong and what to do about it."""

    detail: str


class CollectionsDialect:
    """Errors as FastAPI's own: one sentence under `detail`."""

    def invalid(self, problems: Sequence[Problem]) -> Response:
        """The request could not be understood."""
        return self.http(400, _sentence(problems[0]))

    def failed(self, error: SourcebookError) -> Response:
        """A use case raised one of our errors."""
        status = next((code for kind, code in _STATUSES if isinstance(error, kind)), 500)
        response = self.http(status, error.message)
        response.headers.update(headers_of(error))
        return response

    def http(self, status: int, message: str) -> Response:
        """The framework refused the request, or something unexpected happened."""
        return JSONResponse({"detail": message}, status_code=status)


# What any request with a body, and any write, can get besides.
BODY = (400, 408, 413, 415)
WRITE = (401, 429)


def errors(*statuses: int) -> dict[int | str, dict[str, object]]:
    """The error replies of a route, for the OpenAPI document."""
    return {status: {"model": ErrorOut, "description": _MEANINGS[status]} for status in statuses}


def _sentence(problem: Problem) -> str:
    match problem.where, problem.kind:
        case ("documents", int(index), "text"), "missing":
            return f"Document at index {index} missing required 'text' field"
        case ("documents",), "missing" | "too_short":
            return "Documents array is required"
        case ("documents",), "list_type":
            return f"Documents array is required: {problem.message}"
        case ("documents", int(index), *_), _:
            return f"Document at index {index}: {problem.message}"
        case ("collection",), "missing" | "string_too_short":
            return "Collection name is required"
        case _:
            return problem.message
