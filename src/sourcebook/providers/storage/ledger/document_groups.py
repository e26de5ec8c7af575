"""Measures a collection by the values of a metadata field: documents, chunks and bytes of each."""

from sqlalchemy import ColumnElement, LargeBinary, Subquery, and_, cast, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from sourcebook.core.documents import DocumentGroup
from sourcebook.providers.storage.ledger import schema
from sourcebook.providers.storage.ledger.filters import text_fields

_DOCUMENT = schema.documents.c
_CHUNK = schema.chunks.c


async def read_groups(
    connection: AsyncConnection, collection_id: str, field: str, value: str | None
) -> list[DocumentGroup]:
    """Return the groups of all texts that a field has, or of this one, in order."""
    named = text_fields(collection_id, field, value).subquery()
    chunks = await _count_chunks(connection, named)
    measured = (
        select(
            named.c.text,
            func.count(),
            func.sum(_byte_length(connection)),
            func.max(_DOCUMENT.updated_at_s),
        )
        .join_from(named, schema.documents, named.c.document_key == _DOCUMENT.key)
        .group_by(named.c.text)
    )
    groups = [
        DocumentGroup(text, documents, chunks.get(text, 0), int(size), updated_at_s)
        for text, documents, size, updated_at_s in await connection.execute(measured)
    ]
    return sorted(groups, key=lambda group: group.value)


async def _count_chunks(connection: AsyncConnection, named: Subquery) -> dict[str, int]:
    lives = and_(
        _CHUNK.collection_id == _DOCUMENT.collection_id,
        _CHUNK.document_id == _DOCUMENT.id,
        _CHUNK.died.is_(None),
    )
    counted = (
        select(named.c.text, func.count())
        .join_from(named, schema.documents, named.c.document_key == _DOCUMENT.key)
        .join(schema.chunks, lives)
        .group_by(named.c.text)
    )
    return {row[0]: row[1] for row in await connection.execute(counted)}


def _byte_length(connection: AsyncConnection) -> ColumnElement[int]:
    """Return the size of a document's text in UTF-8."""
    if connection.dialect.name == "postgresql":
        return func.octet_length(_DOCUMENT.text)
    # SQLite counts the characters of a text, and the bytes of a blob.
    return func.length(cast(_DOCUMENT.text, LargeBinary))
