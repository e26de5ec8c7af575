"""Compiles a filter to SQL over the table of field values."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    CompoundSelect,
    ScalarSelect,
    Select,
    and_,
    any_,
    except_,
    false,
    func,
    intersect,
    or_,
    select,
    union,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from sourcebook.core.filters import AllOf, AnyOf, Compare, Filter, Not, OneOf, Order
from sourcebook.core.metadata import Metadata, Scalar, scalars
from sourcebook.providers.storage.ledger import schema

Keys: TypeAlias = Select[tuple[int]]

TEXT, NUMBER, BOOLEAN = "t", "n", "b"
MAX_LOOKUP_CHARS = 128

_DOCUMENT = schema.documents.c
_FIELD = schema.fields.c
_ORDERS: Mapping[Order, Callable[[Any, float], ColumnElement[bool]]] = {
    "gt": lambda column, bound: column > bound,
    "gte": lambda column, bound: column >= bound,
    "lt": lambda column, bound: column < bound,
    "lte": lambda column, bound: column <= bound,
}


def is_matching(
    connection: AsyncConnection, collection_id: str, filter_: Filter
) -> ColumnElement[bool]:
    """Return the condition on a row of `documents`: it is of the collection, and matches.

    The keys are found first and once, and nothing else is said about the row: Postgres has no
    statistics on a new collection, takes it for one document, and would look all keys through for
    each of them.
    """
    found = _find_keys(filter_, collection_id)
    if found.keys is None:
        return _DOCUMENT.collection_id == collection_id if found.all_but else false()
    keys = found.keys
    if found.all_but:
        every = select(_DOCUMENT.key).where(_DOCUMENT.collection_id == collection_id)
        keys = _joined(except_, [every, keys])
    if connection.dialect.name == "postgresql":
        return _DOCUMENT.key == any_(func.array(keys.scalar_subquery(), type_=ARRAY(BigInteger)))
    return _DOCUMENT.key.in_(keys)


def text_of_field(field: str) -> ScalarSelect[str]:
    """Select the text that a field of a document is; null if it is none.

    Without its collection, so that it can only be looked up by the document.
    """
    return (
        select(_FIELD.text)
        .where(_FIELD.document_key == _DOCUMENT.key, *_is_text(field))
        .correlate(schema.documents)
        .scalar_subquery()
    )


def text_fields(
    collection_id: str, field: str, value: str | None = None
) -> Select[tuple[int, str]]:
    """Select the documents in which a field is a text, or this text, and what it is."""
    of_field = select(_FIELD.document_key, _FIELD.text).where(
        _FIELD.collection_id == collection_id, *_is_text(field)
    )
    return of_field if value is None else of_field.where(_FIELD.lookup == _lookup(value))


def field_rows(metadata: Metadata) -> list[dict[str, object]]:
    """Return the rows that make a document's metadata visible to filters."""
    return [
        {"field": field, "in_list": in_list, **_columns(value)}
        for field, value, in_list in scalars(metadata)
    ]


@dataclass(frozen=True, slots=True)
class _Found:
    """The keys of the documents that match, or of those that do not; None for no keys."""

    keys: Keys | None
    all_but: bool = False


def _find_keys(filter_: Filter, collection_id: str) -> _Found:
    """All documents are never listed in between, however often a filter says `not` or nothing."""
    if isinstance(filter_, OneOf | Compare):
        of_field = select(_FIELD.document_key.label("key")).where(
            _FIELD.collection_id == collection_id,
            _FIELD.field == filter_.field,
            _condition(filter_),
        )
        return _Found(of_field)
    if isinstance(filter_, Not):
        inner = _find_keys(filter_.inner, collection_id)
        return _Found(inner.keys, all_but=not inner.all_but)
    if isinstance(filter_, AnyOf):
        return _find_keys(Not(AllOf(tuple(map(Not, filter_.parts)))), collection_id)
    return _in_all([_find_keys(part, collection_id) for part in filter_.parts])


def _in_all(parts: Sequence[_Found]) -> _Found:
    within = [part.keys for part in parts if not part.all_but]
    without = [part.keys for part in parts if part.all_but and part.keys is not None]
    found = [keys for keys in within if keys is not None]
    if len(found) < len(within):
        return _Found(None)
    if not found:
        return _Found(_joined(union, without) if without else None, all_but=True)
    kept = _joined(intersect, found)
    return _Found(_joined(except_, [kept, _joined(union, without)]) if without else kept)


def _joined(join: Callable[..., CompoundSelect[tuple[int]]], parts: Sequence[Keys]) -> Keys:
    """Join by a set operation, under a name: SQLite nests no such joins, and few selects."""
    return parts[0] if len(parts) == 1 else select(join(*parts).cte().c.key)


def _is_text(field: str) -> tuple[ColumnElement[bool], ...]:
    return _FIELD.field == field, _FIELD.kind == TEXT, _FIELD.in_list.is_(False)


def _columns(value: Scalar) -> dict[str, object]:
    number = None if isinstance(value, str | bool) else float(value)
    text = str(value)
    return {"kind": _kind(value), "text": text, "lookup": _lookup(text), "number": number}


def _kind(value: Scalar) -> str:
    if isinstance(value, bool):
        return BOOLEAN
    return TEXT if isinstance(value, str) else NUMBER


def _condition(term: OneOf | Compare) -> ColumnElement[bool]:
    if isinstance(term, OneOf):
        return or_(false(), *(_equals(value) for value in term.values))
    in_order = _ORDERS[term.order](_FIELD.number, float(term.bound))
    return and_(_FIELD.kind == NUMBER, _FIELD.in_list.is_(False), in_order)


def _equals(value: Scalar) -> ColumnElement[bool]:
    kind = _FIELD.kind == _kind(value)
    if isinstance(value, str | bool):
        return and_(kind, _FIELD.lookup == _lookup(str(value)))
    return and_(kind, _FIELD.number == float(value))


def _lookup(text: str) -> str:
    if len(text) <= MAX_LOOKUP_CHARS:
        return text
    # Longer than any short text's lookup, so the two never collide.
    return text[:MAX_LOOKUP_CHARS] + hashlib.sha256(text.encode()).hexdigest()
