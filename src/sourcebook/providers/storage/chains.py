"""Reads the live chunks document by document, and puts their order and links right."""

from collections.abc import Sequence

from sqlalchemy import RowMapping, bindparam, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from sourcebook.core.chain import misplaced
from sourcebook.providers.storage import schema
from sourcebook.providers.storage.chunk_rows import chunk_of, place_columns

BATCH = 500

_CHUNK = schema.chunks.c


async def next_documents(
    connection: AsyncConnection, collection_id: str, after: str, born_after: int = 0
) -> Sequence[RowMapping]:
    """About `BATCH` live chunks of the documents whose ids follow; of each document, all.

    Only of documents that came after that revision: all chunks of one came together.
    """
    live = (
        select(schema.chunks)
        .where(
            _CHUNK.collection_id == collection_id,
            _CHUNK.died.is_(None),
            _CHUNK.born > born_after,
        )
        .order_by(_CHUNK.document_id, _CHUNK.key)
    )
    page = live.where(_CHUNK.document_id > after).limit(BATCH)
    rows = list((await connection.execute(page)).mappings())
    if len(rows) < BATCH:
        return rows
    last = rows[-1]
    rest = live.where(_CHUNK.document_id == last["document_id"], _CHUNK.key > last["key"])
    return [*rows, *(await connection.execute(rest)).mappings()]


async def relink(connection: AsyncConnection, rows: Sequence[RowMapping]) -> int:
    """Write order and links of these chunks where they are wrong; of how many they were."""
    versions: dict[tuple[str, str], dict[str, RowMapping]] = {}
    for row in rows:
        versions.setdefault((row["document_id"], row["version"]), {})[row["chunk_id"]] = row
    wrong = [
        {"chunk_key": by_id[chunk.id]["key"], **place_columns(chunk)}
        for by_id in versions.values()
        for chunk in misplaced([chunk_of(row) for row in by_id.values()])
    ]
    if wrong:
        chosen = update(schema.chunks).where(_CHUNK.key == bindparam("chunk_key"))
        await connection.execute(chosen, wrong)
    return len(wrong)
