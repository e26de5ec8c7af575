"""Filters as the embedded Qdrant engine evaluates them; they agree with `Filter.matches`."""

from collections.abc import Iterable, Set

import qdrant_edge as engine

from sourcebook.core.filters import EVERYTHING, AllOf, Compare, Filter, Not, OneOf
from sourcebook.core.vectors import IndexedField
from sourcebook.providers.vector_stores import payload_conditions
from sourcebook.providers.vector_stores.payload import FLAG, LISTED_NUMBER, NUMBER, TEXT
from sourcebook.providers.vector_stores.payload_conditions import Condition, Words, conditions

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
    return {key: _SCHEMAS[kind] for key, kind in payload_conditions.field_keys(fields).items()}


def indexable_keys(filter_: Filter) -> dict[str, engine.PayloadSchemaType]:
    """The payload keys that a filter looks at, with the type of index that speeds each up."""
    return {key: _SCHEMAS[kind] for key, kind in payload_conditions.keys_of(filter_).items()}


def _compile(filter_: Filter, absent: Set[str]) -> engine.Filter:
    if isinstance(filter_, OneOf | Compare):
        return _any([_written(c) for c in conditions(filter_) if c.key not in absent])
    if isinstance(filter_, Not):
        return engine.Filter(must_not=[_compile(filter_.inner, absent)])
    if isinstance(filter_, AllOf):
        return engine.Filter(must=[_compile(part, absent) for part in filter_.parts])
    return _any([_compile(part, absent) for part in filter_.parts])


def _any(parts: list[engine.FieldCondition] | list[engine.Filter]) -> engine.Filter:
    # An empty `should` would let every point pass; nothing has one of no ids.
    if not parts:
        return engine.Filter(must=[engine.HasIdCondition(set())])
    return engine.Filter(should=[*parts])


def _written(condition: Condition) -> engine.FieldCondition:
    if isinstance(condition, Words):
        return engine.FieldCondition(condition.key, match=engine.MatchAny([*condition.words]))
    bounds = {str(order): bound for order, bound in condition.bounds.items()}
    return engine.FieldCondition(condition.key, range=engine.RangeFloat(**bounds))
