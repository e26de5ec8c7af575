"""The error dialect of the book contract: {"detail": "..."}, with 422 for bad input."""

from collections.abc import Mapping

from sourcebook.core.errors import (
    EmbeddingFailed,
    ModelNotLoaded,
    SourcebookError,
    SourceUnavailable,
    Unavailable,
)
from sourcebook.surfaces.errors import DetailDialect, DetailOut, documented_errors
from sourcebook.surfaces.validation_errors import Problem

_MEANINGS: Mapping[int, str] = {
    401: "The admin key, or the webhook's signature, is missing or wrong",
    404: "No such book, chunk, lesson or job, or one that the reader may not see",
    409: "The job, or a job of the book, is not in a state that allows this",
    415: "The body is of another type",
    422: "The request cannot be used as it is; `detail` says why",
    429: "Too many wrong admin keys, or too many requests",
    503: "A part that is needed is not available; `detail` says which",
}

# The errors that any request with a body, and any that needs the admin key, can also get.
BODY = (408, 413, 415, 422)
ADMIN = (401, 429)


class WebhookDisabled(SourcebookError):
    """No secret is set, so no delivery can be signed and none is accepted."""

    code = "webhook_disabled"


class BookErrorOut(DetailOut):
    """What went wrong and what to do about it."""


def errors(*statuses: int) -> dict[int | str, dict[str, object]]:
    """Describe the error replies of a route for the OpenAPI document."""
    return documented_errors(BookErrorOut, _MEANINGS, statuses)


def _word_error(error: SourcebookError) -> str:
    """Say which part of the search is unavailable as the clients of spec 002 expect it."""
    match error:
        case SourceUnavailable():
            return error.public_message
        case EmbeddingFailed() | ModelNotLoaded():
            return f"Search service unavailable (embedding: {error.public_message})"
        case Unavailable():
            return f"Search service unavailable ({error.public_message})"
        case _:
            return error.public_message


def _word_problem(problem: Problem) -> str:
    if problem.kind == "too_short":
        return f"{problem.field!r} must have at least one element; leave it out for no filter"
    return problem.message


DIALECT = DetailDialect(
    invalid_status=422,
    statuses=((WebhookDisabled, 503),),
    word_problem=_word_problem,
    word_error=_word_error,
)
