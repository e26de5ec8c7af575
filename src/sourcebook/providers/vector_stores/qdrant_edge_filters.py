"""Filters as the embedded Qdrant engine evaluates them; they agree with `Filter.matches`."""

import math
from collections.abc import Iterable, Iterator, Set

import qdrant_edge as engine

from sourcebook.core.filters import EVERYTHING, AllOf, Compare, Filter, Not, OneOf, terms
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

_SCHEMAS = {
    TEXT: engine.PayloadSchemaType.Keyword,
    FLAG: engine.PayloadSchemaType.Keyword,
    NUMBER: engine.PayloadSchemaType.Float,
    LISTED_NUMBER: engine.PayloadSchemaType.Float,
}


def compile_filter(filter_: Filter, absent: Set[str] = frozenset()) -> engine.Filter | None:
    """The engine's form of a filter; None when every point passes.

    Conditions on `absent` keys, which no point has, are left out: unindexed, they cost a pass
    over all payloads only to match nothing.
    """
    return None if filter_ == EVERYTHING else _compile(filter_, absent)


def field_keys(fields: Iterable[IndexedField]) -> dict[str, engine.PayloadSchemaType]:
    """The payload keys of fields, with the type of index for each."""
    kinds = [(field.name, TEXT if field.kind == "text" else NUMBER) for field in fields]
    return {payload_key(kind, name): _SCHEMAS[kind] for name, kind in kinds}


def indexable_keys(filter_: Filter) -> dict[str, engine.PayloadSchemaType]:
    """The payload keys that a filter looks at, with the type of index that speeds each up."""
    return {
        payload_key(kind, term.field): _SCHEMAS[kind]
        for term in terms(filter_)
        for kind in _kinds(term)
    }


def _kinds(term: OneOf | Compare) -> set[Kind]:
    if isinstance(term, Compare):
        return {NUMBER}
    return {kind_of(value, listed=listed) for value in term.values for listed in (False, True)}


def _compile(filter_: Filter, absent: Set[str]) -> engine.Filter:
    if isinstance(filter_, OneOf):
        return _any([c for c in _equalities(filter_) if c.key not in absent])
    if isinstance(filter_, Compare):
        return _any([c for c in _comparison(filter_) if c.key not in absent])
    if isinstance(filter_, Not):
        return engine.Filter(must_not=[_compile(filter_.inner, absent)])
    if isinstance(filter_, AllOf):
        return engine.Filter(must=[_compile(part, absent) for part in filter_.parts])
    return _any([_compile(part, absent) for part in filter_.parts])


def _any(conditions: list[engine.FieldCondition] | list[engine.Filter]) -> engine.Filter:
    # An empty `should` would let every point pass; nothing has one of no ids.
    if not conditions:
        return engine.Filter(must=[engine.HasIdCondition(set())])
    return engine.Filter(should=[*conditions])


def _equalities(term: OneOf) -> Iterator[engine.FieldCondition]:
    for kind in (TEXT, FLAG):
        words = [str(stored(v)) for v in term.values if kind_of(v, listed=False) == kind]
        if words:
            key = payload_key(kind, term.field)
            yield engine.FieldCondition(key, match=engine.MatchAny(words))
    for number in filter(_is_number, term.values):
        exactly = float(stored(number))
        for kind in (NUMBER, LISTED_NUMBER):
            key = payload_key(kind, term.field)
            yield engine.FieldCondition(key, range=engine.RangeFloat(gte=exactly, lte=exactly))


def _comparison(term: Compare) -> Iterator[engine.FieldCondition]:
    # The engine ignores a bound that is not a number and would let every number pass.
    if _is_number(term.bound):
        bound = float(stored(term.bound))
        key = payload_key(NUMBER, term.field)
        yield engine.FieldCondition(key, range=engine.RangeFloat(**{term.order: bound}))


def _is_number(value: Scalar) -> bool:
    return not isinstance(value, str | bool) and not math.isnan(value)
