"""Reads single fields of what contract 003 sends; BadField names the one that cannot be used."""

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from sourcebook.core.errors import InvalidInput
from sourcebook.core.metadata import Scalar, check_metadata, check_text
from sourcebook.core.postings import OWN_PREFIX
from sourcebook.search.documents import Wanted
from sourcebook.surfaces.rag_v3 import schemas
from sourcebook.surfaces.rag_v3.errors import BadField

Fields: TypeAlias = Mapping[str, object]

DEFAULT_TOP_K = 5

_NUMBER = re.compile(r"\s*[+-]?\d{1,20}(?:\.\d{1,20})?\s*", re.ASCII)


def read_object(given: object, place: str, message: str) -> Fields:
    """An object, or the message."""
    if not isinstance(given, dict):
        raise BadField(place, message)
    return given


def read_top_k(fields: Fields, name: str) -> int:
    """How many results are wanted."""
    given = fields.get(name)
    number = DEFAULT_TOP_K if given is None else read_number(given)
    if number is None or number != int(number) or not 1 <= number <= schemas.MAX_TOP_K:
        raise BadField(name, f"{name} must be a number between 1 and {schemas.MAX_TOP_K}")
    return int(number)


def read_filters(fields: Fields, name: str) -> Wanted:
    """Which documents are wanted; all of them if there are no filters."""
    given = fields.get(name)
    if given is None:
        return Wanted()
    filters = read_object(given, name, f"{name} must be an object")
    wanted = Wanted(
        read_text(filters, "source", place=f"{name}.source"),
        read_tags(filters, "tags", place=f"{name}.tags"),
        _own_metadata(filters, f"{name}.metadata"),
    )
    return checked(wanted, name)


def read_tags(fields: Fields, name: str, place: str | None = None) -> tuple[str, ...]:
    """An array of strings; nothing is an empty one."""
    place = place or name
    given = fields.get(name)
    if given is None:
        return ()
    if not isinstance(given, list) or not all(isinstance(tag, str) for tag in given):
        raise BadField(place, f"{place} must be an array of strings")
    if len(given) > schemas.MAX_TAGS:
        raise BadField(place, f"{place} has {len(given)} elements, {schemas.MAX_TAGS} at most")
    longest = max(map(len, given), default=0)
    if longest > schemas.MAX_TAG_LENGTH:
        raise BadField(
            place, f"{place} has one of {longest} characters, {schemas.MAX_TAG_LENGTH} at most"
        )
    return tuple(_storable(tag, place) for tag in given)


def read_text(
    fields: Fields,
    name: str,
    longest: int = schemas.MAX_SOURCE_LENGTH,
    place: str | None = None,
) -> str | None:
    """A string, or nothing."""
    place = place or name
    value = fields.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise BadField(place, f"{place} must be a string")
    return short_text(value, place, longest)


def read_number(given: object) -> float | None:
    """A number, also one that was sent as text; true and false are none."""
    if isinstance(given, str) and _NUMBER.fullmatch(given):
        return float(given)
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    return float(given)


def short_text(value: str, place: str, longest: int) -> str:
    """The text, if it is not too long and can be stored."""
    if len(value) > longest:
        raise BadField(place, f"{place} has {len(value)} characters, {longest} at most")
    return _storable(value, place)


def checked(wanted: Wanted, place: str) -> Wanted:
    """Refuse a filter with too many terms before anything is asked."""
    in_field(place, lambda: wanted.filter)
    return wanted


def in_field(place: str, check: Callable[[], object]) -> None:
    """What a check of the core refuses is said of this field."""
    try:
        check()
    except InvalidInput as error:
        raise BadField(place, error.message) from None


def _own_metadata(filters: Fields, place: str) -> dict[str, Scalar] | None:
    given = filters.get("metadata")
    if given is None:
        return None
    wanted: dict[str, Scalar] = {}
    for name, value in read_object(given, place, f"{place} must be an object").items():
        if not isinstance(value, str | int | float):
            raise BadField(place, f"{place} must hold strings, numbers and booleans only")
        wanted[name] = value
    stored = {OWN_PREFIX + name: value for name, value in wanted.items()}
    in_field(place, lambda: check_metadata(stored))
    return wanted


def _storable(value: str, place: str) -> str:
    in_field(place, lambda: check_text(value, place))
    return value
