"""Field mappings: where another tool put the text, the source and the titles of its chunks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sourcebook.core.documents import Chunk
from sourcebook.core.metadata import JsonValue, Metadata
from sourcebook.core.text import is_blank

# Every adopted collection can be filtered by these names.
CANONICAL = ("source_url", "page_title", "section_heading")

# The first of these that a payload has is taken where a mapping says nothing.
_COMMON: Mapping[str, tuple[str, ...]] = {
    "text": ("chunk_text", "text", "content", "page_content", "document", "chunk", "body"),
    "source_url": (
        *("source_url", "url", "source", "link"),
        *("metadata.source_url", "metadata.url", "metadata.source"),
    ),
    "page_title": ("page_title", "title", "metadata.page_title", "metadata.title"),
    "section_heading": (
        *("section_heading", "heading", "section"),
        *("metadata.section_heading", "metadata.heading", "metadata.section"),
    ),
    "document": ("document_id", "doc_id", "metadata.document_id", "metadata.doc_id"),
}


@dataclass(frozen=True, slots=True)
class FieldMapping:
    """Where the fields are, as names or dotted paths: `chunk_text`, `metadata.source`.

    What is None is looked for under its common names. `vector` names one of several vectors.
    Whatever else a payload has under one of our names is hidden by what the mapping points to.
    """

    text: str | None = None
    source_url: str | None = None
    page_title: str | None = None
    section_heading: str | None = None
    document: str | None = None
    vector: str | None = None


def settled(mapping: FieldMapping, payloads: Sequence[Metadata]) -> FieldMapping:
    """Fill what the mapping leaves open with the common names that these payloads use most."""
    found = {
        field: _most_used(common, payloads)
        for field, common in _COMMON.items()
        if getattr(mapping, field) is None
    }
    return replace(mapping, **found)


def adopted_chunk(
    point_id: str, payload: Metadata, mapping: FieldMapping, text: str | None = None
) -> Chunk | None:
    """Read the chunk of a payload; None if it has no text.

    `text` is for stores that keep it beside the payload.
    """
    if text is None:
        found = mapped_value(payload, mapping, "text")
        text = found if isinstance(found, str) else ""
    if is_blank(text):
        return None
    metadata = mapped_metadata(payload, mapping)
    document = mapped_value(payload, mapping, "document") or metadata.get("source_url")
    document_id = str(document) if isinstance(document, str | int) and document else point_id
    return Chunk(point_id, document_id, 0, text, metadata)


def copied_metadata(payload: Metadata, mapping: FieldMapping) -> dict[str, JsonValue]:
    """Return the payload without its text, under its own names.

    Nested objects are flattened; what citations read of them is there under our names, too.
    """
    metadata = _without_text(payload, mapping)
    for name in ("source_url", "section_heading"):
        path = path_of(payload, mapping, name)
        if path is not None and path not in payload:
            metadata.setdefault(name, value_at(payload, path))
    return metadata


def mapped_metadata(payload: Metadata, mapping: FieldMapping) -> Metadata:
    """Return the payload without its text: nested objects flattened, our names beside theirs."""
    theirs = _without_text(payload, mapping)
    metadata = {name: value for name, value in theirs.items() if name not in CANONICAL}
    for name in CANONICAL:
        value = mapped_value(payload, mapping, name)
        if value is not None:
            metadata[name] = value
    return metadata


def _without_text(payload: Metadata, mapping: FieldMapping) -> dict[str, JsonValue]:
    text = path_of(payload, mapping, "text")
    return {name: value for name, value in flat(payload).items() if name != text}


def mapped_value(payload: Metadata, mapping: FieldMapping, field: str) -> JsonValue:
    """Return the value that the mapping points to, or None."""
    path = path_of(payload, mapping, field)
    return None if path is None else value_at(payload, path)


def path_of(payload: Metadata, mapping: FieldMapping, field: str) -> str | None:
    """Return the path that the mapping gives, or the first common one that this payload has."""
    given: str | None = getattr(mapping, field)
    if given is not None:
        return given
    return next((p for p in _COMMON[field] if value_at(payload, p) is not None), None)


def value_at(payload: Metadata, path: str) -> JsonValue:
    """Return the value at a dotted path; a field whose own name has the dots comes first."""
    if path in payload and not isinstance(payload[path], dict):
        return payload[path]
    head, dot, rest = path.partition(".")
    inner = payload.get(head)
    return value_at(inner, rest) if dot and isinstance(inner, dict) else None


def flat(payload: Metadata) -> dict[str, JsonValue]:
    """Flatten nested objects by one level; a field whose own name has the dot wins."""
    opened: dict[str, JsonValue] = {}
    for name, value in payload.items():
        if isinstance(value, dict):
            opened |= {f"{name}.{inner}": nested for inner, nested in value.items()}
    return opened | {n: value for n, value in payload.items() if not isinstance(value, dict)}


def _most_used(paths: Sequence[str], payloads: Sequence[Metadata]) -> str | None:
    used = [sum(value_at(payload, path) is not None for payload in payloads) for path in paths]
    most = max(used, default=0)
    return paths[used.index(most)] if most else None
