"""A chunk as a row, and a row as a chunk."""

from sqlalchemy import RowMapping

from sourcebook.core.documents import Chunk, Extent, Links, Span
from sourcebook.core.metadata import JsonValue
from sourcebook.core.writes import ChunkVersion


def columns_of(version: ChunkVersion) -> dict[str, object]:
    """What a new version of a document says of one of its chunks."""
    chunk = version.chunk
    return {
        "document_id": chunk.document_id,
        "chunk_id": chunk.id,
        "version": version.version,
        "text": chunk.text,
        "text_hash": version.text_hash,
        "metadata": dict(chunk.metadata),
        "vectors": version.vectors,
        "extent": _extent_columns(chunk.extent),
        **place_columns(chunk),
    }


def place_columns(chunk: Chunk) -> dict[str, str | int | None]:
    """Where a chunk stands among the others of its document."""
    return {
        "ordinal": chunk.ordinal,
        "previous_id": chunk.links.previous,
        "next_id": chunk.links.next,
        "total": chunk.links.total,
    }


def chunk_of(row: RowMapping) -> Chunk:
    """The chunk in a row."""
    return Chunk(
        id=row["chunk_id"],
        document_id=row["document_id"],
        ordinal=row["ordinal"],
        text=row["text"],
        metadata=row["metadata"],
        extent=_extent_of(row),
        links=Links(row["previous_id"], row["next_id"], row["total"]),
    )


def chunk_version_of(row: RowMapping) -> ChunkVersion:
    """The chunk in a row, as its version has it."""
    return ChunkVersion(
        chunk=chunk_of(row),
        version=row["version"],
        text_hash=row["text_hash"],
        vectors=row["vectors"],
    )


def _extent_columns(extent: Extent | None) -> dict[str, JsonValue] | None:
    if extent is None:
        return None
    return {
        "spans": [[span.start, span.end] for span in extent.spans],
        "lines": [extent.first_line, extent.last_line],
        "overlap": extent.overlap,
    }


def _extent_of(row: RowMapping) -> Extent | None:
    if row["extent"] is None:
        return None
    first_line, last_line = row["extent"]["lines"]
    return Extent(
        spans=tuple(Span(start, end) for start, end in row["extent"]["spans"]),
        first_line=first_line,
        last_line=last_line,
        overlap=row["extent"]["overlap"],
    )
