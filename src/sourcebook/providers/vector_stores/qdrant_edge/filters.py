"""Compiles filters for the embedded Qdrant engine; they agree with `Filter.matches`."""

from collections.abc import Mapping, Sequence, Set

import qdrant_edge as engine

from sourcebook.core.filters import Filter
from sourcebook.providers.vector_stores import filter_compiler
from sourcebook.providers.vector_stores.filter_compiler import (
    Condition,
    Term,
    TextMatch,
    conditions,
)
from sourcebook.providers.vector_stores.payload import (
    FLAG,
    KEYS_KEY,
    LISTED_NUMBER,
    NUMBER,
    TEXT,
    Kind,
)

# The type of payload index that speeds up filters on each kind of value.
INDEX_TYPES: Mapping[Kind, engine.PayloadSchemaType] = {
    TEXT: engine.PayloadSchemaType.Keyword,
    FLAG: engine.PayloadSchemaType.Keyword,
    NUMBER: engine.PayloadSchemaType.Float,
    LISTED_NUMBER: engine.PayloadSchemaType.Float,
}


def compile_filter(filter_: Filter, absent: Set[str] = frozenset()) -> engine.Filter | bool:
    """Compile a filter.

    Conditions on `absent` keys, which no point has, are left out: unindexed, they cost a pass
    over all payloads only to match nothing.
    """
    return filter_compiler.compile_filter(filter_, _Payloads(absent))


def lists_key(key: str) -> engine.Filter:
    """Match the points that have a value at that payload key."""
    return engine.Filter(must=[engine.FieldCondition(KEYS_KEY, match=engine.MatchAny([key]))])


class _Payloads:
    def __init__(self, absent: Set[str]) -> None:
        self._absent = absent

    def term(self, term: Term, *, wanted: bool) -> engine.Filter | bool:
        found = [_written(one) for one in conditions(term) if one.key not in self._absent]
        if not found:
            return not wanted
        return engine.Filter(should=[*found]) if wanted else engine.Filter(must_not=[*found])

    def join(self, parts: Sequence[engine.Filter], *, by_and: bool) -> engine.Filter:
        return engine.Filter(must=[*parts]) if by_and else engine.Filter(should=[*parts])


def _written(condition: Condition) -> engine.FieldCondition:
    if isinstance(condition, TextMatch):
        return engine.FieldCondition(condition.key, match=engine.MatchAny([*condition.texts]))
    bounds = {str(order): bound for order, bound in condition.bounds.items()}
    return engine.FieldCondition(condition.key, range=engine.RangeFloat(**bounds))
