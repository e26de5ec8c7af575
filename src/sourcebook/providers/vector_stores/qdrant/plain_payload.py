"""The payload of a point on a Qdrant server: the whole chunk, under plain names.

Anybody who looks at a point reads the chunk's text, links and metadata by their own names. What
only we need lies in one object, `_sourcebook`: the reference, and the names of the metadata fields.

A field of a book shows values of one kind only (`core.indexes.BOOK_FIELDS`), for its payload index.
A field whose value cannot be shown as it is is listed once more as hidden, and every filter on it
lets the point pass.
"""

from collections.abc import Iterator, Mapping
from itertools import chain

from pydantic import JsonValue
from qdrant_client import models

from sourcebook.core.indexes import BOOK_FIELDS
from sourcebook.core.metadata import Metadata, scalars
from sourcebook.core.vectors import IndexedField, Point, PointRef, foreign_ref
from sourcebook.providers.vector_stores.filter_compiler import EXACT_INTEGERS

BOOL, KEYWORD = models.PayloadSchemaType.BOOL, models.PayloadSchemaType.KEYWORD
FLOAT, INTEGER = models.PayloadSchemaType.FLOAT, models.PayloadSchemaType.INTEGER
TENANT_FIELD = "book_id"
# One book's points lie together on the server's disk, and its graph links them among themselves.
TENANT = models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True)

OURS = "_sourcebook"
KEYS = f"{OURS}.keys"
REF_FIELDS = ("chunk_id", "document_id", "version", "digest")
# What a reply must hold for `reference` and `vectors_in` to read it.
REF_SELECTION = tuple(f"{OURS}.{name}" for name in (*REF_FIELDS, "encoder", "vectors"))

# Ours win over metadata of the same name.
_CHUNK_FIELDS = {
    *("text", "chunk_id", "document_id", "prev_chunk_id", "next_chunk_id", "total_chunks"),
}
RESERVED = frozenset({OURS, *_CHUNK_FIELDS})
_KINDS = {field.name: field.kind for field in BOOK_FIELDS}
INTEGER_FIELDS = frozenset(name for name, kind in _KINDS.items() if kind == "number")
# Each further point of a chunk repeats its text only up to this length: a text of half a million
# characters has hundreds of vectors.
MAX_REPEATED_CHARS = 20_000
_MAX_INTEGER = 2**63 - 1


def schema_of(field: IndexedField) -> models.PayloadSchemaType | models.KeywordIndexParams:
    """Return the type of the payload index of a field that is indexed from the start."""
    if field.name == TENANT_FIELD:
        return TENANT
    if field.kind == "text":
        return KEYWORD
    return INTEGER if field.name in INTEGER_FIELDS else FLOAT


def hidden(field: str) -> str:
    """Return the name under which the keys of a point list a field that it cannot show."""
    return f"?{field}"


def whole_payload(point: Point) -> dict[str, object]:
    """Return all that is stored with a point."""
    shown = {
        name: _of_kind(name, value) if name in _KINDS else value
        for name, value in point.metadata.items()
        if _can_stand(name, value)
    }
    ours: dict[str, object] = {
        **{name: getattr(point.ref, name) for name in REF_FIELDS},
        "keys": _keys(point.metadata, shown),
        **({"encoder": point.ref.terms, "vectors": point.vectors} if point.ref.terms else {}),
    }
    return {**shown, **_chunk_fields(point), OURS: ours}


def reference(point_id: str, payload: Mapping[str, object]) -> PointRef:
    """Read the reference of a point of ours, or of one that another tool wrote."""
    ours = payload.get(OURS)
    if not isinstance(ours, Mapping) or not all(ours.get(name) for name in REF_FIELDS):
        return foreign_ref(point_id)
    chunk_id, document_id, version, digest = (str(ours[name]) for name in REF_FIELDS)
    terms = str(ours.get("encoder", ""))
    return PointRef(point_id, chunk_id, document_id, version, digest, terms=terms)


def vectors_in(payload: Mapping[str, object]) -> object:
    """Read how many points the chunk of a point has."""
    ours = payload.get(OURS)
    return ours.get("vectors") if isinstance(ours, Mapping) else None


def _chunk_fields(point: Point) -> dict[str, object]:
    chunk = point.chunk
    if chunk is None:
        return {}
    fields: dict[str, object] = {
        "chunk_id": chunk.id,
        "document_id": chunk.document_id,
        "prev_chunk_id": chunk.links.previous,
        "next_chunk_id": chunk.links.next,
        "total_chunks": chunk.links.total,
    }
    if not point.ref.ordinal or len(chunk.text) <= MAX_REPEATED_CHARS:
        fields["text"] = chunk.text
    return fields


def _keys(metadata: Metadata, shown: Metadata) -> list[str]:
    """Return the names of the fields that a filter may find, and which of them are hidden."""
    names = dict.fromkeys(field for field, _, _ in scalars(metadata))
    return [*names, *(hidden(name) for name in names if shown.get(name) != metadata[name])]


def _can_stand(name: str, value: JsonValue) -> bool:
    """Return whether metadata may have this value under their own name."""
    if name in RESERVED:
        return False
    if name in _KINDS:
        return value is None or _of_kind(name, value) is not None
    # gRPC could not send a larger one.
    return all(isinstance(n, float) or abs(n) <= _MAX_INTEGER for n in _numbers(value))


def _of_kind(name: str, value: JsonValue) -> JsonValue:
    """Return what a field of a book shows of a value; None if nothing.

    Under these names there is only the field's own kind, so that filters on them stay exact: of a
    mixed list, only the texts.
    """
    if name in INTEGER_FIELDS:
        if isinstance(value, bool) or not isinstance(value, int):
            return None
        return value if abs(value) < EXACT_INTEGERS else None
    if isinstance(value, list):
        return [element for element in value if isinstance(element, str)] or None
    return value if isinstance(value, str) else None


def _numbers(value: JsonValue) -> Iterator[int | float]:
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, list):
        yield from chain.from_iterable(map(_numbers, value))
    elif isinstance(value, dict):
        yield from chain.from_iterable(map(_numbers, value.values()))
