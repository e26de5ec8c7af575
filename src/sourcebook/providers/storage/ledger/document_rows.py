"""Statements of a commit: mark old chunks dead, upsert documents, insert fields and chunks."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Table, bindparam, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from sourcebook.core.writes import DocumentVersion, Write
from sourcebook.providers.storage.ledger import schema
from sourcebook.providers.storage.ledger.chunk_rows import columns_of
from sourcebook.providers.storage.ledger.filters import field_rows
from sourcebook.providers.storage.sql import in_batches

INSERT_BATCH = 500

_DOCUMENT = schema.documents.c
_CHUNK = schema.chunks.c


async def mark_chunks_dead(
    connection: AsyncConnection,
    collection_id: str,
    document_ids: Sequence[str] | None,
    revision: int,
    now_s: float,
) -> None:
    """Mark the chunks of these documents, or of all, as dead from this revision on."""
    marked = (
        update(schema.chunks)
        .where(_CHUNK.collection_id == collection_id, _CHUNK.died.is_(None))
        .values(died=revision, died_at_s=now_s)
    )
    if document_ids is None:
        await connection.execute(marked)
        return
    for batch in in_batches(document_ids):
        await connection.execute(marked.where(_CHUNK.document_id.in_(batch)))


async def upsert_documents(connection: AsyncConnection, write: Write, now_s: float) -> int:
    """Insert or replace the documents and their field values; return how many are new."""
    known = await _document_keys(connection, write)
    old = [v for v in write.documents if v.document.id in known]
    new = [v for v in write.documents if v.document.id not in known]
    if old:
        await _replace(connection, old, known, now_s)
    if new:
        rows = [{**_columns(v, now_s), "created_at_s": _or(v.created_at_s, now_s)} for v in new]
        await connection.execute(
            insert(schema.documents),
            [{"collection_id": write.collection_id, **row} for row in rows],
        )
    await _put_fields(connection, write, await _document_keys(connection, write))
    return len(new)


async def insert_chunks(connection: AsyncConnection, write: Write, revision: int) -> None:
    """Insert the chunks of the new versions, live from this revision on."""
    rows = [
        {"collection_id": write.collection_id, "born": revision, **columns_of(chunk)}
        for version in write.documents
        for chunk in version.chunks
    ]
    await _insert(connection, schema.chunks, rows)


async def _insert(
    connection: AsyncConnection, table: Table, rows: Sequence[Mapping[str, object]]
) -> None:
    # In batches: preparing the parameters of very many rows at once would block other requests.
    for batch in in_batches(rows, INSERT_BATCH):
        await connection.execute(insert(table), list(batch))


async def _document_keys(connection: AsyncConnection, write: Write) -> dict[str, int]:
    keys: dict[str, int] = {}
    for batch in in_batches([version.document.id for version in write.documents]):
        query = select(_DOCUMENT.id, _DOCUMENT.key).where(
            _DOCUMENT.collection_id == write.collection_id, _DOCUMENT.id.in_(batch)
        )
        keys.update((row[0], row[1]) for row in await connection.execute(query))
    return keys


async def _replace(
    connection: AsyncConnection,
    versions: Sequence[DocumentVersion],
    keys: dict[str, int],
    now_s: float,
) -> None:
    replaced = [keys[version.document.id] for version in versions]
    for batch in in_batches(replaced):
        await connection.execute(
            delete(schema.fields).where(schema.fields.c.document_key.in_(batch))
        )
    rows = [
        {"document_key": key, **_columns(version, now_s)}
        for key, version in zip(replaced, versions, strict=True)
    ]
    await connection.execute(
        update(schema.documents).where(_DOCUMENT.key == bindparam("document_key")), rows
    )


async def _put_fields(connection: AsyncConnection, write: Write, keys: dict[str, int]) -> None:
    rows = [
        {
            "document_key": keys[version.document.id],
            "collection_id": write.collection_id,
            **row,
        }
        for version in write.documents
        for row in field_rows(version.document.metadata)
    ]
    await _insert(connection, schema.fields, rows)


def _columns(version: DocumentVersion, now_s: float) -> dict[str, object]:
    return {
        "id": version.document.id,
        "version": version.version,
        "text": version.document.text,
        "text_hash": version.text_hash,
        "metadata": dict(version.document.metadata),
        "updated_at_s": _or(version.updated_at_s, now_s),
    }


def _or(given_s: float | None, now_s: float) -> float:
    return now_s if given_s is None else given_s
