"""The row work behind jobs that change a model: one for each collection, and what it builds."""

from sqlalchemy import RowMapping, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from sourcebook.core.errors import Conflict, NotFound
from sourcebook.core.jobs import UNFINISHED, IngestJob, JobRequest
from sourcebook.providers.storage import schema
from sourcebook.providers.storage.collection_rows import locked_by_id, retire
from sourcebook.providers.storage.job_rows import job_of, new_columns

_JOB = schema.jobs.c


async def queue_reindex(
    connection: AsyncConnection, collection_id: str, request: JobRequest, now_s: float
) -> IngestJob:
    """The job that does this: the one that waits or runs already, or a new one."""
    # Locked: whoever orders for the same collection at the same moment comes after us.
    if await locked_by_id(connection, collection_id) is None:
        raise NotFound("The collection was deleted in the meantime")
    under_way = select(schema.jobs).where(
        _JOB.book_id == request.book_id, _JOB.status.in_(UNFINISHED)
    )
    row = (await connection.execute(under_way)).mappings().one_or_none()
    if row is None:
        added = insert(schema.jobs).returning(*schema.jobs.c)
        columns = new_columns(request, now_s, kind="reindex")
        return job_of((await connection.execute(added, columns)).mappings().one())
    _refuse_another(row, request)
    return job_of(row)


async def retire_built(connection: AsyncConnection, job_id: int, now_s: float) -> None:
    """Leave the index that a job of kind `reindex` was building to be cleared away."""
    query = select(_JOB.building).where(_JOB.id == job_id, _JOB.kind == "reindex")
    building = await connection.scalar(query)
    if building is None:
        return
    await retire(connection, building, now_s)
    await connection.execute(update(schema.jobs).where(_JOB.id == job_id).values(building=None))


def _refuse_another(row: RowMapping, request: JobRequest) -> None:
    if (row["model"], row["back_to"]) == (request.model, request.back_to):
        return
    doing = f"changes the collection to model {row['model']!r}"
    if row["back_to"] is not None:
        doing = f"takes the collection back to model {row['model']!r}"
    raise Conflict(f"Job {row['id']} {doing} ({row['status']}); wait for its end, or cancel it")
