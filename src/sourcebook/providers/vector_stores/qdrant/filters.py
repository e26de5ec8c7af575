"""Compiles filters for a Qdrant server, widely: at least what passes the filter is found.

What Qdrant may read differently is left out, so that no point is lost to an index of another type,
to a server that refuses unindexed filters, or to a path that means something else there.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain

from qdrant_client import models

from sourcebook.core.filters import Compare, Filter, OneOf
from sourcebook.core.metadata import Scalar
from sourcebook.providers.vector_stores import filter_compiler
from sourcebook.providers.vector_stores.field_mapping import CANONICAL, FieldMapping
from sourcebook.providers.vector_stores.filter_compiler import EXACT_INTEGERS, Term, whole_bound
from sourcebook.providers.vector_stores.qdrant.plain_payload import (
    BOOL,
    FLOAT,
    INTEGER,
    INTEGER_FIELDS,
    KEYS,
    KEYWORD,
    RESERVED,
    hidden,
)

_NAME = r"[A-Za-z0-9_-]+"
_PATH = re.compile(rf"{_NAME}(\.{_NAME})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Fields:
    """By which fields a server can filter the points of a collection.

    `indexes` are the types of the payload indexes by path; fields without one can be used unless
    `only_indexed`. `mapping` is that of another tool's collection; None stands for one of ours.
    No point has one of the fields in `absent`.
    """

    indexes: Mapping[str, models.PayloadSchemaType]
    only_indexed: bool = False
    mapping: FieldMapping | None = None
    absent: Set[str] = frozenset()

    def paths(self, field: str, kind: models.PayloadSchemaType) -> Sequence[str]:
        """Return all paths that may hold the field, if each of them finds values of that kind."""
        path = self._path(field)
        if path is None or not _PATH.fullmatch(path):
            return ()
        # A name with a dot may be a path, or the field's own name.
        paths = [path, f'"{path}"'] if "." in path and not self.only_indexed else [path]
        return paths if all(self._finds(path, kind) for path in paths) else ()

    def holds_integers(self, field: str) -> bool:
        """Return whether all that is shown under the name are integers."""
        return self.mapping is None and field in INTEGER_FIELDS

    def _path(self, field: str) -> str | None:
        if self.mapping is None:
            return None if field in RESERVED else field
        path: str | None = getattr(self.mapping, field) if field in CANONICAL else field
        return None if path == self.mapping.text else path

    def _finds(self, path: str, kind: models.PayloadSchemaType) -> bool:
        indexed = self.indexes.get(path)
        if indexed is None:
            return not self.only_indexed
        # An index of integers does not know 1.0.
        return indexed == kind or (indexed == INTEGER and self.holds_integers(path))


def compile_filter(filter_: Filter, fields: Fields) -> models.Filter | bool:
    """Compile a filter on the points of a collection."""
    return filter_compiler.compile_filter(filter_, _Payloads(fields))


def can_be_indexed(field: str) -> bool:
    """Return whether the field of a point of ours has a path of its own."""
    return field not in RESERVED and _PATH.fullmatch(field) is not None and "." not in field


def kind_of(value: Scalar) -> models.PayloadSchemaType:
    """Return the type of a payload index that finds the value."""
    if isinstance(value, bool):
        return BOOL
    return KEYWORD if isinstance(value, str) else FLOAT


def lists(name: str) -> models.FieldCondition:
    """Match the points of ours whose keys have that name."""
    return models.FieldCondition(key=KEYS, match=models.MatchAny(any=[name]))


class _Payloads:
    def __init__(self, fields: Fields) -> None:
        self._fields = fields

    def join(self, parts: Sequence[models.Filter], *, by_and: bool) -> models.Filter:
        return models.Filter(must=[*parts]) if by_and else models.Filter(should=[*parts])

    def term(self, term: Term, *, wanted: bool) -> models.Filter | bool:
        if term.field in self._fields.absent:
            return not wanted
        if not wanted:
            return self._without(term)
        found = [*self._conditions(term)]
        if not all(found):
            return True
        if found and self._fields.mapping is None:
            found.append([lists(hidden(term.field))])
        return models.Filter(should=[*chain.from_iterable(found)]) if found else False

    def _without(self, term: Term) -> models.Filter | bool:
        # Unlike a filter, Qdrant compares the numbers of a list.
        if isinstance(term, Compare) and not self._fields.holds_integers(term.field):
            return True
        # At two paths, one hides what the other holds.
        found = [some[0] for some in self._conditions(term) if len(some) == 1]
        return models.Filter(must_not=[*found]) if found else True

    def _conditions(self, term: Term) -> Iterator[list[models.FieldCondition]]:
        """Write each value of a term, at all its paths; nothing where Qdrant may differ."""
        if isinstance(term, OneOf):
            for value in term.values:
                if isinstance(value, str) or not math.isnan(value):
                    yield self._equal(term.field, value)
        elif not math.isnan(term.bound):
            yield self._compared(term)

    def _equal(self, field: str, value: Scalar) -> list[models.FieldCondition]:
        if isinstance(value, bool):
            match: models.Match = models.MatchValue(value=value)
        elif isinstance(value, str):
            match = models.MatchAny(any=[value])
        elif self._fields.holds_integers(field) and not float(value).is_integer():
            return []
        else:
            return self._within(field, models.Range(gte=value, lte=value), value)
        paths = self._fields.paths(field, kind_of(value))
        return [models.FieldCondition(key=path, match=match) for path in paths]

    def _compared(self, term: Compare) -> list[models.FieldCondition]:
        order, bound = term.order, term.bound
        if math.isfinite(bound) and self._fields.holds_integers(term.field):
            order, bound = whole_bound(term)
        return self._within(term.field, models.Range(**{order: bound}), bound)

    def _within(
        self, field: str, range_: models.Range, bound: float
    ) -> list[models.FieldCondition]:
        if not abs(bound) < EXACT_INTEGERS:
            return []
        paths = self._fields.paths(field, FLOAT)
        return [models.FieldCondition(key=path, range=range_) for path in paths]
