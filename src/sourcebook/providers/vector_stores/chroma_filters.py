"""Filters in Chroma's words; they agree with `Filter.matches` on points as `chroma_points` writes.

Chroma takes one operator for each object, at least two parts for `$and` and `$or`, and no infinite
number. It has no `$not`, but each of its negations lets a record without the key pass.
"""

import math
from collections.abc import Sequence
from typing import TypeAlias

from sourcebook.core.filters import AllOf, Compare, Filter, Not, OneOf, Order
from sourcebook.core.metadata import JsonValue
from sourcebook.providers.vector_stores.chroma_client import Where
from sourcebook.providers.vector_stores.chroma_points import (
    TERMS_KEY,
    equality_term,
    number_key,
    number_term,
    ordinal,
)

# True and False stand for what lets every point pass, and none.
Compiled: TypeAlias = Where | bool

_OPPOSITE: dict[Order, Order] = {"gt": "lte", "gte": "lt", "lt": "gte", "lte": "gt"}


def compile_filter(filter_: Filter) -> Compiled:
    """The filter as Chroma evaluates it."""
    return _compile(filter_, wanted=True)


def _compile(filter_: Filter, *, wanted: bool) -> Compiled:
    if isinstance(filter_, OneOf):
        return _equality(filter_, wanted=wanted)
    if isinstance(filter_, Compare):
        return _comparison(filter_, wanted=wanted)
    if isinstance(filter_, Not):
        return _compile(filter_.inner, wanted=not wanted)
    parts = [_compile(part, wanted=wanted) for part in filter_.parts]
    return joined(parts, by_and=isinstance(filter_, AllOf) == wanted)


def _equality(term: OneOf, *, wanted: bool) -> Compiled:
    found = dict.fromkeys(equality_term(term.field, value) for value in term.values)
    parts = [_has(equal, wanted=wanted) for equal in found if equal is not None]
    return joined(parts, by_and=not wanted)


def _comparison(term: Compare, *, wanted: bool) -> Compiled:
    bound = float(term.bound)
    is_number = _has(number_term(term.field), wanted=wanted)
    if math.isnan(bound):
        return not wanted
    if math.isinf(bound):
        # No stored number is infinite: each of them is on the right side, or none.
        return is_number if (bound > 0) == (term.order in {"lt", "lte"}) else not wanted
    order = term.order if wanted else _OPPOSITE[term.order]
    on_that_side: Where = {number_key(term.field): {f"${order}": ordinal(bound)}}
    return joined([is_number, on_that_side], by_and=wanted)


def _has(term: str, *, wanted: bool) -> Where:
    return {TERMS_KEY: {"$contains" if wanted else "$not_contains": term}}


def joined(parts: Sequence[Compiled], *, by_and: bool) -> Compiled:
    """Conditions as one, in the form that Chroma takes."""
    # In a conjunction False decides and True says nothing; in a disjunction the other way round.
    if any(part is not by_and for part in parts if isinstance(part, bool)):
        return not by_and
    kept: list[JsonValue] = [part for part in parts if not isinstance(part, bool)]
    if not kept:
        return by_and
    if len(kept) == 1 and isinstance(kept[0], dict):
        return kept[0]
    return {"$and" if by_and else "$or": kept}
