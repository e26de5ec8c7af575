"""Compiles filters for a Qdrant server: exactly for our own payloads, widely for adopted ones."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from qdrant_client import models

from sourcebook.core.filters import Filter, OneOf
from sourcebook.core.metadata import Scalar
from sourcebook.providers.vector_stores import filter_compiler
from sourcebook.providers.vector_stores.field_mapping import CANONICAL, FieldMapping
from sourcebook.providers.vector_stores.filter_compiler import (
    EXACT_INTEGERS,
    Condition,
    Term,
    TextMatch,
)
from sourcebook.providers.vector_stores.qdrant.formats import PlainNames, PointFormat

_PLAIN = r"[A-Za-z0-9_-]+"
_PATH = re.compile(rf"{_PLAIN}(\.{_PLAIN})?", re.ASCII)


def compile_filter(
    filter_: Filter, absent: Set[str] = frozenset(), format_: PointFormat | None = None
) -> models.Filter | bool:
    """Compile a filter that agrees with `Filter.matches`.

    Conditions on `absent` keys, which no point has, are left out: a server in strict mode refuses
    them when they are not indexed, and others look at all payloads only to find nothing.
    """
    return filter_compiler.compile_filter(filter_, _OwnPayloads(absent, format_ or PlainNames()))


def compile_wide(filter_: Filter, readable: "ReadableFields") -> models.Filter | bool:
    """Compile a filter on the payloads of another tool that passes at least what `filter_` does.

    Whoever searches applies the filter again. What Qdrant may read differently is left out, so
    that no point is lost to an index of another type, to a server that refuses unindexed filters,
    or to a path that means something else there.
    """
    return filter_compiler.compile_filter(filter_, _AdoptedPayloads(readable))


def lists_key(key: str, format_: PointFormat) -> models.Filter:
    """Match the points that have a value at that payload key."""
    named = models.MatchAny(any=[format_.listed_as(key)])
    return models.Filter(must=[models.FieldCondition(key=format_.keys_at, match=named)])


class _Junctions:
    def join(self, parts: Sequence[models.Filter], *, by_and: bool) -> models.Filter:
        return models.Filter(must=[*parts]) if by_and else models.Filter(should=[*parts])


class _OwnPayloads(_Junctions):
    def __init__(self, absent: Set[str], format_: PointFormat) -> None:
        self._absent = absent
        self._format = format_

    def term(self, term: Term, *, wanted: bool) -> models.Filter | bool:
        conditions = self._format.conditions(term)
        found = [_written(one) for one in conditions if one.key not in self._absent]
        if not found:
            return not wanted
        return models.Filter(should=[*found]) if wanted else models.Filter(must_not=[*found])


def _written(condition: Condition) -> models.FieldCondition:
    if isinstance(condition, TextMatch):
        match = models.MatchAny(any=[*condition.texts])
        return models.FieldCondition(key=condition.key, match=match)
    bounds = {str(order): bound for order, bound in condition.bounds.items()}
    return models.FieldCondition(key=condition.key, range=models.Range(**bounds))


@dataclass(frozen=True, slots=True)
class ReadableFields:
    """The fields of an adopted collection by which its server can filter.

    `indexes` are the types of the payload indexes by path; fields without one can be used unless
    `only_indexed`.
    """

    mapping: FieldMapping
    indexes: Mapping[str, models.PayloadSchemaType]
    only_indexed: bool = False

    def paths(self, field: str, kind: models.PayloadSchemaType) -> Sequence[str]:
        """Return all paths that may hold the field, if each of them finds values of that kind."""
        path: str | None = getattr(self.mapping, field) if field in CANONICAL else field
        if path is None or path == self.mapping.text or not _PATH.fullmatch(path):
            return ()
        # A name with a dot may be a path, or the field's own name.
        paths = [path, f'"{path}"'] if "." in path and not self.only_indexed else [path]
        return paths if all(self._finds(path, kind) for path in paths) else ()

    def _finds(self, path: str, kind: models.PayloadSchemaType) -> bool:
        indexed = self.indexes.get(path)
        return not self.only_indexed if indexed is None else indexed == kind


class _AdoptedPayloads(_Junctions):
    def __init__(self, readable: ReadableFields) -> None:
        self._readable = readable

    def term(self, term: Term, *, wanted: bool) -> models.Filter | bool:
        # The complement of too many would be too few.
        if not wanted:
            return True
        found = [*self._conditions(term)]
        if not all(found):
            return True
        return models.Filter(should=[one for some in found for one in some]) if found else False

    def _conditions(self, term: Term) -> Iterator[list[models.FieldCondition]]:
        """Write each value of a term, at all its paths; nothing where Qdrant may differ."""
        if isinstance(term, OneOf):
            for value in term.values:
                yield self._equal(term.field, value)
        else:
            range_ = models.Range(**{term.order: term.bound})
            yield self._within(term.field, range_, term.bound)

    def _equal(self, field: str, value: Scalar) -> list[models.FieldCondition]:
        if isinstance(value, bool):
            paths = self._readable.paths(field, models.PayloadSchemaType.BOOL)
            match: models.Match = models.MatchValue(value=value)
        elif isinstance(value, str):
            paths = self._readable.paths(field, models.PayloadSchemaType.KEYWORD)
            match = models.MatchAny(any=[value])
        else:
            return self._within(field, models.Range(gte=value, lte=value), value)
        return [models.FieldCondition(key=path, match=match) for path in paths]

    def _within(
        self, field: str, range_: models.Range, bound: float
    ) -> list[models.FieldCondition]:
        if not math.isfinite(bound) or abs(bound) >= EXACT_INTEGERS:
            return []
        paths = self._readable.paths(field, models.PayloadSchemaType.FLOAT)
        return [models.FieldCondition(key=path, range=range_) for path in paths]
