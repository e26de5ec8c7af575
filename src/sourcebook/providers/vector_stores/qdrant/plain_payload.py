"""The payload of a point on a Qdrant server: the whole chunk, under plain names.

Anybody who looks at a point reads the chunk's text, links and metadata by their own names. What
only we need lies in one object, `_sourcebook`: the reference, the values that filters look at, and
what a lost ledger is restored from.

A field of a book has one kind (`core.indexes.BOOK_FIELDS`), so it is filtered by its plain name.
Any other field may hold anything; its values are also kept at typed keys (`filter`), as embedded
stores do. All metadata are also kept as JSON text (`metadata`), which no server rounds, and which
stays what it was when another tool adds, changes or removes a key beside ours.
"""

import json
from collections.abc import Iterator, Mapping
from itertools import chain

from pydantic import BaseModel, JsonValue, TypeAdapter

from sourcebook.core.documents import Chunk, Extent, Links, Span
from sourcebook.core.indexes import BOOK_FIELDS
from sourcebook.core.locations import location_json, read_locations
from sourcebook.core.metadata import Metadata
from sourcebook.core.vectors import DocumentRecord, Point, PointContent, PointRef, Vector
from sourcebook.core.writes import ChunkVersion
from sourcebook.providers.vector_stores.filter_compiler import EXACT_INTEGERS
from sourcebook.providers.vector_stores.payload import NUMBER, TEXT, payload_key, typed_fields

OURS = "_sourcebook"
FILTER = f"{OURS}.filter"
KEYS = f"{OURS}.keys"
REF_FIELDS = ("chunk_id", "document_id", "version", "digest")

# Ours win over metadata of the same name.
_CHUNK_FIELDS = frozenset(
    {"text", "chunk_id", "document_id", "prev_chunk_id", "next_chunk_id", "total_chunks"}
)
_KINDS = {field.name: field.kind for field in BOOK_FIELDS}
# Each further point of a chunk repeats its text only up to this length: a text of half a million
# characters has hundreds of vectors.
MAX_REPEATED_CHARS = 20_000
_MAX_INTEGER = 2**63 - 1


_METADATA: TypeAdapter[dict[str, JsonValue]] = TypeAdapter(dict[str, JsonValue])


class _Extent(BaseModel):
    spans: list[tuple[int, int]]
    lines: tuple[int, int]
    overlap: int
    span_lines: list[int] = []  # what earlier releases wrote has none
    locations: list[dict[str, JsonValue]] = []


class _Chunk(BaseModel):
    ordinal: int
    text_hash: str
    vector: int
    vectors: int
    total: int
    extent: _Extent | None


class _Document(BaseModel):
    metadata: str
    text_hash: str
    gaps: list[tuple[int, str]]
    created_at_s: float
    updated_at_s: float
    position: int


class _Restoring(BaseModel):
    """What a chunk and, at the first point of a document, the document are restored from."""

    chunk: _Chunk
    document: _Document | None = None


def plain_kind(field: str) -> str | None:
    """Return which kind of values is filtered at the field's own name; None if none is."""
    return _KINDS.get(field)


def whole_payload(point: Point) -> dict[str, object]:
    """Return all that is stored with a point."""
    content = point.content
    shown = {
        name: _of_kind(name, value) if name in _KINDS else value
        for name, value in point.metadata.items()
        if _can_stand(name, value)
    }
    ours: dict[str, object] = {
        **{name: getattr(point.ref, name) for name in REF_FIELDS},
        **_filter_section(point.metadata),
        "metadata": _as_text(point.metadata),
        **({} if content is None else _restoring_section(content)),
        **({"encoder": point.ref.terms, "vectors": point.vectors} if point.ref.terms else {}),
    }
    return {**shown, **({} if content is None else _chunk_fields(content)), OURS: ours}


def ref_in(point_id: str, payload: Mapping[str, object]) -> PointRef | None:
    """Read the reference; None if the point was not written in this form."""
    ours = payload.get(OURS)
    if not isinstance(ours, Mapping) or not all(ours.get(name) for name in REF_FIELDS):
        return None
    chunk_id, document_id, version, digest = (str(ours[name]) for name in REF_FIELDS)
    terms = str(ours.get("encoder", ""))
    return PointRef(point_id, chunk_id, document_id, version, digest, terms=terms)


def vectors_in(payload: Mapping[str, object]) -> object:
    """Read how many points the chunk of a point has."""
    ours = payload.get(OURS)
    return ours.get("vectors") if isinstance(ours, Mapping) else None


def point_in(ref: PointRef, payload: Mapping[str, object], dense: Vector) -> Point:
    """Read a whole point; without content if it has none, or if somebody has changed its form."""
    ours = payload.get(OURS)
    if not isinstance(ours, Mapping):
        return Point(ref, {}, dense)
    try:
        metadata = _METADATA.validate_json(str(ours.get("metadata")))
        content = _content_in(ref, payload, ours, metadata) if "chunk" in ours else None
    except ValueError:
        return Point(ref, {}, dense)
    return Point(ref, metadata, dense, content=content)


def _chunk_fields(content: PointContent) -> dict[str, object]:
    chunk = content.chunk.chunk
    fields: dict[str, object] = {
        "chunk_id": chunk.id,
        "document_id": chunk.document_id,
        "prev_chunk_id": chunk.links.previous,
        "next_chunk_id": chunk.links.next,
        "total_chunks": chunk.links.total,
    }
    if content.vector == 0 or len(chunk.text) <= MAX_REPEATED_CHARS:
        fields["text"] = chunk.text
    return fields


def _filter_section(metadata: Metadata) -> dict[str, object]:
    """Return the values at typed keys, and the names of all keys that filters may ask for."""
    plain = [name for name in _KINDS if _of_kind(name, metadata.get(name)) is not None]
    by_name = {payload_key(TEXT if _KINDS[name] == "text" else NUMBER, name) for name in plain}
    typed = {key: v for key, v in typed_fields(metadata).items() if key not in by_name}
    return {"filter": typed, "keys": [*plain, *typed]}


def _restoring_section(content: PointContent) -> dict[str, object]:
    version, extent, document = content.chunk, content.chunk.chunk.extent, content.document
    section = _Restoring(
        chunk=_Chunk(
            ordinal=version.chunk.ordinal,
            text_hash=version.text_hash,
            vector=content.vector,
            vectors=version.vectors,
            total=version.chunk.links.total,
            extent=None
            if extent is None
            else _Extent(
                spans=[(span.start, span.end) for span in extent.spans],
                lines=(extent.first_line, extent.last_line),
                overlap=extent.overlap,
                span_lines=[*extent.span_lines],
                locations=[location_json(place) for place in extent.locations],
            ),
        ),
        document=None
        if document is None
        else _Document(
            metadata=_as_text(document.metadata),
            text_hash=document.text_hash,
            gaps=[*document.gaps],
            created_at_s=document.created_at_s,
            updated_at_s=document.updated_at_s,
            position=document.position,
        ),
    )
    return section.model_dump(mode="json", exclude={"document"} if document is None else None)


def _content_in(
    ref: PointRef, payload: Mapping[str, object], ours: Mapping[str, object], metadata: Metadata
) -> PointContent:
    found = _Restoring.model_validate(ours)
    about, extent = found.chunk, found.chunk.extent
    chunk = Chunk(
        id=ref.chunk_id,
        document_id=ref.document_id,
        ordinal=about.ordinal,
        text=_text_at("text", payload) or "",
        metadata=metadata,
        extent=None
        if extent is None
        else Extent(
            tuple(Span(*span) for span in extent.spans),
            *extent.lines,
            extent.overlap,
            tuple(extent.span_lines),
            read_locations([*extent.locations]),
        ),
        links=Links(
            _text_at("prev_chunk_id", payload), _text_at("next_chunk_id", payload), about.total
        ),
    )
    version = ChunkVersion(chunk, ref.version, about.text_hash, about.vectors)
    return PointContent(version, about.vector, _document_in(found.document))


def _text_at(name: str, payload: Mapping[str, object]) -> str | None:
    """Read a text that others may have changed or removed."""
    found = payload.get(name)
    return found if isinstance(found, str) else None


def _document_in(found: _Document | None) -> DocumentRecord | None:
    if found is None:
        return None
    return DocumentRecord(
        metadata=_METADATA.validate_json(found.metadata),
        text_hash=found.text_hash,
        gaps=tuple(found.gaps),
        created_at_s=found.created_at_s,
        updated_at_s=found.updated_at_s,
        position=found.position,
    )


def _can_stand(name: str, value: JsonValue) -> bool:
    """Return whether metadata may have this value under their own name."""
    if name == OURS or name in _CHUNK_FIELDS:
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
    if _KINDS[name] == "number":
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


def _as_text(metadata: Metadata) -> str:
    return json.dumps(dict(metadata), ensure_ascii=False)
