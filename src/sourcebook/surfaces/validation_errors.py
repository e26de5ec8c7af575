"""Translates validation errors of pydantic into plain sentences."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError

from sourcebook.core.text import shorten

if TYPE_CHECKING:
    from fastapi.exceptions import RequestValidationError

MAX_VALUE_LENGTH = 60
MAX_PLACE_LENGTH = 120

_ENCODER = json.JSONEncoder(ensure_ascii=False)
_WORDS: Mapping[str, str] = {
    "string_type": "must be a string",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "list_type": "must be an array",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "string_too_short": "must not be empty",
    "string_too_long": "is too long: {max_length} characters at most",
    "too_short": "must not be empty",
    "too_long": "has too many elements: {max_length} at most",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "repeated": "must be given once",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """A validation error: where (without 'body' or 'query'), which kind, and a sentence."""

    where: tuple[str | int, ...]
    kind: str
    message: str

    @property
    def field(self) -> str:
        """Return the place as people write it: documents[3].text."""
        name = ""
        for part in self.where:
            name += f"[{part}]" if isinstance(part, int) else f".{part}" if name else part
        return shorten(name, MAX_PLACE_LENGTH)


def problems_of(error: "RequestValidationError") -> list[Problem]:
    """Translate what the framework found, in its order."""
    return [_problem(dict(found)) for found in error.errors()]


def problems_in_body(error: ValidationError) -> list[Problem]:
    """Translate what is wrong with a body that was validated without the framework."""
    return [_problem({**found, "loc": ("body", *found["loc"])}) for found in error.errors()]


def _problem(found: Mapping[str, object]) -> Problem:
    kind = str(found["type"])
    place = found["loc"]
    assert isinstance(place, tuple)  # noqa: S101 - for the type checker
    problem = Problem(where=place[1:], kind=kind, message="")
    return Problem(problem.where, kind, _message(problem.field, kind, found))


def _message(field: str, kind: str, found: Mapping[str, object]) -> str:
    if kind == "json_invalid":
        context = found.get("ctx")
        reason = context.get("error") if isinstance(context, dict) else found["msg"]
        return f"The body is not valid JSON: {reason}"
    if kind == "form_invalid":
        return f"The form cannot be read: {found['msg']}"
    if kind == "missing" and not field:
        return "A JSON body is required; send it with 'Content-Type: application/json'"
    if kind == "missing":
        return f"{field!r} is required"
    subject = repr(field) if field else "The body"
    context = found.get("ctx")
    words = _WORDS.get(kind) or _lower_first(str(found["msg"]))
    if isinstance(context, dict):
        words = words.format_map(_Limits(context))
    return f"{subject} {words}, got {_shown(found.get('input'))}"


class _Limits(dict[str, object]):
    """Leaves braces alone that are not in the context."""

    def __missing__(self, name: str) -> str:
        return f"{{{name}}}"


def _lower_first(message: str) -> str:
    return message.replace("Input should", "should").removeprefix("Value error, ")


def _shown(value: object) -> str:
    text = ""
    try:
        # Piece by piece: only the beginning is shown, and a body may be large.
        for piece in _ENCODER.iterencode(value):
            text += piece
            if len(text) > MAX_VALUE_LENGTH:
                break
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    return shorten(text, MAX_VALUE_LENGTH)
