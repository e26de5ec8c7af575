"""Compiles filters for Chroma, widely: at least what passes the filter is found.

Chroma takes one operator for each object, at least two parts for `$and` and `$or`, and no infinite
number. It has no `$not`, but each of its negations lets a record without the key pass.
"""

import hashlib
import json
import math
import struct
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from sourcebook.core.filters import Compare, Filter, OneOf
from sourcebook.core.metadata import JsonValue, Metadata, Scalar, scalars
from sourcebook.providers.vector_stores import filter_compiler
from sourcebook.providers.vector_stores.field_mapping import CANONICAL, FieldMapping
from sourcebook.providers.vector_stores.filter_compiler import (
    EXACT_INTEGERS,
    Term,
    joined,
    whole_bound,
)

Where: TypeAlias = dict[str, JsonValue]
# True and False stand for filters that every record passes and that none does.
Compiled: TypeAlias = Where | bool

TERMS_KEY = "_terms"
NUMBER_PREFIX = "n:"
# Chroma takes no empty list, so every point has this term.
ANY_POINT = "*"
# Longer ones are told by their hash, so that a long text does not become a long index entry.
MAX_TERM_LENGTH = 256

_DOUBLE = struct.Struct("<d")
_INTEGER = struct.Struct("<q")
_MAGNITUDE = 2**63 - 1


def filter_fields(metadata: Metadata) -> dict[str, JsonValue]:
    """Return what filters look at in a point of ours.

    Chroma keeps the keys that a replaced record had, and takes lists of one type only. So all that
    a filter could want to equal is one list of terms, which a write replaces as a whole. A number
    that a point no longer has only lets it pass.
    """
    fields: dict[str, JsonValue] = {}
    terms = {ANY_POINT: None}
    for field, value, listed in scalars(metadata):
        terms[_term(field, value)] = None
        if not listed and not isinstance(value, str | bool):
            fields[NUMBER_PREFIX + field] = _ordinal(float(value))
    return {**fields, TERMS_KEY: [*terms]}


def compile_filter(filter_: Filter) -> Compiled:
    """Compile a filter on points of ours."""
    return filter_compiler.compile_filter(filter_, _OwnRecords())


def compile_adopted(filter_: Filter, mapping: FieldMapping) -> Compiled:
    """Compile a filter on the records of another tool."""
    return filter_compiler.compile_filter(filter_, _AdoptedRecords(mapping))


class _Junctions:
    def join(self, parts: Sequence[Where], *, by_and: bool) -> Where:
        listed: list[JsonValue] = [*parts]
        return {"$and" if by_and else "$or": listed}


class _OwnRecords(_Junctions):
    def term(self, term: Term, *, wanted: bool) -> Compiled:
        if isinstance(term, OneOf):
            has = "$contains" if wanted else "$not_contains"
            found = dict.fromkeys(_term(term.field, value) for value in term.values)
            parts: list[Compiled] = [{TERMS_KEY: {has: one}} for one in found]
            return joined(parts, self, by_and=not wanted)
        if math.isnan(term.bound):
            return not wanted
        # The complement of a comparison passes what is no number, too.
        if not wanted or math.isinf(term.bound):
            return True
        return {NUMBER_PREFIX + term.field: {f"${term.order}": _ordinal(term.bound)}}


def _term(field: str, value: Scalar) -> str:
    # JSON keeps the types apart. As doubles, like filters compare; adding zero turns -0.0 into 0.0.
    same = value if isinstance(value, str | bool) else float(value) + 0.0
    term = json.dumps([field, same], ensure_ascii=False)
    if len(term) <= MAX_TERM_LENGTH:
        return term
    return f"#{hashlib.sha256(term.encode()).hexdigest()}"


def _ordinal(number: float) -> int:
    """Map a double to an integer of the same order: Chroma passes floats on as rounded text."""
    bits: int = _INTEGER.unpack(_DOUBLE.pack(float(number) + 0.0))[0]
    # The bits of doubles are their sign and their magnitude.
    return bits if bits >= 0 else -(bits & _MAGNITUDE)


class _AdoptedRecords(_Junctions):
    def __init__(self, mapping: FieldMapping) -> None:
        self._mapping = mapping

    def term(self, term: Term, *, wanted: bool) -> Compiled:
        keys = self._keys(term.field)
        if not wanted:
            return self._none_of(term, keys) if isinstance(term, OneOf) else True
        if not keys:
            return True
        return joined([one for key in keys for one in _conditions(term, key)], self, by_and=False)

    def _none_of(self, term: OneOf, keys: Sequence[str]) -> Compiled:
        # With two keys, one hides what the other holds.
        if len(keys) != 1:
            return True
        parts: list[Compiled] = [
            {keys[0]: {"$ne": value}} for value in term.values if _is_exact(value)
        ]
        return joined(parts, self, by_and=True)

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
    if isinstance(term, Compare):
        yield _comparison(term, key)
        return
    for value in term.values:
        if not _is_exact(value):
            yield not (isinstance(value, float) and math.isnan(value))
            continue
        yield {key: value}
        # Unlike single numbers, those of a list equal only their own type.
        same = {value} if isinstance(value, str | bool) else (int(value), float(value))
        for one in same:
            yield {key: {"$contains": one}}


def _comparison(term: Compare, key: str) -> Compiled:
    if math.isnan(term.bound):
        return False
    if not abs(term.bound) < EXACT_INTEGERS:
        return True
    order, bound = whole_bound(term)
    return {key: {f"${order}": bound}}


def _is_exact(value: Scalar) -> bool:
    """Tell whether Chroma compares the value as filters do: not fractions, nor large integers."""
    if isinstance(value, str | bool):
        return True
    return abs(value) < EXACT_INTEGERS and float(value).is_integer()
