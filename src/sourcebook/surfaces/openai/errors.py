"""The error dialect of OpenAI's API: {"error": {"message", "type", "param", "code"}}."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from fastapi import Response
from fastapi.responses import JSONResponse
from pydantic import Field

from sourcebook.core.errors import NotFound, Overloaded, SourcebookError
from sourcebook.surfaces.errors import (
    CRASHED,
    INTERNAL,
    STOPPING,
    Statuses,
    documented_errors,
    headers_of,
    status_of,
)
from sourcebook.surfaces.request_errors import InvalidField, Unauthorized
from sourcebook.surfaces.schema_types import WireModel
from sourcebook.surfaces.validation_errors import Problem

_TYPE = re.compile(r"(?:str|int|constrained-str|list\[.*|[A-Z]\w*)\Z")
_OWN_STATUSES: Statuses = ((Overloaded, 429),)
_TYPES: Mapping[int, str] = {429: "rate_limit_error", 401: "authentication_error"}
_CODES: Mapping[int, str] = {
    401: "invalid_api_key",
    404: "not_found",
    429: "rate_limit_exceeded",
}
_MEANINGS: Mapping[int, str] = {
    400: "The request cannot be used as it is; `message` says why",
    401: "The API key is missing or wrong",
    404: "No such model; `message` lists those that there are",
    429: "Too many requests, or too many wrong keys; the header `Retry-After` says when to retry",
    503: "A part that is needed is not available",
}

# The errors that any request with a body, and any that may need a key, can also get.
BODY = (400, 408, 413, 415)
KEYED = (401, 429)


class OpenAiErrorDetail(WireModel):
    """What went wrong."""

    message: str
    type: str
    param: str | None
    code: str | None


class OpenAiErrorOut(WireModel):
    """An error as OpenAI's clients read it."""

    error: OpenAiErrorDetail = Field(description="What went wrong, and what to do about it")


class ModelNotFound(NotFound):
    """No model of that name may be used."""

    code = "model_not_found"


class OpenAiDialect:
    """Errors as OpenAI's clients read them."""

    def invalid(self, problems: Sequence[Problem]) -> Response:
        problem = problems[0]
        return _reply(400, _error(400, problem.message, param=_param(problem)))

    def failed(self, error: SourcebookError) -> Response:
        response = _reply(status_of(error, _OWN_STATUSES), error_out(error))
        response.headers.update(headers_of(error))
        return response

    def http(self, status: int, message: str) -> Response:
        return _reply(status, _error(status, message))


def error_out(error: SourcebookError) -> OpenAiErrorOut:
    """Map an error for a reply, or for the end of a stream."""
    status = status_of(error, _OWN_STATUSES)
    if status == CRASHED:
        return crash_out()
    if isinstance(error, Unauthorized):
        return _error(status, error.public_message)
    param = error.field if isinstance(error, InvalidField) else None
    if isinstance(error, ModelNotFound):
        param = "model"
    # OpenAI has no code for most of what is wrong with a request.
    code = None if status == 400 else _CODES.get(status, error.code)
    return _error(
        status,
        error.public_message,
        param=param,
        code=error.code if isinstance(error, ModelNotFound) else code,
    )


def crash_out() -> OpenAiErrorOut:
    return _error(CRASHED, INTERNAL)


def stopping_out() -> OpenAiErrorOut:
    return _error(503, STOPPING)


def errors(*statuses: int) -> dict[int | str, dict[str, object]]:
    """Describe the error replies of a route for the OpenAPI document."""
    return documented_errors(OpenAiErrorOut, _MEANINGS, statuses)


def _error(
    status: int, message: str, *, param: str | None = None, code: str | None = None
) -> OpenAiErrorOut:
    kind = "server_error" if status >= CRASHED else "invalid_request_error"
    detail = OpenAiErrorDetail(
        message=message,
        type=_TYPES.get(status, kind),
        param=param,
        code=code or _CODES.get(status),
    )
    return OpenAiErrorOut(error=detail)


def _param(problem: Problem) -> str | None:
    """The field, without the type of which pydantic tried whether it fits."""
    named = takewhile(lambda part: not _TYPE.match(str(part)), problem.where)
    return replace(problem, where=tuple(named)).field or None


def _reply(status: int, error: OpenAiErrorOut) -> Response:
    return JSONResponse(error.model_dump(), status_code=status)


DIALECT = OpenAiDialect()
