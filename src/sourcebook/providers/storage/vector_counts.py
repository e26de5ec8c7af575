"""How many vectors stand for a chunk: another model may need another number."""

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from sourcebook.providers.storage import schema

_CACHE = schema.embeddings.c
_CHUNK = schema.chunks.c


async def recount_vectors(
    connection: AsyncConnection, collection_id: str, model_revision: str
) -> None:
    """Give every live chunk the number of vectors that is remembered of its text and the model."""
    remembered = (
        select(_CACHE.count)
        .where(_CACHE.text_hash == _CHUNK.text_hash, _CACHE.model_revision == model_revision)
        .scalar_subquery()
    )
    # Where the number stays the same, and that is nearly everywhere, nothing is written.
    await connection.execute(
        update(schema.chunks)
        .where(
            _CHUNK.collection_id == collection_id,
            _CHUNK.died.is_(None),
            _CHUNK.vectors != remembered,
        )
        .values(vectors=remembered)
    )
