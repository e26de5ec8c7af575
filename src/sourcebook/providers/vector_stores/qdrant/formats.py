"""The two forms of points on a Qdrant server: plain names, and typed keys as written before.

An index has one form for its whole life, so that no filter has to ask for both. `sourcebook
rebuild` fills a new index, which has plain names.
"""

import math
from collections.abc import Container, Iterator, Mapping
from typing import ClassVar, Protocol, TypeAlias

from qdrant_client import models

from sourcebook.core.filters import Order
from sourcebook.core.vectors import IndexedField, Point, PointRef, foreign_ref
from sourcebook.providers.vector_stores import filter_compiler
from sourcebook.providers.vector_stores.filter_compiler import (
    EXACT_INTEGERS,
    Condition,
    NumberRange,
    Term,
    TextMatch,
)
from sourcebook.providers.vector_stores.payload import (
    KEYS_KEY,
    LISTED_NUMBER,
    NUMBER,
    REF_KEYS,
    TEXT,
    payload,
    payload_key,
    point_ref,
)
from sourcebook.providers.vector_stores.qdrant.plain_payload import (
    FILTER,
    KEYS,
    OURS,
    REF_FIELDS,
    plain_kind,
    ref_in,
    whole_payload,
)

Schema: TypeAlias = models.PayloadSchemaType | models.KeywordIndexParams

KEYWORD, FLOAT = models.PayloadSchemaType.KEYWORD, models.PayloadSchemaType.FLOAT
INTEGER = models.PayloadSchemaType.INTEGER
TENANT_FIELD = "book_id"
# One book's points lie together on the server's disk, and its graph links them among themselves.
TENANT = models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True)
# What a reply must hold for `reference` to read it, in either form.
REF_SELECTION = (*(f"{OURS}.{name}" for name in (*REF_FIELDS, "encoder", "vectors")), *REF_KEYS)


class PointFormat(Protocol):
    """How points are written, and where filters find their fields."""

    # The key that lists the keys of a point, and the key of its document.
    keys_at: ClassVar[str]
    document_at: ClassVar[str]

    def payload(self, point: Point) -> Mapping[str, object]:
        """Return what is stored with a point."""
        ...

    def conditions(self, term: Term) -> list[Condition]:
        """Return conditions of which a point must meet one to pass; without any, none passes."""
        ...

    def key(self, field: IndexedField) -> str:
        """Return the key that holds the values of the field's kind."""
        ...

    def listed_as(self, key: str) -> str:
        """Return the name under which a point lists a key."""
        ...

    def schema(self, key: str) -> Schema:
        """Return the type of the payload index of a key."""
        ...


class PlainNames:
    """Fields of a book at their own names, all others at typed keys in our object."""

    keys_at: ClassVar[str] = KEYS
    document_at: ClassVar[str] = "document_id"

    def payload(self, point: Point) -> Mapping[str, object]:
        return whole_payload(point)

    def conditions(self, term: Term) -> list[Condition]:
        found = filter_compiler.conditions(term)
        return [placed for one in found for placed in _placed(one, term.field)]

    def key(self, field: IndexedField) -> str:
        if plain_kind(field.name) == field.kind:
            return field.name
        return f"{FILTER}.{payload_key(TEXT if field.kind == 'text' else NUMBER, field.name)}"

    def listed_as(self, key: str) -> str:
        return key.removeprefix(f"{FILTER}.")

    def schema(self, key: str) -> Schema:
        if key.startswith(f"{FILTER}."):
            return _typed_schema(self.listed_as(key))
        if key == TENANT_FIELD:
            return TENANT
        return INTEGER if plain_kind(key) == "number" else KEYWORD


class TypedKeys:
    """Every field at one key for each kind of value. No longer written to new indexes."""

    keys_at: ClassVar[str] = KEYS_KEY
    document_at: ClassVar[str] = "_document_id"

    def payload(self, point: Point) -> Mapping[str, object]:
        return payload(point.ref, point.metadata)

    def conditions(self, term: Term) -> list[Condition]:
        return filter_compiler.conditions(term)

    def key(self, field: IndexedField) -> str:
        return payload_key(TEXT if field.kind == "text" else NUMBER, field.name)

    def listed_as(self, key: str) -> str:
        return key

    def schema(self, key: str) -> Schema:
        return TENANT if key == payload_key(TEXT, TENANT_FIELD) else _typed_schema(key)


def format_by_indexes(indexed: Container[str]) -> PointFormat | None:
    """Tell the form of an index by its payload indexes; None if these do not say."""
    if KEYS in indexed:
        return PlainNames()
    return TypedKeys() if KEYS_KEY in indexed else None


def format_by_point(payload: Mapping[str, object] | None) -> PointFormat:
    """Tell the form of an index by one of its points; an empty one takes plain names."""
    return PlainNames() if payload is None or not _is_typed(payload) else TypedKeys()


def reference(point_id: str, payload: Mapping[str, object]) -> PointRef:
    """Read the reference of a point of either form, or of one that another tool wrote."""
    if (found := ref_in(point_id, payload)) is not None:
        return found
    if _is_typed(payload):
        return point_ref(point_id, payload, outdated=True)
    return foreign_ref(point_id)


def _is_typed(payload: Mapping[str, object]) -> bool:
    return all(key in payload for key in REF_KEYS)


def _placed(condition: Condition, field: str) -> Iterator[Condition]:
    """Move a condition on a typed key to where the plain form has such values."""
    by_name = plain_kind(field)
    if isinstance(condition, TextMatch):
        is_text = condition.key == payload_key(TEXT, field)
        key = field if is_text and by_name == "text" else f"{FILTER}.{condition.key}"
        yield TextMatch(key, condition.texts)
        return
    yield NumberRange(f"{FILTER}.{condition.key}", condition.bounds)
    if by_name == "number" and condition.key == payload_key(NUMBER, field):
        within = _among_integers(condition)
        if within is not None:
            yield NumberRange(field, within)


def _among_integers(condition: NumberRange) -> Mapping[Order, float] | None:
    """Return bounds that the same integers meet; None if none does.

    An index of integers cuts the fraction off a bound, which would pass others.
    """
    bounds = condition.bounds
    low, high = -EXACT_INTEGERS, EXACT_INTEGERS
    for order, bound in bounds.items():
        if order in {"gt", "gte"}:
            low = max(low, math.ceil(bound) if order == "gte" else math.floor(bound) + 1)
        else:
            high = min(high, math.floor(bound) if order == "lte" else math.ceil(bound) - 1)
    if low > high:
        return None
    sides: dict[Order, float] = {}
    if low > -EXACT_INTEGERS:
        sides["gte"] = float(low)
    if high < EXACT_INTEGERS or not sides:
        sides["lte"] = float(high)
    return sides


def _typed_schema(key: str) -> Schema:
    return FLOAT if key[0] in {NUMBER, LISTED_NUMBER} else KEYWORD
