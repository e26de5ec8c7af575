"""Compiles filters for Chroma: exactly for our own records, widely for adopted ones.

Chroma takes one operator for each object, at least two parts for `$and` and `$or`, and no infinite
number. It has no `$not`, but each of its negations lets a record without the key pass.
"""

import math
import sys
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from sourcebook.core.filters import Compare, Filter, OneOf, Order
from sourcebook.core.metadata import JsonValue, Scalar
from sourcebook.providers.vector_stores import filter_compiler
from sourcebook.providers.vector_stores.chroma.client import Where
from sourcebook.providers.vector_stores.chroma.points import (
    TERMS_KEY,
    equality_term,
    number_key,
    number_term,
    ordinal,
)
from sourcebook.providers.vector_stores.field_mapping import CANONICAL, FieldMapping
from sourcebook.providers.vector_stores.filter_compiler import EXACT_INTEGERS, Term, joined

# True and False stand for filters that every record passes and that none does.
Compiled: TypeAlias = Where | bool

_OPPOSITE: dict[Order, Order] = {"gt": "lte", "gte": "lt", "lt": "gte", "lte": "gt"}


def compile_filter(filter_: Filter) -> Compiled:
    """Compile a filter that agrees with `Filter.matches` on records as `points` writes them."""
    return filter_compiler.compile_filter(filter_, _OwnRecords())


def compile_wide(filter_: Filter, mapping: FieldMapping) -> Compiled:
    """Compile a filter on the records of another tool that passes at least what `filter_` does.

    Whoever searches applies the filter again. What Chroma may read differently is left out.
    """
    return filter_compiler.compile_filter(filter_, _AdoptedRecords(mapping))


class _Junctions:
    def join(self, parts: Sequence[Where], *, by_and: bool) -> Where:
        listed: list[JsonValue] = [*parts]
        return {"$and" if by_and else "$or": listed}


class _OwnRecords(_Junctions):
    def term(self, term: Term, *, wanted: bool) -> Compiled:
        if isinstance(term, OneOf):
            return self._equality(term, wanted=wanted)
        return self._comparison(term, wanted=wanted)

    def _equality(self, term: OneOf, *, wanted: bool) -> Compiled:
        found = dict.fromkeys(equality_term(term.field, value) for value in term.values)
        parts = [_has(equal, wanted=wanted) for equal in found if equal is not None]
        return joined(parts, self, by_and=not wanted)

    def _comparison(self, term: Compare, *, wanted: bool) -> Compiled:
        bound = float(term.bound)
        is_number = _has(number_term(term.field), wanted=wanted)
        if math.isnan(bound):
            return not wanted
        if math.isinf(bound):
            # No stored number is infinite: each of them is on the right side, or none.
            return is_number if (bound > 0) == (term.order in {"lt", "lte"}) else not wanted
        order = term.order if wanted else _OPPOSITE[term.order]
        on_that_side: Where = {number_key(term.field): {f"${order}": ordinal(bound)}}
        return joined([is_number, on_that_side], self, by_and=wanted)


def _has(term: str, *, wanted: bool) -> Where:
    return {TERMS_KEY: {"$contains" if wanted else "$not_contains": term}}


class _AdoptedRecords(_Junctions):
    def __init__(self, mapping: FieldMapping) -> None:
        self._mapping = mapping

    def term(self, term: Term, *, wanted: bool) -> Compiled:
        # The complement of too many would be too few.
        keys = self._keys(term.field) if wanted else []
        if not keys:
            return True
        return joined([one for key in keys for one in _conditions(term, key)], self, by_and=False)

    def _keys(self, field: str) -> list[str]:
        """Return the keys that may hold the field; none if they differ between records."""
        keys = {field}
        if field in CANONICAL:
            path: str | None = getattr(self._mapping, field)
            if path is None:
                return []
            keys.add(path)
        # Chroma reserves these names.
        return [] if any(not k or k.startswith(("$", "#", "chroma:")) for k in keys) else [*keys]


def _conditions(term: Term, key: str) -> Iterator[Compiled]:
    if isinstance(term, OneOf):
        for value in term.values:
            yield from _equalities(key, value)
    elif math.isnan(term.bound):
        yield False
    elif not _is_exact(term.bound):
        yield True
    else:
        yield {key: {f"${term.order}": float(term.bound)}}


def _equalities(key: str, value: Scalar) -> Iterator[Compiled]:
    if isinstance(value, str | bool):
        yield {key: value}
        yield {key: {"$contains": value}}
    elif math.isnan(value):
        yield False
    elif not _is_exact(value):
        yield True
    else:
        yield {key: float(value)}
        # Unlike single numbers, those of a list equal only their own type.
        yield {key: {"$contains": float(value)}}
        if float(value).is_integer():
            yield {key: {"$contains": int(value)}}


def _is_exact(number: float) -> bool:
    # Chroma takes the smallest doubles for zero, and compares integers that are the same double.
    return number == 0 or sys.float_info.min <= abs(number) < EXACT_INTEGERS
