"""Metadata: the JSON object of a document, and its limits."""

import math
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from sourcebook.core.errors import InvalidInput
from sourcebook.core.text import check_text

JsonValue: TypeAlias = "str | int | float | bool | list[JsonValue] | dict[str, JsonValue] | None"
Metadata: TypeAlias = Mapping[str, JsonValue]
Scalar: TypeAlias = str | int | float | bool

MAX_DEPTH = 16
MAX_KEY_LENGTH = 256
MAX_VALUES = 256


def check_metadata(metadata: Metadata) -> None:
    """Refuse what no store could keep faithfully; the message names the place."""
    values = sum(1 for _ in scalars(metadata))
    if values > MAX_VALUES:
        raise InvalidInput(
            f"The metadata hold {values} values that filters could look at; {MAX_VALUES} at most"
        )
    for key, value in metadata.items():
        if not key or len(key) > MAX_KEY_LENGTH:
            raise InvalidInput(
                f"Metadata keys must have 1 to {MAX_KEY_LENGTH} characters, got {key[:40]!r}"
            )
        check_text(key, "key")
        _check_value(value, key, depth=1)


def scalars(metadata: Metadata) -> Iterator[tuple[str, Scalar, bool]]:
    """Everything that a filter can see: (field, value, whether it is an element of a list).

    Nulls and nested objects are kept with the document but cannot be filtered on.
    """
    for field, value in metadata.items():
        if isinstance(value, list):
            for element in value:
                if isinstance(element, str | int | float):
                    yield field, element, True
        elif isinstance(value, str | int | float):
            yield field, value, False


def _check_value(value: JsonValue, where: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise InvalidInput(f"Metadata field {where!r} is nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, str):
        check_text(value, f"field {where!r}")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        _check_number(value, where)
    elif isinstance(value, list):
        for element in value:
            _check_value(element, where, depth + 1)
    elif isinstance(value, dict):
        for key, element in value.items():
            check_text(key, f"field {where!r}")
            _check_value(element, where, depth + 1)


def _check_number(value: int | float, where: str) -> None:
    try:
        finite = math.isfinite(value)
    except OverflowError:
        finite = False
    if not finite:
        raise InvalidInput(f"Metadata field {where!r} must be a finite number")
