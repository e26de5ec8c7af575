"""The error dialect of the providers contract: {"detail": "..."}, with 400 for bad input."""

from collections.abc import Mapping

from sourcebook.surfaces.errors import DetailDialect, DetailOut, documented_errors
from sourcebook.surfaces.validation_errors import Problem

_MEANINGS: Mapping[int, str] = {
    400: "The request cannot be used as it is; `detail` says why",
    401: "The admin key is missing or wrong",
    404: "No such provider; `detail` names those there are",
    429: "Too many wrong admin keys",
    503: "The provider cannot be loaded; `detail` says why",
}

# The errors that any request with a body, and any that needs the admin key, can also get.
BODY = (408, 413, 415)
ADMIN = (401, 429)


class ProvidersErrorOut(DetailOut):
    """What went wrong and what to do about it."""


def errors(*statuses: int) -> dict[int | str, dict[str, object]]:
    """Describe the error replies of a route for the OpenAPI document."""
    return documented_errors(ProvidersErrorOut, _MEANINGS, statuses)


def _word_problem(problem: Problem) -> str:
    """Never repeat the given configuration: it holds keys."""
    match problem.where, problem.kind:
        case ("config",), "missing":
            return "'config' is required: an object with the provider's settings"
        case ("config", *_), _:
            return "'config' must be an object with the provider's settings"
        case (), kind if kind not in {"missing", "json_invalid"}:
            return "The body must be an object with the key 'config'"
        case _:
            return problem.message


DIALECT = DetailDialect(word_problem=_word_problem)
