"""The error dialect of the collections contract: {"detail": "..."}, with 400 for bad input."""

from collections.abc import Mapping

from sourcebook.core.errors import AlreadyExists
from sourcebook.surfaces.errors import DetailDialect, DetailOut, documented_errors
from sourcebook.surfaces.validation_errors import Problem

_MEANINGS: Mapping[int, str] = {
    400: "The request cannot be used as it is; `detail` says why",
    401: "The admin key is needed and missing or wrong",
    404: "No such collection",
    409: "The collection is not in a state that allows this",
    429: "Too many wrong admin keys, or too many requests",
    503: "A model or a store that is needed is not available",
}

# The errors that any request with a body, and any write, can also get.
BODY = (400, 408, 413, 415)
WRITE = (401, 429)


class ErrorOut(DetailOut):
    """What went wrong and what to do about it."""


def errors(*statuses: int) -> dict[int | str, dict[str, object]]:
    """Describe the error replies of a route for the OpenAPI document."""
    return documented_errors(ErrorOut, _MEANINGS, statuses)


def _word_problem(problem: Problem) -> str:
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


DIALECT = DetailDialect(statuses=((AlreadyExists, 400),), word_problem=_word_problem)
