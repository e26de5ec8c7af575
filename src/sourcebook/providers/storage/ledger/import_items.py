"""Statements on the items of large loads: insert, settle, count, expire."""

from collections.abc import Mapping, Sequence

from sqlalchemy import and_, bindparam, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from sourcebook.core.errors import InvalidInput
from sourcebook.core.jobs import UNFINISHED, ImportItem, ImportTally, ItemResult
from sourcebook.core.metadata import JsonValue, Metadata
from sourcebook.providers.storage.ledger import schema
from sourcebook.providers.storage.sql import as_storable, to_json

MAX_FINISHED_LOADS = 200
MAX_LISTED_FAILURES = 100
MAX_SLICE_CHARS = 1_000_000
# What a row costs besides its document, so that slices of tiny documents are limited too.
ROW_OVERHEAD_CHARS = 1_000

# What replaces a document that nobody needs any more.
_DROPPED: dict[str, JsonValue] = {}

_ITEM = schema.load_items.c
_JOB = schema.jobs.c

NEXT_ITEMS = (
    select(_ITEM.position, _ITEM.document)
    .join(schema.jobs, _JOB.id == _ITEM.job_id)
    .where(_ITEM.job_id == bindparam("job"), _ITEM.status.is_(None), _JOB.status.in_(UNFINISHED))
    .order_by(_ITEM.position)
    .limit(bindparam("at_most"))
)


def slice_items(documents: Sequence[Metadata]) -> list[list[ImportItem]]:
    """Split a load into slices that are inserted quickly; InvalidInput if one is no JSON."""
    slices: list[list[ImportItem]] = []
    room = 0
    for position, document in enumerate(documents):
        cost = ROW_OVERHEAD_CHARS + _length(position, document)
        if cost > room:
            slices.append([])
            room = MAX_SLICE_CHARS
        slices[-1].append(ImportItem(position, document))
        room -= cost
    return slices


async def insert_items(
    connection: AsyncConnection, job_id: int, slices: Sequence[Sequence[ImportItem]]
) -> None:
    """Insert the items. In slices: fifty megabytes at once would block other requests."""
    for items in slices:
        rows = [
            {"job_id": job_id, "position": item.position, "document": dict(item.document)}
            for item in items
        ]
        await connection.execute(insert(schema.load_items), rows)


async def settle_items(
    connection: AsyncConnection, job_id: int, results: Mapping[int, ItemResult]
) -> None:
    """Record the results of items that have none yet, and drop their documents to free space."""
    if not results:
        return
    rows = [{"at": position, **_columns(result)} for position, result in results.items()]
    await connection.execute(
        update(schema.load_items).where(
            _ITEM.job_id == job_id, _ITEM.position == bindparam("at"), _ITEM.status.is_(None)
        ),
        rows,
    )


async def drop_documents(connection: AsyncConnection, job_id: int) -> None:
    """Drop the unprocessed documents of an ended load to free space; the items still count."""
    left = update(schema.load_items).where(_ITEM.job_id == job_id, _ITEM.status.is_(None))
    await connection.execute(left.values(document=_DROPPED))


async def count_items(connection: AsyncConnection, job_id: int) -> ImportTally:
    """Count the items of a load by status, and list the first that failed."""
    counting = (
        select(_ITEM.status, func.count()).where(_ITEM.job_id == job_id).group_by(_ITEM.status)
    )
    counts = {row[0]: row[1] for row in await connection.execute(counting)}
    failing = (
        select(_ITEM.position, _ITEM.status, _ITEM.result)
        .where(_ITEM.job_id == job_id, _ITEM.status == "failed")
        .order_by(_ITEM.position)
        .limit(MAX_LISTED_FAILURES)
    )
    failures = [
        (position, ItemResult(status, **result))
        for position, status, result in await connection.execute(failing)
    ]
    return ImportTally(
        total=sum(counts.values()),
        by_status={status: count for status, count in counts.items() if status is not None},
        failures=tuple(failures),
    )


async def delete_old_loads(connection: AsyncConnection) -> None:
    """Delete finished loads with their items, except the latest."""
    finished = and_(_JOB.kind == "documents", _JOB.status.not_in(UNFINISHED))
    newest_to_go = (
        select(_JOB.id).where(finished).order_by(_JOB.id.desc()).offset(MAX_FINISHED_LOADS).limit(1)
    ).scalar_subquery()
    await connection.execute(delete(schema.jobs).where(finished, _JOB.id <= newest_to_go))


def _length(position: int, document: Metadata) -> int:
    try:
        return len(to_json(dict(document)))
    except (ValueError, RecursionError):
        raise InvalidInput(
            f"Document {position} holds a number that is not finite, or is nested too deep;"
            " no JSON can hold it"
        ) from None


def _columns(result: ItemResult) -> dict[str, object]:
    name, message = result.document_id, result.message
    return {
        "status": result.status,
        "result": {
            "document_id": None if name is None else as_storable(name),
            "chunk_count": result.chunk_count,
            "message": None if message is None else as_storable(message),
        },
        "document": _DROPPED,
    }
