"""Reads documents in batches, each with the chunks of its live version."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from sourcebook.core.documents import Document
from sourcebook.core.writes import ChunkVersion, DocumentVersion
from sourcebook.providers.storage.ledger import schema
from sourcebook.providers.storage.ledger.chunk_rows import WHOLE_CHUNKS, chunk_version_of

DOCUMENT_BATCH = 100

_DOCUMENT = schema.documents.c
_CHUNK = schema.chunks.c


async def read_versions_after(
    connection: AsyncConnection, collection_id: str, after: int
) -> dict[int, DocumentVersion]:
    """Read the documents after that key, by their keys, from one snapshot."""
    page = (
        select(schema.documents)
        .where(_DOCUMENT.collection_id == collection_id, _DOCUMENT.key > after)
        .order_by(_DOCUMENT.key)
        .limit(DOCUMENT_BATCH)
    )
    rows = (await connection.execute(page)).mappings().all()
    chunks = await _chunks(connection, collection_id, [row["id"] for row in rows])
    return {
        row["key"]: DocumentVersion(
            document=Document(row["id"], row["text"], row["metadata"]),
            version=row["version"],
            text_hash=row["text_hash"],
            chunks=tuple(chunks.get(row["id"], ())),
            created_at_s=row["created_at_s"],
            updated_at_s=row["updated_at_s"],
        )
        for row in rows
    }


async def _chunks(
    connection: AsyncConnection, collection_id: str, document_ids: list[str]
) -> dict[str, list[ChunkVersion]]:
    live = WHOLE_CHUNKS.where(
        _CHUNK.collection_id == collection_id,
        _CHUNK.document_id.in_(document_ids),
        _CHUNK.died.is_(None),
    ).order_by(_CHUNK.document_id, _CHUNK.ordinal, _CHUNK.key)
    found: dict[str, list[ChunkVersion]] = {}
    for row in (await connection.execute(live)).mappings():
        found.setdefault(row["document_id"], []).append(chunk_version_of(row))
    return found
