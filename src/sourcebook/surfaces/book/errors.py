"""The dialect of the book contract: {"detail": "..."} and 422 for bad input."""

from collections.abc import Mapping, Sequence

from fastapi import Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from sourcebook.core.books import SourceUnavailable
from sourcebook.core.errors import (
    Conflict,
    EmbeddingFailed,
    InvalidInput,
    ModelNotLoaded,
    NotFound,
    SourcebookError,
    TooManyRequests,
    Unavailable,
)
from sourcebook.surfaces.access import TooManyFailures, Unauthorized
from sourcebook.surfaces.error_headers import headers_of
from sourcebook.surfaces.routing import NotJson
from sourcebook.surfaces.validation import Problem


class WebhookDisabled(SourcebookError):
    """Nobody could sign a delivery, so none is taken."""

    code = "webhook_disabled"


# The first class that fits decides, so the narrower ones come first.
_STATUSES: Sequence[tuple[type[SourcebookError], int]] = (
    (InvalidInput, 422),
    (Unauthorized, 401),
    (TooManyFailures, 429),
    (TooManyRequests, 429),
    (NotJson, 415),
    (NotFound, 404),
    (Conflict, 409),
    (WebhookDisabled, 503),
    (Unavailable, 503),
)

_MEANINGS: Mapping[int, str] = {
    401: "The admin key, or the webhook's signature, is missing or wrong",
    404: "No such chunk, lesson or job, or one that the reader may not see",
    408: "The body took too long to arrive",
    409: "The job is not in a state that allows this",
    413: "The body is too large",
    415: "The body is of another type",
    422: "The request cannot be used as it is; `detail` says why",
    429: "Too many wrong admin keys, or too many requests",
    503: "A part that is needed is not available; `detail` says which",
}

# What any request with a body, and any that needs the admin key, can get besides.
BODY = (408, 413, 415, 422)
ADMIN = (401, 429)


class BookErrorOut(BaseModel):
    """What went wrong and what to do about it."""

    detail: str


class BookDialect:
    """Errors as FastAPI's own, but always one sentence under `detail`."""

    def invalid(self, problems: Sequence[Problem]) -> Response:
        """The request could not be understood."""
        return self.http(422, _sentence(problems[0]))

    def failed(self, error: SourcebookError) -> Response:
        """A use case raised one of our errors."""
        status = next((code for kind, code in _STATUSES if isinstance(error, kind)), 500)
        response = self.http(status, _said(error))
        response.headers.update(headers_of(error))
        return response

    def http(self, status: int, message: str) -> Response:
        """The framework refused the request, or something unexpected happened."""
        return JSONResponse({"detail": message}, status_code=status)


def errors(*statuses: int) -> dict[int | str, dict[str, object]]:
    """The error replies of a route, for the OpenAPI document."""
    return {
        status: {"model": BookErrorOut, "description": _MEANINGS[status]} for status in statuses
    }


def _said(error: SourcebookError) -> str:
    """Which part of the search is away is in the words that the clients of 002 know."""
    match error:
        case SourceUnavailable():
            return error.message
        case EmbeddingFailed() | ModelNotLoaded():
            return f"Search service unavailable (embedding: {error.message})"
        case Unavailable():
            return f"Search service unavailable ({error.message})"
        case _:
            return error.message


def _sentence(problem: Problem) -> str:
    if problem.kind == "too_short":
        return f"{problem.field!r} must have at least one element; leave it out for no filter"
    return problem.message
