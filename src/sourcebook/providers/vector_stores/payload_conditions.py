"""Filters as conditions on the keys of a payload; each engine writes them in its own words."""

import math
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sourcebook.core.filters import Compare, Filter, OneOf, Order, terms
from sourcebook.core.metadata import Scalar
from sourcebook.core.vectors import IndexedField
from sourcebook.providers.vector_stores.payload import (
    FLAG,
    LISTED_NUMBER,
    NUMBER,
    TEXT,
    Kind,
    kind_of,
    payload_key,
    stored,
)

_LARGEST = sys.float_info.max


@dataclass(frozen=True, slots=True)
class Words:
    """The key holds one of these words."""

    key: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bounds:
    """The key holds a number on the right side of all bounds; each of them is finite."""

    key: str
    bounds: Mapping[Order, float]


Condition: TypeAlias = Words | Bounds


def conditions(term: OneOf | Compare) -> list[Condition]:
    """A point passes the term if it meets one of these; none of them, and no point passes."""
    return [*(_equalities(term) if isinstance(term, OneOf) else _comparison(term))]


def keys_of(filter_: Filter) -> dict[str, Kind]:
    """The payload keys that a filter looks at, and the kind of value at each."""
    return {payload_key(kind, term.field): kind for term in terms(filter_) for kind in _kinds(term)}


def field_keys(fields: Iterable[IndexedField]) -> dict[str, Kind]:
    """The payload keys of fields that are to be indexed from the start."""
    kinds = [(field.name, TEXT if field.kind == "text" else NUMBER) for field in fields]
    return {payload_key(kind, name): kind for name, kind in kinds}


def _kinds(term: OneOf | Compare) -> set[Kind]:
    if isinstance(term, Compare):
        return {NUMBER}
    return {kind_of(value, listed=listed) for value in term.values for listed in (False, True)}


def _equalities(term: OneOf) -> Iterator[Condition]:
    for kind in (TEXT, FLAG):
        words = [str(stored(v)) for v in term.values if kind_of(v, listed=False) == kind]
        if words:
            yield Words(payload_key(kind, term.field), tuple(words))
    for number in filter(_is_number, term.values):
        exactly = float(stored(number))
        # No stored number is infinite, and JSON could not ask for one.
        if math.isfinite(exactly):
            for kind in (NUMBER, LISTED_NUMBER):
                yield Bounds(payload_key(kind, term.field), {"gte": exactly, "lte": exactly})


def _comparison(term: Compare) -> Iterator[Condition]:
    if not _is_number(term.bound):
        return
    key, order, bound = payload_key(NUMBER, term.field), term.order, float(stored(term.bound))
    if math.isfinite(bound):
        yield Bounds(key, {order: bound})
    elif (bound > 0) == (order in {"lt", "lte"}):
        # Below infinity, or above minus infinity: any number.
        yield Bounds(key, {"gte": -_LARGEST, "lte": _LARGEST})


def _is_number(value: Scalar) -> bool:
    return not isinstance(value, str | bool) and not math.isnan(value)
