"""Finds what can be deleted: dead chunks, abandoned writes, retired collections and indexes."""

from collections.abc import Sequence

from sqlalchemy import delete, select

from sourcebook.core.collections import Collection
from sourcebook.core.jobs import UNFINISHED
from sourcebook.core.writes import AbandonedWrite, DeadChunk
from sourcebook.providers.storage.ledger import schema
from sourcebook.providers.storage.ledger.collection_rows import collection_of
from sourcebook.providers.storage.ledger.database import Database
from sourcebook.providers.storage.ledger.mirrors import note_swept
from sourcebook.providers.storage.sql import in_batches

_CHUNK = schema.chunks.c
_COLLECTION = schema.collections.c
_PENDING = schema.pending_writes.c
_RETIRED = schema.retired_indexes.c
_JOB = schema.jobs.c

_BEING_BUILT = select(_JOB.building).where(
    _JOB.kind == "reindex", _JOB.status.in_(UNFINISHED), _JOB.building.is_not(None)
)


class SqlGarbage:
    """Implements `GarbageLedger`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def dead_chunks(self, died_before_s: float, limit: int) -> list[DeadChunk]:
        """Return chunk versions that died before that time."""
        query = (
            select(
                _CHUNK.key,
                _COLLECTION.index_id,
                _CHUNK.chunk_id,
                _CHUNK.version,
                _CHUNK.vectors,
            )
            .join(schema.collections, _COLLECTION.id == _CHUNK.collection_id)
            .where(_CHUNK.died_at_s <= died_before_s)
            .order_by(_CHUNK.key)
            .limit(limit)
        )
        async with self._database.reading() as connection:
            return [DeadChunk(*row) for row in await connection.execute(query)]

    async def forget_chunks(self, keys: Sequence[int]) -> None:
        """Delete the records of chunks whose points are gone."""
        async with self._database.writing() as connection:
            for batch in in_batches(keys):
                await note_swept(connection, batch)
                await connection.execute(delete(schema.chunks).where(_CHUNK.key.in_(batch)))

    async def abandoned_writes(self, announced_before_s: float) -> list[AbandonedWrite]:
        """Return writes that were announced before that time and never committed."""
        query = select(_PENDING.id, _PENDING.index_id, _PENDING.point_ids).where(
            _PENDING.announced_at_s <= announced_before_s
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        return [AbandonedWrite(row[0], row[1], tuple(row[2])) for row in rows]

    async def forget_write(self, write_id: str) -> None:
        """Delete the record of a write whose points are gone."""
        async with self._database.writing() as connection:
            await connection.execute(delete(schema.pending_writes).where(_PENDING.id == write_id))

    async def retired_collections(self, retired_before_s: float) -> list[Collection]:
        """Return collections that were replaced before that time."""
        query = select(schema.collections).where(
            _COLLECTION.state == "retired", _COLLECTION.retired_at_s <= retired_before_s
        )
        async with self._database.reading() as connection:
            return [collection_of(row) for row in (await connection.execute(query)).mappings()]

    async def retired_indexes(self, retired_before_s: float) -> list[str]:
        """Return indexes that no collection has used since that time."""
        query = select(_RETIRED.index_id).where(_RETIRED.retired_at_s <= retired_before_s)
        async with self._database.reading() as connection:
            return list((await connection.scalars(query)).all())

    async def wanted_indexes(self) -> set[str]:
        """Return indexes that a collection uses or keeps for a rollback, or that a job builds."""
        async with self._database.reading() as connection:
            rows = (await connection.execute(select(schema.collections))).mappings()
            collections = [collection_of(row) for row in rows]
            building = set((await connection.scalars(_BEING_BUILT)).all())
        generations = [c.generation for c in collections] + [c.previous for c in collections]
        return building | {g.index_id for g in generations if g is not None}

    async def forget_index(self, index_id: str) -> None:
        """Delete the record of an index that is gone."""
        async with self._database.writing() as connection:
            await connection.execute(
                delete(schema.retired_indexes).where(_RETIRED.index_id == index_id)
            )
