"""Converts points to and from Chroma's records, so that filters stay exact.

Chroma keeps the keys that a replaced record had, compares no number with the elements of a list,
and takes lists of one type only. So all that a filter could want to equal is one list of terms,
which a write replaces as a whole; only numbers to compare have keys of their own, and count as
long as their field is among the terms. They are kept as integers in the order of the doubles:
Chroma passes floats on as text, which can end at the next double.
"""

import hashlib
import json
import math
import struct
from collections.abc import Sequence

from sourcebook.core.metadata import JsonValue, Scalar, scalars
from sourcebook.core.vectors import Point, PointRef
from sourcebook.providers.vector_stores.chroma.client import ChromaBatch, ChromaRecord
from sourcebook.providers.vector_stores.payload import NUMBER, REF_KEYS, payload_key, point_ref
from sourcebook.providers.vector_stores.unit_vectors import check_sparse, unit_vector

TERMS_KEY = "_terms"
# Chroma takes no empty list, so every point has this term.
ANY_POINT = "*"
# Longer ones are told by their hash, so that a long text does not become a long index entry.
MAX_TERM_LENGTH = 256

_DOUBLE = struct.Struct("<d")
_INTEGER = struct.Struct("<q")
_MAGNITUDE = 2**63 - 1


def batch_of(points: Sequence[Point], dimensions: int) -> ChromaBatch:
    """Convert points, the last of each id; EmbeddingFailed if a vector would poison the index."""
    for point in points:
        if point.sparse is not None:
            check_sparse(point.sparse)
    records = {
        point.ref.id: (unit_vector(point.dense, dimensions), _fields(point)) for point in points
    }
    vectors, fields = [v for v, _ in records.values()], [f for _, f in records.values()]
    return ChromaBatch([*records], vectors, fields)


def ref_of(record: ChromaRecord) -> PointRef:
    """Read the reference that a point was written with."""
    return point_ref(record.id, record.metadata)


def equality_term(field: str, value: Scalar) -> str | None:
    """Return the term of a point whose field equals, or lists, the value.

    None if no point can. JSON keeps the types apart.
    """
    if isinstance(value, str | bool):
        return _short(json.dumps([field, value], ensure_ascii=False))
    # As doubles, like filters compare; adding zero turns -0.0 into 0.0.
    number = float(value) + 0.0
    return (
        _short(json.dumps([field, number], ensure_ascii=False)) if math.isfinite(number) else None
    )


def number_term(field: str) -> str:
    """Return the term of a point whose field is a number, and so can be compared."""
    return _short(json.dumps([field], ensure_ascii=False))


def number_key(field: str) -> str:
    """Return the key that holds the field's number, as its ordinal."""
    return payload_key(NUMBER, field)


def ordinal(number: float) -> int:
    """Map a double to a 64-bit integer so that integers are ordered as their doubles."""
    bits: int = _INTEGER.unpack(_DOUBLE.pack(number + 0.0))[0]
    # The bits of doubles are their sign and their magnitude.
    return bits if bits >= 0 else -(bits & _MAGNITUDE)


def _fields(point: Point) -> dict[str, JsonValue]:
    ref = point.ref
    refs = (ref.chunk_id, ref.document_id, ref.version, ref.digest)
    fields: dict[str, JsonValue] = dict(zip(REF_KEYS, refs, strict=True))
    terms = {ANY_POINT: None}
    for field, value, listed in scalars(point.metadata):
        term = equality_term(field, value)
        if term is not None:
            terms[term] = None
        if not listed and not isinstance(value, str | bool):
            terms[number_term(field)] = None
            fields[number_key(field)] = ordinal(float(value))
    fields[TERMS_KEY] = [*terms]
    return fields


def _short(term: str) -> str:
    if len(term) <= MAX_TERM_LENGTH:
        return term
    return f"#{hashlib.sha256(term.encode()).hexdigest()}"
