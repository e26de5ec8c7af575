"""Filters on other people's payloads: as much of them as Qdrant is sure to read as we do.

What is compiled lets every point pass that the filter does, and maybe more: whoever asks applies
the filter again. The rest is left out, so that no point is lost to an index of another type, to
a server that refuses unindexed filters, or to a path that means something else there.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from qdrant_client import models

from sourcebook.core.filters import EVERYTHING, AllOf, Compare, Filter, Not, OneOf
from sourcebook.core.metadata import Scalar
from sourcebook.providers.vector_stores.field_mapping import CANONICAL, FieldMapping
from sourcebook.providers.vector_stores.qdrant_server_filters import any_of

_PLAIN = r"[A-Za-z0-9_-]+"
_PATH = re.compile(rf"{_PLAIN}(\.{_PLAIN})?", re.ASCII)
# Beyond it, integers and doubles are not the same numbers.
_EXACT = 2**53


@dataclass(frozen=True, slots=True)
class Readable:
    """Where the fields are, which of them are indexed and how, and whether the others may be asked.

    `indexes` are the types of the payload indexes by path.
    """

    mapping: FieldMapping
    indexes: Mapping[str, models.PayloadSchemaType]
    only_indexed: bool = False

    def paths(self, field: str, kind: models.PayloadSchemaType) -> Sequence[str]:
        """All paths that may hold the field, if values of that kind are found at each of them."""
        path: str | None = getattr(self.mapping, field) if field in CANONICAL else field
        if path is None or path == self.mapping.text or not _PATH.fullmatch(path):
            return ()
        # A name with a dot may be a path, or the field's own name.
        paths = [path, f'"{path}"'] if "." in path and not self.only_indexed else [path]
        return paths if all(self._is_found(path, kind) for path in paths) else ()

    def _is_found(self, path: str, kind: models.PayloadSchemaType) -> bool:
        indexed = self.indexes.get(path)
        return not self.only_indexed if indexed is None else indexed == kind


def compile_wide(filter_: Filter, readable: Readable) -> models.Filter | None:
    """A filter of Qdrant's that passes at least what `filter_` does; None if only all would do."""
    if filter_ == EVERYTHING or isinstance(filter_, Not):
        return None
    if isinstance(filter_, OneOf):
        wide = [_equal(filter_.field, value, readable) for value in filter_.values]
    elif isinstance(filter_, Compare):
        wide = [_compared(filter_, readable)]
    else:
        wide = [compile_wide(part, readable) for part in filter_.parts]
    certain = [part for part in wide if part is not None]
    if isinstance(filter_, AllOf):
        return models.Filter(must=[*certain]) if certain else None
    return any_of(certain) if len(certain) == len(wide) else None


def _equal(field: str, value: Scalar, readable: Readable) -> models.Filter | None:
    if isinstance(value, bool):
        paths = readable.paths(field, models.PayloadSchemaType.BOOL)
        match: models.Match = models.MatchValue(value=value)
    elif isinstance(value, str):
        paths = readable.paths(field, models.PayloadSchemaType.KEYWORD)
        match = models.MatchAny(any=[value])
    else:
        return _within(field, models.Range(gte=value, lte=value), value, readable)
    return any_of([models.FieldCondition(key=p, match=match) for p in paths]) if paths else None


def _compared(term: Compare, readable: Readable) -> models.Filter | None:
    return _within(term.field, models.Range(**{term.order: term.bound}), term.bound, readable)


def _within(
    field: str, range_: models.Range, bound: float, readable: Readable
) -> models.Filter | None:
    if not math.isfinite(bound) or abs(bound) >= _EXACT:
        return None
    paths = readable.paths(field, models.PayloadSchemaType.FLOAT)
    return any_of([models.FieldCondition(key=p, range=range_) for p in paths]) if paths else None
