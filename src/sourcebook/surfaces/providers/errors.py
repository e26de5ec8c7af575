"""The dialect of the providers contract: {"detail": "..."} and 400 for bad input."""

from collections.abc import Mapping, Sequence

from fastapi import Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from sourcebook.core.errors import InvalidInput, NotFound, SourcebookError, Unavailable
from sourcebook.surfaces.access import TooManyFailures, Unauthorized
from sourcebook.surfaces.error_headers import headers_of
from sourcebook.surfaces.routing import NotJson
from sourcebook.surfaces.validation import Problem

_STATUSES: Sequence[tuple[type[SourcebookError], int]] = (
    (InvalidInput, 400),
    (Unauthorized, 401),
    (TooManyFailures, 429),
    (NotJson, 415),
    (NotFound, 404),
    (Unavailable, 503),
)

_MEANINGS: Mapping[int, str] = {
    400: "The request cannot be used as it is; `detail` says why",
    401: "The admin key is missing or wrong",
    404: "No such provider; `detail` names those there are",
    408: "The body took too long to arrive",
    413: "The body is too large",
    415: "The body is not JSON",
    429: "Too many wrong admin keys",
    503: "The provider cannot be loaded; `detail` says why",
}

# What any request with a body, and any that needs the admin key, can get besides.
BODY = (408, 413, 415)
ADMIN = (401, 429)


class ProvidersErrorOut(BaseModel):
    """What went wrong and what to do about it."""

    detail: str


class ProvidersDialect:
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


def errors(*statuses: int) -> dict[int | str, dict[str, object]]:
    """The error replies of a route, for the OpenAPI document."""
    return {
        status: {"model": ProvidersErrorOut, "description": _MEANINGS[status]}
        for status in statuses
    }


def _sentence(problem: Problem) -> str:
    """Never what was given as a configuration: there are keys in it."""
    match problem.where, problem.kind:
        case ("config",), "missing":
            return "'config' is required: an object with the provider's settings"
        case ("config", *_), _:
            return "'config' must be an object with the provider's settings"
        case (), kind if kind not in {"missing", "json_invalid"}:
            return "The body must be an object with the key 'config'"
        case _:
            return problem.message
