"""Columns: what filters look at, one array for each metadata field that a filter named.

What a filter says of a value is asked once for each different value, not for each chunk.
"""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from functools import reduce
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sourcebook.core.filters import EVERYTHING, AllOf, AnyOf, Compare, Filter, Not, OneOf
from sourcebook.core.metadata import JsonValue, Metadata, Scalar
from sourcebook.providers.vector_stores.mirror.postings import Mask

_Term: TypeAlias = OneOf | Compare
_MISSING = 0
_ORDERS = {"gt": np.greater, "gte": np.greater_equal, "lt": np.less, "lte": np.less_equal}


class Column:
    """One field of all chunks: a code for each chunk, and the value that each code stands for."""

    def __init__(self) -> None:
        self.codes: NDArray[np.int32] = np.zeros(0, np.int32)
        self._code_of: dict[str, int] = {"null": _MISSING}
        self._numbers: list[float] = [math.nan]
        self._codes_with: defaultdict[tuple[type, Scalar], list[int]] = defaultdict(list)

    def extend(self, values: Iterable[JsonValue]) -> None:
        """Add the values of further chunks; None where the field is missing."""
        codes = [self._code(value) for value in values]
        self.codes = np.concatenate([self.codes, np.array(codes, np.int32)])

    def kept(self, keep: Mask) -> "Column":
        """Of the chunks to keep alone."""
        column = copy(self)
        column.codes = self.codes[keep]
        return column

    def mask(self, term: _Term) -> Mask:
        """Which chunks a condition on this field matches."""
        # First: a code that somebody adds meanwhile is in the table, or not among these.
        codes = self.codes
        table = np.zeros(len(self._numbers), np.bool_)
        if isinstance(term, OneOf):
            for wanted in term.values:
                table[self._codes_with.get(_key(wanted), [])] = True
        else:
            table = _ORDERS[term.order](np.array(self._numbers), float(term.bound))
        found: Mask = table[codes]
        return found

    def _code(self, value: JsonValue) -> int:
        # Their JSON tells 1 from true, which Python does not.
        written = json.dumps(value)
        code = self._code_of.get(written)
        if code is None:
            code = self._code_of[written] = len(self._numbers)
            self._numbers.append(_number(value))
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, str | int | float):
                    self._codes_with[_key(one)].append(code)
        return code


class Columns:
    """The columns of a mirror, by field. A field gets its column when a filter first names it."""

    def __init__(self) -> None:
        self._by_field: dict[str, Column] = {}

    @property
    def fields(self) -> frozenset[str]:
        """The fields that have a column."""
        return frozenset(self._by_field)

    def add(self, columns: Mapping[str, Column]) -> None:
        """Take columns into use."""
        self._by_field = {**self._by_field, **columns}

    def extend(self, metadata: Iterable[Metadata]) -> None:
        """Add further chunks to every column."""
        rows = list(metadata) if self._by_field else []
        for field, column in self._by_field.items():
            column.extend(row.get(field) for row in rows)

    def kept(self, keep: Mask) -> "Columns":
        """Of the chunks to keep alone."""
        columns = Columns()
        columns.add({field: column.kept(keep) for field, column in self._by_field.items()})
        return columns

    def mask(self, filter_: Filter, size: int) -> Mask | None:
        """Which of the first `size` chunks a filter matches; None if all."""
        return None if filter_ == EVERYTHING else self._mask(filter_, size)

    def _mask(self, filter_: Filter, size: int) -> Mask:
        if isinstance(filter_, Not):
            return ~self._mask(filter_.inner, size)
        if isinstance(filter_, AllOf):
            return reduce(np.logical_and, self._parts(filter_.parts, size), np.ones(size, np.bool_))
        if isinstance(filter_, AnyOf):
            return reduce(np.logical_or, self._parts(filter_.parts, size), np.zeros(size, np.bool_))
        return self._by_field[filter_.field].mask(filter_)[:size]

    def _parts(self, parts: Iterable[Filter], size: int) -> Iterator[Mask]:
        return (self._mask(part, size) for part in parts)


def _number(value: JsonValue) -> float:
    """Return the value as a double; no number is greater or smaller than what is none."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return math.nan


def _key(value: Scalar) -> tuple[type, Scalar]:
    """Numbers are equal as doubles; booleans and texts only to their own kind."""
    if isinstance(value, bool | str):
        return type(value), value
    return float, float(value)
