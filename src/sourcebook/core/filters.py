"""The one filter language: surfaces parse into it, stores compile from it.

`matches` is the meaning; every store must agree with it:

- a field that is missing, null or an object matches nothing; `Not` is the exact complement;
- numbers compare as doubles, so 1 and 1.0 are equal; booleans equal only booleans;
- a list matches `OneOf` if one of its elements does, and is never greater or smaller.
"""

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sourcebook.core.errors import InvalidInput
from sourcebook.core.metadata import JsonValue, Metadata, Scalar

MAX_FILTER_DEPTH = 5
MAX_FILTER_TERMS = 50

Order: TypeAlias = Literal["gt", "gte", "lt", "lte"]

_ORDERS: Mapping[Order, Callable[[float, float], bool]] = {
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
}


@dataclass(frozen=True, slots=True)
class OneOf:
    """The field equals one of the values, or is a list that holds one of them."""

    field: str
    values: tuple[Scalar, ...]

    def matches(self, metadata: Metadata) -> bool:
        value = metadata.get(self.field)
        candidates = value if isinstance(value, list) else [value]
        return any(_equal(candidate, wanted) for candidate in candidates for wanted in self.values)


@dataclass(frozen=True, slots=True)
class Compare:
    """The field is a number on the right side of a bound."""

    field: str
    order: Order
    bound: float

    def matches(self, metadata: Metadata) -> bool:
        value = metadata.get(self.field)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return _ORDERS[self.order](float(value), float(self.bound))


@dataclass(frozen=True, slots=True)
class Not:
    """The inner filter does not match."""

    inner: "Filter"

    def matches(self, metadata: Metadata) -> bool:
        return not self.inner.matches(metadata)


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every part matches; with no parts, everything does."""

    parts: "tuple[Filter, ...]"

    def matches(self, metadata: Metadata) -> bool:
        return all(part.matches(metadata) for part in self.parts)


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one part matches; with no parts, nothing does."""

    parts: "tuple[Filter, ...]"

    def matches(self, metadata: Metadata) -> bool:
        return any(part.matches(metadata) for part in self.parts)


Filter: TypeAlias = OneOf | Compare | Not | AllOf | AnyOf

EVERYTHING: Filter = AllOf(())


def all_of(parts: Iterable[Filter]) -> Filter:
    """Join filters by AND, without wrapping a single one."""
    kept = tuple(part for part in parts if part != EVERYTHING)
    return kept[0] if len(kept) == 1 else AllOf(kept)


def terms(filter_: Filter) -> Iterator[OneOf | Compare]:
    """All conditions on fields, wherever they stand."""
    if isinstance(filter_, Not):
        yield from terms(filter_.inner)
    elif isinstance(filter_, AllOf | AnyOf):
        for part in filter_.parts:
            yield from terms(part)
    else:
        yield filter_


def check_filter(filter_: Filter) -> Filter:
    """Refuse filters that are too deep or too long to evaluate cheaply."""
    depth = _depth(filter_)
    if depth > MAX_FILTER_DEPTH:
        raise InvalidInput(f"The filter is nested {depth} levels deep; {MAX_FILTER_DEPTH} at most")
    count = sum(len(t.values) if isinstance(t, OneOf) else 1 for t in terms(filter_))
    if count > MAX_FILTER_TERMS:
        raise InvalidInput(f"The filter has {count} terms; {MAX_FILTER_TERMS} at most")
    return filter_


def _depth(filter_: Filter) -> int:
    if isinstance(filter_, Not):
        return _depth(filter_.inner)
    if isinstance(filter_, AllOf | AnyOf):
        return 1 + max((_depth(part) for part in filter_.parts), default=0)
    return 0


def _equal(value: JsonValue, wanted: Scalar) -> bool:
    if isinstance(wanted, bool) or isinstance(value, bool):
        return value is wanted
    if isinstance(wanted, str):
        return value == wanted
    return isinstance(value, int | float) and float(value) == float(wanted)
