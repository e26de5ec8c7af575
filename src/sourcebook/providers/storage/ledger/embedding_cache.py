"""The durable embedding cache: vectors by text hash and model revision."""

import array
import asyncio
import sys
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, Select, select

from sourcebook.core.vectors import Embedding
from sourcebook.providers.storage.ledger import schema
from sourcebook.providers.storage.ledger.database import Database
from sourcebook.providers.storage.sql import in_batches, insert_new

INSERT_BATCH = 200

_CACHE = schema.embeddings.c


class SqlEmbeddingCache:
    """Implements `VectorCache`. Vectors are stored as little-endian 32-bit floats."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def recall(
        self, model_revision: str, text_hashes: Sequence[str]
    ) -> Mapping[str, Embedding]:
        """Return the cached embeddings by text hash."""

        # Cached embeddings never change, so the batches need no common snapshot.
        def query(connection: Connection) -> list[tuple[str, int, bytes]]:
            return [
                (text_hash, count, blob)
                for batch in in_batches(text_hashes)
                for text_hash, count, blob in connection.execute(_query(model_revision, batch))
            ]

        return await asyncio.to_thread(_unpacked, await self._database.read(query))

    async def remember(self, model_revision: str, embeddings: Mapping[str, Embedding]) -> None:
        """Cache embeddings by text hash."""
        if not embeddings:
            return
        # On a thread and in batches: a thousand vectors at once would block other requests.
        rows = await asyncio.to_thread(_rows, model_revision, embeddings)
        async with self._database.writing() as connection:
            for batch in in_batches(rows, INSERT_BATCH):
                await insert_new(connection, schema.embeddings, batch)


def _query(model_revision: str, text_hashes: Sequence[str]) -> Select[str, int, bytes]:
    return select(_CACHE.text_hash, _CACHE.count, _CACHE.vectors).where(
        _CACHE.model_revision == model_revision, _CACHE.text_hash.in_(text_hashes)
    )


def _unpacked(rows: Sequence[tuple[str, int, bytes]]) -> dict[str, Embedding]:
    return {text_hash: unpack(blob, count) for text_hash, count, blob in rows}


def _rows(
    model_revision: str, embeddings: Mapping[str, Embedding]
) -> list[dict[str, str | int | bytes]]:
    return [
        {
            "text_hash": text_hash,
            "model_revision": model_revision,
            "count": len(embedding),
            "vectors": pack(embedding),
        }
        for text_hash, embedding in embeddings.items()
    ]


def pack(embedding: Embedding) -> bytes:
    """Encode all vectors of a text as one blob."""
    numbers = array.array("f")
    for vector in embedding:
        numbers.extend(vector)
    return _little_endian(numbers).tobytes()


def unpack(blob: bytes, count: int) -> Embedding:
    """Decode the vectors that `pack` encoded."""
    numbers = array.array("f")
    numbers.frombytes(blob)
    values = _little_endian(numbers).tolist()
    size = len(values) // count
    return tuple(values[start : start + size] for start in range(0, len(values), size))


def _little_endian(numbers: "array.array[float]") -> "array.array[float]":
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
