"""Filters on metadata that another tool wrote: what Chroma can surely tell, and never less.

Chroma may let more pass than the filter does, so what comes back is checked again.
"""

import math
from collections.abc import Iterator

from sourcebook.core.filters import AllOf, AnyOf, Compare, Filter, OneOf
from sourcebook.core.metadata import Scalar
from sourcebook.providers.vector_stores.chroma_client import Where
from sourcebook.providers.vector_stores.chroma_filters import Compiled, joined
from sourcebook.providers.vector_stores.field_mapping import CANONICAL, FieldMapping

# From here on doubles run together, and Chroma compares integers exactly.
_EXACT = 2**53


def compile_wide(filter_: Filter, mapping: FieldMapping) -> Compiled:
    """Conditions that every chunk meets that passes the filter; True if nothing is sure."""
    if isinstance(filter_, AllOf | AnyOf):
        parts = [compile_wide(part, mapping) for part in filter_.parts]
        return joined(parts, by_and=isinstance(filter_, AllOf))
    if not isinstance(filter_, OneOf | Compare):
        return True
    keys = _keys(filter_.field, mapping)
    if not keys:
        return True
    conditions = [condition for key in keys for condition in _conditions(filter_, key)]
    return joined(conditions, by_and=False)


def _keys(field: str, mapping: FieldMapping) -> list[str]:
    """Where the field can come from; nowhere that is sure if that differs between records."""
    places = {field}
    if field in CANONICAL:
        path: str | None = getattr(mapping, field)
        if path is None:
            return []
        places.add(path)
    # Chroma keeps these names for itself.
    return [] if any(not p or p.startswith(("$", "#", "chroma:")) for p in places) else [*places]


def _conditions(term: OneOf | Compare, key: str) -> Iterator[Compiled]:
    if isinstance(term, OneOf):
        for value in term.values:
            yield from _equalities(key, value)
    elif math.isnan(term.bound):
        yield False
    else:
        sure = abs(term.bound) < _EXACT
        condition: Where = {key: {f"${term.order}": float(term.bound)}}
        yield condition if sure else True


def _equalities(key: str, value: Scalar) -> Iterator[Compiled]:
    if isinstance(value, str | bool):
        yield {key: value}
        yield {key: {"$contains": value}}
    elif math.isnan(value):
        yield False
    elif abs(value) >= _EXACT:
        yield True
    else:
        yield {key: float(value)}
        # Unlike single numbers, those of a list equal only their own type.
        yield {key: {"$contains": float(value)}}
        if float(value).is_integer():
            yield {key: {"$contains": int(value)}}
