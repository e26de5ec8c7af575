"""Collections in the ledger: created, read, replaced and deleted."""

import time
from collections.abc import Callable
from dataclasses import replace

from sqlalchemy import Connection, RowMapping, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from sourcebook.core.collections import Collection, Generation, hidden_name, is_name
from sourcebook.core.errors import AlreadyExists, Conflict, NotFound
from sourcebook.core.jobs import Fence
from sourcebook.core.metadata import Metadata
from sourcebook.core.text import shorten
from sourcebook.providers.storage.ledger import schema
from sourcebook.providers.storage.ledger.collection_rows import (
    BY_ID,
    BY_NAME,
    collection_of,
    generation_columns,
    is_unchanged,
    lock_by_id,
    lock_by_name,
    move_to,
    rename,
    retire_index,
    switch_to,
)
from sourcebook.providers.storage.ledger.database import Database, Remembered
from sourcebook.providers.storage.ledger.job_rows import check_fence
from sourcebook.providers.storage.sql import insert_new

MAX_SHOWN_NAME_CHARS = 120

_COLLECTION = schema.collections.c


class SqlCollections:
    """Implements `CollectionLedger`."""

    def __init__(self, database: Database, now_s: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now_s = now_s
        self._by_name: Remembered[Collection | None] = Remembered(database)

    async def create(self, collection: Collection) -> None:
        """Record a new collection; AlreadyExists if the name is taken."""
        row = {
            "id": collection.id,
            "name": collection.name,
            "metadata": dict(collection.metadata),
            **generation_columns(collection.generation),
            "revision": collection.revision,
            "document_count": 0,
            "created_at_s": self._now_s(),
            "state": collection.state,
        }
        async with self._database.writing() as connection:
            if not await insert_new(connection, schema.collections, [row]):
                raise AlreadyExists(f"Collection {collection.name!r} already exists")

    async def get(self, name: str) -> Collection:
        """Return the collection of that name; NotFound if there is none."""

        def query(connection: Connection) -> Collection | None:
            row = connection.execute(BY_NAME, {"wanted": name}).mappings().one_or_none()
            return None if row is None else collection_of(row)

        # Not every database takes every text for a value.
        found = await self._by_name.read(name, query) if is_name(name) else None
        if found is None:
            raise _not_found(name)
        return found

    async def by_id(self, collection_id: str) -> Collection | None:
        """Return the collection of that id, even if it is hidden."""

        def query(connection: Connection) -> RowMapping | None:
            return connection.execute(BY_ID, {"wanted": collection_id}).mappings().one_or_none()

        row = await self._database.read(query)
        return None if row is None else collection_of(row)

    async def all(self, *, hidden: bool = False) -> list[Collection]:
        """Return every collection by name, with the hidden ones on request."""
        query = select(schema.collections).order_by(_COLLECTION.name)
        if not hidden:
            query = query.where(_COLLECTION.state == "live")
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).mappings().all()
        return [collection_of(row) for row in rows]

    async def change_metadata(
        self, name: str, change: Callable[[Metadata], Metadata]
    ) -> Collection:
        """Replace the metadata by the result of `change`, atomically."""
        async with self._database.writing() as connection:
            collection = _found(name, await lock_by_name(connection, name))
            changed = replace(collection, metadata=change(collection.metadata))
            await connection.execute(
                update(schema.collections)
                .where(_COLLECTION.id == collection.id)
                .values(metadata=dict(changed.metadata))
            )
        return changed

    async def move(self, collection: Collection, generation: Generation) -> bool:
        """Switch to another generation and retire the old index; False if it changed since."""
        async with self._database.writing() as connection:
            if not await is_unchanged(connection, collection):
                return False
            same = generation.model_revision == collection.generation.model_revision
            now_s = self._now_s()
            await move_to(connection, collection.id, generation, now_s, keep_previous=same)
        return True

    async def switch(
        self, collection: Collection, generation: Generation, fence: Fence | None = None
    ) -> bool:
        """Switch to a generation of another model, atomically; False if it changed since.

        Also False if the job of the fence was asked to end.

        The old index is kept as `previous`, and the one that was kept before is retired. The
        metadata name the new model, and every live chunk gets the number of vectors that the
        cache has of its text and that model. The job of the fence no longer builds anything.
        """
        async with self._database.writing() as connection:
            await check_fence(connection, fence)
            if await _is_cancelled(connection, fence):
                return False
            if not await is_unchanged(connection, collection, with_model=True):
                return False
            await switch_to(connection, collection.id, generation, self._now_s())
            await update_vector_counts(connection, collection.id, generation.model_revision)
            await _note_built(connection, fence)
        return True

    async def replace(self, old: Collection, new: Collection, fence: Fence | None = None) -> bool:
        """Give the name of `old` to `new`, which is being built, atomically.

        False if one of them changed since. The old one is retired, so that readers can finish.
        The job of the fence no longer builds anything.
        """
        if (old.state, new.state) != ("live", "building"):
            return False
        async with self._database.writing() as connection:
            await check_fence(connection, fence)
            if not (await is_unchanged(connection, old) and await is_unchanged(connection, new)):
                return False
            # The old one first, since names are unique.
            await rename(connection, old.id, hidden_name(old.id), "retired", self._now_s())
            await rename(connection, new.id, old.name, "live", None)
            await _note_built(connection, fence)
        return True

    async def delete(self, name: str) -> Collection:
        """Delete a collection with everything in it; its index is cleared away later."""
        async with self._database.writing() as connection:
            collection = _found(name, await lock_by_name(connection, name))
            await self._remove(connection, collection)
            for kept in (schema.books, schema.self_tests):
                await connection.execute(delete(kept).where(kept.c.collection == name))
        return collection

    async def discard(self, collection_id: str) -> None:
        """Delete a hidden collection, if it still exists. Conflict if it is live."""
        async with self._database.writing() as connection:
            row = await lock_by_id(connection, collection_id)
            if row is None:
                return
            collection = collection_of(row)
            if collection.state == "live":
                raise Conflict(f"Collection {collection.name!r} is in use; delete it by its name")
            await self._remove(connection, collection)

    async def _remove(self, connection: AsyncConnection, collection: Collection) -> None:
        await connection.execute(delete(schema.collections).where(_COLLECTION.id == collection.id))
        for generation in (collection.generation, collection.previous):
            if generation is not None:
                await retire_index(connection, generation.index_id, self._now_s())


async def _is_cancelled(connection: AsyncConnection, fence: Fence | None) -> bool:
    # The fence has locked the job.
    if fence is None:
        return False
    query = select(schema.jobs.c.cancel_requested).where(schema.jobs.c.id == fence.job_id)
    return bool(await connection.scalar(query))


async def _note_built(connection: AsyncConnection, fence: Fence | None) -> None:
    if fence is not None:
        built = update(schema.jobs).where(schema.jobs.c.id == fence.job_id)
        await connection.execute(built.values(building=None))


def _found(name: str, row: RowMapping | None) -> Collection:
    if row is None:
        raise _not_found(name)
    return collection_of(row)


def _not_found(name: str) -> NotFound:
    return NotFound(f"Collection {shorten(name, MAX_SHOWN_NAME_CHARS)!r} not found")


_EMBEDDING = schema.embeddings.c
_CHUNK = schema.chunks.c


async def update_vector_counts(
    connection: AsyncConnection, collection_id: str, model_revision: str
) -> None:
    """Set every live chunk's number of vectors to the one that the cache has of its text."""
    remembered = (
        select(_EMBEDDING.count)
        .where(
            _EMBEDDING.text_hash == _CHUNK.text_hash, _EMBEDDING.model_revision == model_revision
        )
        .scalar_subquery()
    )
    # Writes only where the number changes, which is nearly nowhere.
    await connection.execute(
        update(schema.chunks)
        .where(
            _CHUNK.collection_id == collection_id,
            _CHUNK.died.is_(None),
            _CHUNK.vectors != remembered,
        )
        .values(vectors=remembered)
    )
