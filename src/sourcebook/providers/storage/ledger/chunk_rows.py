"""Chunks as rows: converting, walking and relinking them."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, RowMapping, Text, bindparam, cast, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from sourcebook.core.chunk_links import misplaced_chunks
from sourcebook.core.documents import Chunk, Extent, Links, Span
from sourcebook.core.locations import location_json, read_locations
from sourcebook.core.metadata import JsonValue
from sourcebook.core.writes import ChunkVersion
from sourcebook.providers.storage.ledger import schema

CHUNK_BATCH = 500

_CHUNK = schema.chunks.c


# What a chunk is made of. JSON is parsed here: its column type costs as much as all the rest.
CHUNK_COLUMNS = (
    _CHUNK.chunk_id,
    _CHUNK.version,
    _CHUNK.document_id,
    _CHUNK.ordinal,
    _CHUNK.text,
    cast(_CHUNK.metadata, Text),
    cast(_CHUNK.extent, Text),
    _CHUNK.previous_id,
    _CHUNK.next_id,
    _CHUNK.total,
)


# Every column but what only answers read.
WHOLE_CHUNKS = select(*(column for column in _CHUNK if column.name != "statements"))


def columns_of(version: ChunkVersion) -> dict[str, object]:
    """Convert a chunk of a new document version to columns."""
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
        "statements": version.statements,
        **place_columns(chunk),
    }


def place_columns(chunk: Chunk) -> dict[str, str | int | None]:
    """Convert a chunk's position among the others of its document to columns."""
    return {
        "ordinal": chunk.ordinal,
        "previous_id": chunk.links.previous,
        "next_id": chunk.links.next,
        "total": chunk.links.total,
    }


def read_chunk(row: Row[*tuple[Any, ...]]) -> tuple[str, Chunk]:
    """Return the version and the chunk of a row of `CHUNK_COLUMNS`."""
    id_, version, document_id, ordinal, text, metadata, extent, previous, following, total = row
    links = Links(previous, following, total)
    place = None if extent is None else _extent_of(json.loads(extent))
    return version, Chunk(id_, document_id, ordinal, text, json.loads(metadata), place, links)


def chunk_of(row: RowMapping) -> Chunk:
    return Chunk(
        id=row["chunk_id"],
        document_id=row["document_id"],
        ordinal=row["ordinal"],
        text=row["text"],
        metadata=row["metadata"],
        extent=_extent_of(row["extent"]),
        links=Links(row["previous_id"], row["next_id"], row["total"]),
    )


def chunk_version_of(row: RowMapping) -> ChunkVersion:
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
        "span_lines": list(extent.span_lines),
        **({"locations": list(map(location_json, extent.locations))} if extent.locations else {}),
    }


def _extent_of(extent: dict[str, Any] | None) -> Extent | None:
    if extent is None:
        return None
    first_line, last_line = extent["lines"]
    return Extent(
        spans=tuple(Span(start, end) for start, end in extent["spans"]),
        first_line=first_line,
        last_line=last_line,
        overlap=extent["overlap"],
        # Rows of earlier releases have none.
        span_lines=tuple(extent.get("span_lines", ())),
        locations=read_locations(extent.get("locations")),
    )


async def read_documents_after(
    connection: AsyncConnection, collection_id: str, after: str, born_after: int = 0
) -> Sequence[RowMapping]:
    """Read about `CHUNK_BATCH` live chunks of the documents after that id, whole documents only.

    Only documents from after that revision: all chunks of a document come together.
    """
    live = WHOLE_CHUNKS.where(
        _CHUNK.collection_id == collection_id,
        _CHUNK.died.is_(None),
        _CHUNK.born > born_after,
    ).order_by(_CHUNK.document_id, _CHUNK.key)
    page = live.where(_CHUNK.document_id > after).limit(CHUNK_BATCH)
    rows = list((await connection.execute(page)).mappings())
    if len(rows) < CHUNK_BATCH:
        return rows
    last = rows[-1]
    rest = live.where(_CHUNK.document_id == last["document_id"], _CHUNK.key > last["key"])
    return [*rows, *(await connection.execute(rest)).mappings()]


async def relink(connection: AsyncConnection, rows: Sequence[RowMapping]) -> int:
    """Correct the order and links of these chunks; return how many were wrong."""
    versions: dict[tuple[str, str], dict[str, RowMapping]] = {}
    for row in rows:
        versions.setdefault((row["document_id"], row["version"]), {})[row["chunk_id"]] = row
    wrong = [
        {"chunk_key": by_id[chunk.id]["key"], **place_columns(chunk)}
        for by_id in versions.values()
        for chunk in misplaced_chunks([chunk_of(row) for row in by_id.values()])
    ]
    if wrong:
        chosen = update(schema.chunks).where(_CHUNK.key == bindparam("chunk_key"))
        await connection.execute(chosen, wrong)
    return len(wrong)
