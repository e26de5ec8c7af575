"""The row work behind large loads: their items, what became of them, what is forgotten."""

from collections.abc import Mapping, Sequence

from sqlalchemy import and_, bindparam, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from sourcebook.core.errors import InvalidInput
from sourcebook.core.jobs import UNFINISHED, ItemResult, LoadItem, LoadTally
from sourcebook.core.metadata import JsonValue, Metadata
from sourcebook.providers.storage import schema
from sourcebook.providers.storage.database import to_json
from sourcebook.providers.storage.texts import as_storable

KEPT_LOADS = 200
LISTED_FAILURES = 100
SLICE_CHARACTERS = 1_000_000
# What a row costs beside its document, so that a slice of tiny documents ends too.
ROW_CHARACTERS = 1_000

# What is left of a document that nobody needs any more.
_SPENT: dict[str, JsonValue] = {}

_ITEM = schema.load_items.c
_JOB = schema.jobs.c

NEXT_ITEMS = (
    select(_ITEM.position, _ITEM.document)
    .join(schema.jobs, _JOB.id == _ITEM.job_id)
    .where(_ITEM.job_id == bindparam("job"), _ITEM.status.is_(None), _JOB.status.in_(UNFINISHED))
    .order_by(_ITEM.position)
    .limit(bindparam("at_most"))
)


def slices_of(documents: Sequence[Metadata]) -> list[list[LoadItem]]:
    """The items of a load, in slices that are written quickly; InvalidInput if one is no JSON."""
    slices: list[list[LoadItem]] = []
    room = 0
    for position, document in enumerate(documents):
        cost = ROW_CHARACTERS + _length(position, document)
        if cost > room:
            slices.append([])
            room = SLICE_CHARACTERS
        slices[-1].append(LoadItem(position, document))
        room -= cost
    return slices


async def put_items(
    connection: AsyncConnection, job_id: int, slices: Sequence[Sequence[LoadItem]]
) -> None:
    """Insert the items. In slices: fifty megabytes at once would hold up other requests."""
    for items in slices:
        rows = [
            {"job_id": job_id, "position": item.position, "document": dict(item.document)}
            for item in items
        ]
        await connection.execute(insert(schema.load_items), rows)


async def settle_items(
    connection: AsyncConnection, job_id: int, results: Mapping[int, ItemResult]
) -> None:
    """Record what became of items, unless that is known, and give the space of the texts back."""
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
    """Give the space back of what an ended load left undone; the items still count."""
    left = update(schema.load_items).where(_ITEM.job_id == job_id, _ITEM.status.is_(None))
    await connection.execute(left.values(document=_SPENT))


async def tally_of(connection: AsyncConnection, job_id: int) -> LoadTally:
    """How many items of a load have which status, and the first that failed."""
    counting = (
        select(_ITEM.status, func.count()).where(_ITEM.job_id == job_id).group_by(_ITEM.status)
    )
    counts = {row[0]: row[1] for row in await connection.execute(counting)}
    failing = (
        select(_ITEM.position, _ITEM.status, _ITEM.result)
        .where(_ITEM.job_id == job_id, _ITEM.status == "failed")
        .order_by(_ITEM.position)
        .limit(LISTED_FAILURES)
    )
    failures = [
        (position, ItemResult(status, **result))
        for position, status, result in await connection.execute(failing)
    ]
    return LoadTally(
        total=sum(counts.values()),
        by_status={status: count for status, count in counts.items() if status is not None},
        failures=tuple(failures),
    )


async def forget_old_loads(connection: AsyncConnection) -> None:
    """Keep the latest finished loads; the others go with their items."""
    finished = and_(_JOB.kind == "documents", _JOB.status.not_in(UNFINISHED))
    newest_to_go = (
        select(_JOB.id).where(finished).order_by(_JOB.id.desc()).offset(KEPT_LOADS).limit(1)
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
        "document": _SPENT,
    }
