"""Compiles filters for every engine; the Qdrant engines also share how a term becomes conditions.

An engine supplies a `Dialect`: how it writes one term, and how it joins parts. True and False
stand for filters that every point passes and that none does; they never reach an engine.
"""

import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, TypeVar

from sourcebook.core.filters import AllOf, Compare, Filter, Not, OneOf, Order, terms
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

F = TypeVar("F")
Term: TypeAlias = OneOf | Compare

# Beyond it, integers and doubles are not the same numbers.
EXACT_INTEGERS = 2**53
_MAX_DOUBLE = sys.float_info.max


class Dialect(Protocol[F]):
    """How one engine writes the parts of a filter."""

    def term(self, term: Term, *, wanted: bool) -> F | bool:
        """Write a condition on a field or, if it is not `wanted`, its exact complement."""
        ...

    def join(self, parts: Sequence[F], *, by_and: bool) -> F:
        """Join two or more parts."""
        ...


def compile_filter(filter_: Filter, dialect: Dialect[F], *, wanted: bool = True) -> F | bool:
    """Compile a filter, with negations pushed down to its terms."""
    if isinstance(filter_, OneOf | Compare):
        return dialect.term(filter_, wanted=wanted)
    if isinstance(filter_, Not):
        return compile_filter(filter_.inner, dialect, wanted=not wanted)
    parts = []
    for part in filter_.parts:
        # A list comprehension would let mypy infer another dialect.
        compiled = compile_filter(part, dialect, wanted=wanted)
        parts.append(compiled)
    return joined(parts, dialect, by_and=isinstance(filter_, AllOf) == wanted)


def joined(parts: Sequence[F | bool], dialect: Dialect[F], *, by_and: bool) -> F | bool:
    """Join parts that may be True or False."""
    # In a conjunction False decides and True says nothing; in a disjunction the other way round.
    if any(part is not by_and for part in parts if isinstance(part, bool)):
        return not by_and
    kept = [part for part in parts if not isinstance(part, bool)]
    if not kept:
        return by_and
    return kept[0] if len(kept) == 1 else dialect.join(kept, by_and=by_and)


@dataclass(frozen=True, slots=True)
class TextMatch:
    """The key holds one of these texts."""

    key: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NumberRange:
    """The key holds a number within all bounds; each of them is finite."""

    key: str
    bounds: Mapping[Order, float]


Condition: TypeAlias = TextMatch | NumberRange


def conditions(term: Term) -> list[Condition]:
    """Return conditions of which a point must meet one to pass; without any, no point passes."""
    return [*(_equalities(term) if isinstance(term, OneOf) else _comparison(term))]


def keys_of(filter_: Filter) -> dict[str, Kind]:
    """Return the payload keys that a filter looks at, and the kind of value at each."""
    return {payload_key(kind, term.field): kind for term in terms(filter_) for kind in _kinds(term)}


def field_keys(fields: Iterable[IndexedField]) -> dict[str, Kind]:
    """Return the payload keys of fields that are to be indexed from the start."""
    kinds = [(field.name, TEXT if field.kind == "text" else NUMBER) for field in fields]
    return {payload_key(kind, name): kind for name, kind in kinds}


def _kinds(term: Term) -> set[Kind]:
    if isinstance(term, Compare):
        return {NUMBER}
    return {kind_of(value, listed=listed) for value in term.values for listed in (False, True)}


def _equalities(term: OneOf) -> Iterator[Condition]:
    for kind in (TEXT, FLAG):
        texts = [str(stored(v)) for v in term.values if kind_of(v, listed=False) == kind]
        if texts:
            yield TextMatch(payload_key(kind, term.field), tuple(texts))
    for number in filter(_is_number, term.values):
        exactly = float(stored(number))
        # No stored number is infinite, and JSON could not ask for one.
        if math.isfinite(exactly):
            for kind in (NUMBER, LISTED_NUMBER):
                yield NumberRange(payload_key(kind, term.field), {"gte": exactly, "lte": exactly})


def _comparison(term: Compare) -> Iterator[Condition]:
    if not _is_number(term.bound):
        return
    key, order, bound = payload_key(NUMBER, term.field), term.order, float(stored(term.bound))
    if math.isfinite(bound):
        yield NumberRange(key, {order: bound})
    elif (bound > 0) == (order in {"lt", "lte"}):
        # Below infinity, or above minus infinity: any number.
        yield NumberRange(key, {"gte": -_MAX_DOUBLE, "lte": _MAX_DOUBLE})


def _is_number(value: Scalar) -> bool:
    return not isinstance(value, str | bool) and not math.isnan(value)
