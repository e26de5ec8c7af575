"""The collections table."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from sqlalchemy import Connection, RowMapping, bindparam, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from sourcebook.core.collections import Collection, Generation, is_name
from sourcebook.core.errors import AlreadyExists, NotFound
from sourcebook.core.metadata import Metadata
from sourcebook.core.shortening import shortened
from sourcebook.providers.storage import schema
from sourcebook.providers.storage.database import Database
from sourcebook.providers.storage.inserting import insert_new

LONGEST_SHOWN = 120

_COLLECTION = schema.collections.c
_BY_NAME = select(schema.collections).where(_COLLECTION.name == bindparam("wanted"))


class SqlCollections:
    """Implements `CollectionLedger`."""

    def __init__(self, database: Database, now_s: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now_s = now_s

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
        }
        async with self._database.writing() as connection:
            if not await insert_new(connection, schema.collections, [row]):
                raise AlreadyExists(f"Collection {collection.name!r} already exists")

    async def get(self, name: str) -> Collection:
        """The collection of that name; NotFound if there is none."""
        if not is_name(name):
            return _found(name, None)  # not every database takes every text for a value

        def look(connection: Connection) -> RowMapping | None:
            return connection.execute(_BY_NAME, {"wanted": name}).mappings().one_or_none()

        return _found(name, await self._database.read(look))

    async def all(self) -> list[Collection]:
        """Every collection, by name."""
        async with self._database.reading() as connection:
            query = select(schema.collections).order_by(_COLLECTION.name)
            rows = (await connection.execute(query)).mappings().all()
        return [_collection(row) for row in rows]

    async def change_metadata(
        self, name: str, change: Callable[[Metadata], Metadata]
    ) -> Collection:
        """Replace the metadata by what `change` makes of them, in one step."""
        async with self._database.writing() as connection:
            collection = _found(name, await _locked_row(connection, name))
            changed = replace(collection, metadata=change(collection.metadata))
            await connection.execute(
                update(schema.collections)
                .where(_COLLECTION.id == collection.id)
                .values(metadata=dict(changed.metadata))
            )
        return changed

    async def move(self, collection: Collection, generation: Generation) -> bool:
        """Give it another generation and retire the index it had; False if it changed since."""
        async with self._database.writing() as connection:
            row = await _locked_row(connection, collection.name)
            if row is None or _state(_collection(row)) != _state(collection):
                return False
            old_index_id = collection.generation.index_id
            await move_to(connection, collection.id, old_index_id, generation, self._now_s())
        return True

    async def delete(self, name: str) -> Collection:
        """Remove a collection with all it holds; its index is left to be cleared away."""
        async with self._database.writing() as connection:
            collection = _found(name, await _locked_row(connection, name))
            await connection.execute(
                delete(schema.collections).where(_COLLECTION.id == collection.id)
            )
            await _retire(connection, collection.generation.index_id, self._now_s())
        return collection


async def move_to(
    connection: AsyncConnection,
    collection_id: str,
    old_index_id: str,
    generation: Generation,
    now_s: float,
) -> None:
    """Point the collection at another generation and retire the index it had."""
    await connection.execute(
        update(schema.collections)
        .where(_COLLECTION.id == collection_id)
        .values(**generation_columns(generation))
    )
    await _retire(connection, old_index_id, now_s)


def generation_columns(generation: Generation) -> Mapping[str, str | int]:
    """A generation as columns."""
    return {
        "index_id": generation.index_id,
        "model": generation.model,
        "model_revision": generation.model_revision,
        "dimensions": generation.dimensions,
    }


async def _retire(connection: AsyncConnection, index_id: str, now_s: float) -> None:
    await connection.execute(
        insert(schema.retired_indexes), {"index_id": index_id, "retired_at_s": now_s}
    )


async def _locked_row(connection: AsyncConnection, name: str) -> RowMapping | None:
    if not is_name(name):
        return None
    query = _BY_NAME.with_for_update()
    return (await connection.execute(query, {"wanted": name})).mappings().one_or_none()


def _found(name: str, row: RowMapping | None) -> Collection:
    if row is None:
        raise NotFound(f"Collection {shortened(name, LONGEST_SHOWN)!r} not found")
    return _collection(row)


def _state(collection: Collection) -> tuple[str, str, int]:
    return collection.id, collection.generation.index_id, collection.revision


def _collection(row: RowMapping) -> Collection:
    return Collection(
        id=row["id"],
        name=row["name"],
        metadata=row["metadata"],
        generation=Generation(
            index_id=row["index_id"],
            model=row["model"],
            model_revision=row["model_revision"],
            dimensions=row["dimensions"],
        ),
        revision=row["revision"],
        count=row["document_count"],
    )
