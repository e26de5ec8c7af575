"""Parses the Chroma-style `where` object into the filter language of the core."""

from collections.abc import Callable, Iterator, Mapping

import orjson

from sourcebook.core.errors import InvalidInput
from sourcebook.core.filters import (
    EVERYTHING,
    MAX_FILTER_DEPTH,
    AnyOf,
    Compare,
    Filter,
    Not,
    OneOf,
    Order,
    all_of,
    check_filter,
)
from sourcebook.core.metadata import MAX_KEY_LENGTH, JsonValue, Scalar
from sourcebook.core.text import check_text, shorten

_ORDERS: Mapping[str, Order] = {"$gt": "gt", "$gte": "gte", "$lt": "lt", "$lte": "lte"}
_OPERATORS = "$eq, $ne, $gt, $gte, $lt, $lte, $in, $nin"


def parse_filter_text(text: str | None) -> Filter:
    """Parse a filter in a query string; nothing at all means everything."""
    if not text:
        return EVERYTHING
    try:
        where = orjson.loads(text)
    except orjson.JSONDecodeError:
        raise InvalidInput("Invalid 'where' filter: must be valid JSON") from None
    return parse_filter(where)


def parse_filter(where: JsonValue) -> Filter:
    """Parse a `where` object; `{}` means everything."""
    try:
        return check_filter(_parse(where, depth=0))
    except InvalidInput as error:
        raise InvalidInput(f"Invalid 'where' filter: {error.message}") from error


def _parse(where: JsonValue, depth: int) -> Filter:
    if not isinstance(where, dict):
        raise InvalidInput(f"must be a JSON object, got {_shown(where)}")
    if depth > MAX_FILTER_DEPTH:
        raise InvalidInput(f"nested more than {MAX_FILTER_DEPTH} levels deep")
    return all_of(_parts(where, depth))


def _parts(where: Mapping[str, JsonValue], depth: int) -> Iterator[Filter]:
    for key, value in where.items():
        if key == "$and":
            yield all_of(_parse(part, depth + 1) for part in _branches(key, value))
        elif key == "$or":
            yield AnyOf(tuple(_parse(part, depth + 1) for part in _branches(key, value)))
        elif key.startswith("$"):
            raise InvalidInput(f"unknown operator {_shown(key)}; use $and, $or or a field name")
        else:
            yield _field(key, value)


def _branches(key: str, value: JsonValue) -> list[JsonValue]:
    if not isinstance(value, list) or not value:
        raise InvalidInput(f"{key} needs an array with at least one filter, got {_shown(value)}")
    return value


def _field(field: str, value: JsonValue) -> Filter:
    if not field or len(field) > MAX_KEY_LENGTH:
        raise InvalidInput(f"field names have 1 to {MAX_KEY_LENGTH} characters")
    check_text(field, "field name")
    if not isinstance(value, dict):
        return OneOf(field, (_scalar(field, "$eq", value),))
    if not value:
        raise InvalidInput(f"field {field!r} has no operator; use one of {_OPERATORS}")
    return all_of(_operation(field, name, operand) for name, operand in value.items())


def _operation(field: str, name: str, operand: JsonValue) -> Filter:
    if name in _ORDERS:
        return Compare(field, _ORDERS[name], _number(field, name, operand))
    build = _BUILDERS.get(name)
    if build is None:
        raise InvalidInput(
            f"unknown operator {_shown(name)} on field {field!r}; use one of {_OPERATORS}"
        )
    return build(field, name, operand)


def _equal(field: str, name: str, operand: JsonValue) -> Filter:
    return OneOf(field, (_scalar(field, name, operand),))


def _member(field: str, name: str, operand: JsonValue) -> Filter:
    if not isinstance(operand, list) or not operand:
        raise InvalidInput(
            f"{name} on field {field!r} needs an array with at least one value, got"
            f" {_shown(operand)}"
        )
    return OneOf(field, tuple(_scalar(field, name, value) for value in operand))


_BUILDERS: Mapping[str, Callable[[str, str, JsonValue], Filter]] = {
    "$eq": _equal,
    "$ne": lambda field, name, operand: Not(_equal(field, name, operand)),
    "$in": _member,
    "$nin": lambda field, name, operand: Not(_member(field, name, operand)),
}


def _scalar(field: str, name: str, value: JsonValue) -> Scalar:
    if isinstance(value, str):
        check_text(value, f"value of {field!r}")
    if isinstance(value, str | int | float):
        return value
    raise InvalidInput(
        f"{name} on field {field!r} compares with a string, a number or true/false, got"
        f" {_shown(value)}"
    )


def _number(field: str, name: str, value: JsonValue) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(f"{name} on field {field!r} needs a number, got {_shown(value)}")
    return float(value)


def _shown(value: JsonValue) -> str:
    try:
        text = orjson.dumps(value).decode()
    except TypeError:
        text = f"a deeply nested {type(value).__name__}"
    return shorten(text, 60)
