"""The durable embedding cache: vectors by text hash and model revision."""

import array
import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import (
    ColumnElement,
    Connection,
    Insert,
    Select,
    and_,
    delete,
    exists,
    func,
    select,
    tuple_,
    update,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from sourcebook.core.jobs import UNFINISHED
from sourcebook.core.vectors import Embedding
from sourcebook.core.writes import UnusedEmbedding
from sourcebook.providers.storage.ledger import schema
from sourcebook.providers.storage.ledger.database import Database
from sourcebook.providers.storage.sql import in_batches

INSERT_BATCH = 200
PAGE_SIZE = 5_000
# A use is recorded at most this often: recording it is a write.
USE_RECORDED_AFTER_S = 600.0

_CACHE = schema.embeddings.c
_COLLECTION = schema.collections.c
_KEY = tuple_(_CACHE.text_hash, _CACHE.model_revision)
_HAS_CHUNK = exists().where(schema.chunks.c.text_hash == _CACHE.text_hash)
_RUNNING_REINDEX = select(
    exists().where(schema.jobs.c.kind == "reindex", schema.jobs.c.status.in_(UNFINISHED))
)


@dataclass(frozen=True, slots=True)
class _CacheRow:
    text_hash: str
    count: int
    vectors: bytes
    used_at_s: float


class SqlEmbeddingCache:
    """Implements `VectorCache`. Vectors are stored as little-endian 32-bit floats."""

    def __init__(self, database: Database, now_s: Callable[[], float]) -> None:
        self._database = database
        self._now_s = now_s

    async def recall(
        self, model_revision: str, text_hashes: Sequence[str]
    ) -> Mapping[str, Embedding]:
        """Return the cached embeddings by text hash."""
        return await asyncio.to_thread(_unpacked, await self._rows(model_revision, text_hashes))

    async def reuse(
        self, model_revision: str, text_hashes: Sequence[str]
    ) -> Mapping[str, Embedding]:
        """Return the cached embeddings by text hash, and record that they are used."""
        rows = await self._rows(model_revision, text_hashes)
        before_s = self._now_s() - USE_RECORDED_AFTER_S
        long_unused = [row.text_hash for row in rows if row.used_at_s < before_s]
        if long_unused:
            await self._record_use(model_revision, long_unused)
            # Again: a sweep may have come first.
            rows = await self._rows(model_revision, text_hashes)
        return await asyncio.to_thread(_unpacked, rows)

    async def remember(self, model_revision: str, embeddings: Mapping[str, Embedding]) -> None:
        """Cache embeddings by text hash."""
        if not embeddings:
            return
        # On a thread and in batches: a thousand vectors at once would block other requests.
        rows = await asyncio.to_thread(_rows, model_revision, embeddings, self._now_s())
        async with self._database.writing() as connection:
            for batch in in_batches(rows, INSERT_BATCH):
                await connection.execute(_insert(connection.dialect.name), batch)

    async def unused(self) -> AsyncIterator[Sequence[UnusedEmbedding]]:
        """Walk over the embeddings that no chunk of any collection needs."""
        after = "", ""
        while True:
            async with self._database.reading() as connection:
                revisions = await _revisions_in_use(connection)
                query = _page(after)
                page = [
                    (UnusedEmbedding(*row[:4]), row[4]) for row in await connection.execute(query)
                ]
            if not page:
                return
            yield [
                one
                for one, has_chunk in page
                if not has_chunk or (revisions and one.model_revision not in revisions)
            ]
            last = page[-1][0]
            after = last.text_hash, last.model_revision

    async def forget(self, unused: Sequence[UnusedEmbedding]) -> int:
        """Delete those that were not used since they were found."""
        forgotten = 0
        for batch in in_batches(unused, INSERT_BATCH):
            keys = [(one.text_hash, one.model_revision) for one in batch]
            latest_s = max(one.used_at_s for one in batch)
            which = and_(_KEY.in_(keys), _CACHE.used_at_s <= latest_s)
            async with self._database.writing() as connection:
                await connection.execute(_lock(which))
                done = await connection.execute(delete(schema.embeddings).where(which))
            forgotten += done.rowcount
        return forgotten

    async def _rows(self, model_revision: str, text_hashes: Sequence[str]) -> list[_CacheRow]:
        # Cached embeddings never change, so the batches need no common snapshot.
        def query(connection: Connection) -> list[_CacheRow]:
            return [
                _CacheRow(*row)
                for batch in in_batches(text_hashes)
                for row in connection.execute(_query(model_revision, batch))
            ]

        return await self._database.read(query)

    async def _record_use(self, model_revision: str, text_hashes: Sequence[str]) -> None:
        async with self._database.writing() as connection:
            for batch in in_batches(sorted(text_hashes)):
                which = and_(_CACHE.model_revision == model_revision, _CACHE.text_hash.in_(batch))
                await connection.execute(_lock(which))
                await connection.execute(
                    update(schema.embeddings).where(which).values(used_at_s=self._now_s())
                )


def _lock(which: ColumnElement[bool]) -> Select[str]:
    """Build a query that locks rows in one order for all, so that nobody waits for each other."""
    return (
        select(_CACHE.text_hash)
        .where(which)
        .order_by(_CACHE.text_hash, _CACHE.model_revision)
        .with_for_update()
    )


def _insert(dialect: str) -> Insert:
    """Build an insert that only records the use of what is there already."""
    keys, used = ["text_hash", "model_revision"], "used_at_s"
    if dialect == "postgresql":
        from sqlalchemy.dialects import postgresql  # noqa: PLC0415 - see `insert_or_ignore`

        row = postgresql.insert(schema.embeddings)
        return row.on_conflict_do_update(index_elements=keys, set_={used: row.excluded[used]})
    new = sqlite.insert(schema.embeddings)
    return new.on_conflict_do_update(index_elements=keys, set_={used: new.excluded[used]})


async def _revisions_in_use(connection: AsyncConnection) -> set[str]:
    """The model revisions that collections use or keep for a rollback; none if it is not clear."""
    if await connection.scalar(_RUNNING_REINDEX):
        return set()
    revisions: set[str] = set()
    for revision, previous in await connection.execute(
        select(_COLLECTION.model_revision, _COLLECTION.previous)
    ):
        revisions.add(revision)
        if previous:
            revisions.add(previous["model_revision"])
    return revisions


def _page(after: tuple[str, str]) -> Select[str, str, float, int, bool]:
    return (
        select(
            _CACHE.text_hash,
            _CACHE.model_revision,
            _CACHE.used_at_s,
            func.length(_CACHE.vectors),
            _HAS_CHUNK,
        )
        .where(after < _KEY)
        .order_by(_CACHE.text_hash, _CACHE.model_revision)
        .limit(PAGE_SIZE)
    )


def _query(model_revision: str, text_hashes: Sequence[str]) -> Select[str, int, bytes, float]:
    return select(_CACHE.text_hash, _CACHE.count, _CACHE.vectors, _CACHE.used_at_s).where(
        _CACHE.model_revision == model_revision, _CACHE.text_hash.in_(text_hashes)
    )


def _unpacked(rows: Sequence[_CacheRow]) -> dict[str, Embedding]:
    return {row.text_hash: unpack(row.vectors, row.count) for row in rows}


def _rows(
    model_revision: str, embeddings: Mapping[str, Embedding], now_s: float
) -> list[dict[str, str | int | float | bytes]]:
    return [
        {
            "text_hash": text_hash,
            "model_revision": model_revision,
            "count": len(embedding),
            "vectors": pack(embedding),
            "used_at_s": now_s,
        }
        # In one order for all: whoever writes the same rows at once waits, and never in a circle.
        for text_hash, embedding in sorted(embeddings.items(), key=lambda item: item[0])
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
