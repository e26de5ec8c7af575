"""Statements on collections: lock, compare, rename, switch generations, retire."""

from dataclasses import asdict

from sqlalchemy import RowMapping, bindparam, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from sourcebook.core.collections import MODEL_KEY, Collection, CollectionState, Generation, is_name
from sourcebook.providers.storage.ledger import schema

_COLLECTION = schema.collections.c

BY_ID = select(schema.collections).where(_COLLECTION.id == bindparam("wanted"))
BY_NAME = select(schema.collections).where(
    _COLLECTION.name == bindparam("wanted"), _COLLECTION.state == "live"
)


def collection_of(row: RowMapping) -> Collection:
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
        state=row["state"],
        previous=None if row["previous"] is None else Generation(**row["previous"]),
    )


def generation_columns(generation: Generation) -> dict[str, str | int]:
    return {
        "index_id": generation.index_id,
        "model": generation.model,
        "model_revision": generation.model_revision,
        "dimensions": generation.dimensions,
    }


def previous_column(generation: Generation | None) -> dict[str, str | int] | None:
    return None if generation is None else asdict(generation)


async def lock_by_name(connection: AsyncConnection, name: str) -> RowMapping | None:
    """Return the live collection of that name, locked until the commit."""
    if not is_name(name):
        return None
    query = BY_NAME.with_for_update()
    row = (await connection.execute(query, {"wanted": name})).mappings().one_or_none()
    if row is not None:
        return row
    # Again: Postgres waits for a replacement, and then finds the old one renamed.
    return (await connection.execute(query, {"wanted": name})).mappings().one_or_none()


async def lock_by_id(connection: AsyncConnection, collection_id: str) -> RowMapping | None:
    """Return the collection of that id, locked until the commit."""
    query = BY_ID.with_for_update()
    return (await connection.execute(query, {"wanted": collection_id})).mappings().one_or_none()


async def is_unchanged(
    connection: AsyncConnection, collection: Collection, *, with_model: bool = False
) -> bool:
    """Lock the collection and return whether it is still what its reader saw.

    With its model: also whether its metadata name the same one.
    """
    row = await lock_by_id(connection, collection.id)
    if row is None:
        return False
    now = collection_of(row)
    same_model = now.wanted_model == collection.wanted_model
    return _seen(now) == _seen(collection) and (same_model or not with_model)


async def rename(
    connection: AsyncConnection,
    collection_id: str,
    name: str,
    state: CollectionState,
    retired_at_s: float | None,
) -> None:
    """Give the collection another name and state."""
    await connection.execute(
        update(schema.collections)
        .where(_COLLECTION.id == collection_id)
        .values(name=name, state=state, retired_at_s=retired_at_s)
    )


async def move_to(
    connection: AsyncConnection,
    collection_id: str,
    generation: Generation,
    now_s: float,
    *,
    keep_previous: bool = False,
) -> None:
    """Point the collection at another generation and retire the index it had.

    The index kept for a rollback is retired too, unless `keep_previous`.
    """
    row = await lock_by_id(connection, collection_id)
    if row is None:
        return
    old = collection_of(row)
    kept = old.previous if keep_previous else None
    await connection.execute(
        update(schema.collections)
        .where(_COLLECTION.id == collection_id)
        .values(**generation_columns(generation), previous=previous_column(kept))
    )
    await retire_index(connection, old.generation.index_id, now_s)
    if old.previous is not None and kept is None:
        await retire_index(connection, old.previous.index_id, now_s)


async def switch_to(
    connection: AsyncConnection, collection_id: str, generation: Generation, now_s: float
) -> None:
    """Point the collection at a generation of another model, and keep the one it had."""
    row = await lock_by_id(connection, collection_id)
    if row is None:
        return
    old = collection_of(row)
    await connection.execute(
        update(schema.collections)
        .where(_COLLECTION.id == collection_id)
        .values(
            **generation_columns(generation),
            previous=previous_column(old.generation),
            metadata={**old.metadata, MODEL_KEY: generation.model},
        )
    )
    if old.previous is not None and old.previous.index_id != generation.index_id:
        await retire_index(connection, old.previous.index_id, now_s)


async def retire_index(connection: AsyncConnection, index_id: str, now_s: float) -> None:
    """Record that no collection uses an index any more, so that it is cleared away."""
    await connection.execute(
        insert(schema.retired_indexes), {"index_id": index_id, "retired_at_s": now_s}
    )


def _seen(collection: Collection) -> tuple[str, int, CollectionState]:
    return collection.generation.index_id, collection.revision, collection.state
