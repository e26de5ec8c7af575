"""Compiles a filter to SQL over the table of field values."""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

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

from sourcebook.core.filters import EVERYTHING, AllOf, Compare, Filter, Not, OneOf, Order
from sourcebook.core.metadata import Metadata, Scalar, scalars
from sourcebook.providers.storage.ledger import schema

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


def is_matching(filter_: Filter, collection_id: str, dialect: str) -> ColumnElement[bool]:
    """Return the condition on a row of `documents`: it is of the collection, and matches.

    The keys are found first and once, and nothing else is said about the row, whatever a planner
    thinks how few there are: Postgres has no statistics on a new collection, and would look all
    keys through for each of its documents.
    """
    if filter_ == EVERYTHING:
        return _DOCUMENT.collection_id == collection_id
    keys = _matching_keys(filter_, collection_id)
    if dialect == "postgresql":
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


def _matching_keys(filter_: Filter, collection_id: str) -> Select[tuple[int]]:
    """Select the keys of the documents that match."""
    every = select(_DOCUMENT.key).where(_DOCUMENT.collection_id == collection_id)
    if isinstance(filter_, OneOf | Compare):
        return select(_FIELD.document_key.label("key")).where(
            _FIELD.collection_id == collection_id,
            _FIELD.field == filter_.field,
            _condition(filter_),
        )
    if isinstance(filter_, Not):
        return _flat(except_(every, _matching_keys(filter_.inner, collection_id)))
    is_all = isinstance(filter_, AllOf)
    if not filter_.parts:
        return every if is_all else every.where(false())
    parts = [_matching_keys(part, collection_id) for part in filter_.parts]
    return _flat(intersect(*parts) if is_all else union(*parts))


def _flat(joined: CompoundSelect[tuple[int]]) -> Select[tuple[int]]:
    """SQLite joins only plain selects by set operations."""
    return select(joined.subquery().c.key)


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
