"""Filters as a Qdrant server evaluates them; they agree with `Filter.matches`."""

from collections.abc import Sequence, Set

from qdrant_client import models

from sourcebook.core.filters import EVERYTHING, AllOf, Compare, Filter, Not, OneOf
from sourcebook.providers.vector_stores.payload import KEYS_KEY
from sourcebook.providers.vector_stores.payload_conditions import Condition, Words, conditions


def compile_filter(filter_: Filter, absent: Set[str] = frozenset()) -> models.Filter | None:
    """The server's form of a filter; None when every point passes.

    Conditions on `absent` keys, which no point has, are left out: a server in strict mode refuses
    them when they are not indexed, and others look at all payloads only to find nothing.
    """
    return None if filter_ == EVERYTHING else _compile(filter_, absent)


def lists_key(key: str) -> models.Filter:
    """The points that have something at that payload key."""
    listed = models.FieldCondition(key=KEYS_KEY, match=models.MatchAny(any=[key]))
    return models.Filter(must=[listed])


def passes_nobody(filter_: Filter, absent: Set[str]) -> bool:
    """Tell whether the filter asks for keys that no point has, so that nobody need be asked."""
    if isinstance(filter_, OneOf | Compare):
        return all(condition.key in absent for condition in conditions(filter_))
    if isinstance(filter_, Not):
        return False
    hopeless = [passes_nobody(part, absent) for part in filter_.parts]
    return any(hopeless) if isinstance(filter_, AllOf) else all(hopeless)


def _compile(filter_: Filter, absent: Set[str]) -> models.Filter:
    if isinstance(filter_, OneOf | Compare):
        return any_of([_written(c) for c in conditions(filter_) if c.key not in absent])
    if isinstance(filter_, Not):
        return models.Filter(must_not=[_compile(filter_.inner, absent)])
    parts = [_compile(part, absent) for part in filter_.parts]
    return models.Filter(must=[*parts]) if isinstance(filter_, AllOf) else any_of(parts)


def any_of(parts: Sequence[models.FieldCondition] | Sequence[models.Filter]) -> models.Filter:
    """Points that meet one of the conditions."""
    # An empty `should` would let every point pass; nothing has one of no ids.
    if not parts:
        return models.Filter(must=[models.HasIdCondition(has_id=[])])
    return models.Filter(should=[*parts])


def _written(condition: Condition) -> models.FieldCondition:
    if isinstance(condition, Words):
        match = models.MatchAny(any=[*condition.words])
        return models.FieldCondition(key=condition.key, match=match)
    bounds = {str(order): bound for order, bound in condition.bounds.items()}
    return models.FieldCondition(key=condition.key, range=models.Range(**bounds))
