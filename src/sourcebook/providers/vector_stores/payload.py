"""Writes references and metadata into the payload of a point, so that filters stay exact.

Every field has one key for each kind of value. An engine indexes a key as one type; a field that
holds a number here and a string there would otherwise lose one of its two indexes. Numbers in
lists have a key of their own, because a comparison must never look at them.
"""

import re
from collections.abc import Mapping
from typing import Literal, TypeAlias

from sourcebook.core.metadata import Metadata, Scalar, scalars
from sourcebook.core.point_ids import point_ids
from sourcebook.core.vectors import PointRef

Kind: TypeAlias = Literal["s", "b", "n", "m"]
TEXT: Kind = "s"
FLAG: Kind = "b"
NUMBER: Kind = "n"
LISTED_NUMBER: Kind = "m"

# Our own keys start with an underscore and those of metadata with the letter of their kind.
REF_KEYS = ("_chunk_id", "_document_id", "_version", "_digest")
# Lists the metadata keys of the point, so that a key that no point has is known at once.
KEYS_KEY = "_keys"
# The revision of the encoder of the chunk's terms, and how many points the chunk has.
ENCODER_KEY = "_encoder"
VECTORS_KEY = "_vectors"

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")

Stored: TypeAlias = str | float
Payload: TypeAlias = dict[str, Stored | list[Stored]]


def payload_key(kind: Kind, field: str) -> str:
    """Return the key of a field; names that a path expression could misread are written in hex."""
    name = field if _PLAIN.fullmatch(field) else "_x" + field.encode().hex()
    return f"{kind}_{name}"


def payload(ref: PointRef, metadata: Metadata, vectors: int = 1) -> Payload:
    """Return all that a search gives back, and all that a filter can look at."""
    fields = typed_fields(metadata)
    fields[KEYS_KEY] = list(fields)
    refs = (ref.chunk_id, ref.document_id, ref.version, ref.digest)
    fields |= dict(zip(REF_KEYS, refs, strict=True))
    if ref.terms:
        fields |= {ENCODER_KEY: ref.terms, VECTORS_KEY: vectors}
    return fields


def typed_fields(metadata: Metadata) -> Payload:
    """Return all that a filter can look at, each value at the key of its field and kind."""
    fields: Payload = {}
    for field, value, listed in scalars(metadata):
        key = payload_key(kind_of(value, listed=listed), field)
        if not listed:
            fields[key] = stored(value)
            continue
        elements = fields.setdefault(key, [])
        if isinstance(elements, list):
            elements.append(stored(value))
    return fields


def point_ref(point_id: str, fields: Mapping[str, object], *, outdated: bool = False) -> PointRef:
    """Read the reference that `payload` wrote."""
    chunk_id, document_id, version, digest = (str(fields[key]) for key in REF_KEYS)
    terms = str(fields.get(ENCODER_KEY, ""))
    return PointRef(point_id, chunk_id, document_id, version, digest, outdated, terms)


def sibling_ids(ref: PointRef, vectors: object) -> list[str]:
    """Return the ids of all points of a chunk, whose number is stored with its points."""
    return point_ids(ref.chunk_id, ref.version, vectors if isinstance(vectors, int) else 1)


def kind_of(value: Scalar, *, listed: bool) -> Kind:
    """Return which of a field's keys a value belongs to."""
    if isinstance(value, str):
        return TEXT
    if isinstance(value, bool):
        return FLAG
    return LISTED_NUMBER if listed else NUMBER


def stored(value: Scalar) -> Stored:
    """Convert a value to the form that the engine stores.

    Booleans become words, because the engine's Python binding reads a wanted `True` as 1.
    Numbers become doubles, as filters compare them; adding zero turns -0.0 into 0.0.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return float(value) + 0.0
