"""Keeps a worker that lost its job from writing: the check and the write are one transaction."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from sourcebook.core.errors import LeaseLost
from sourcebook.core.jobs import Fence
from sourcebook.providers.storage import schema

_JOB = schema.jobs.c


async def check_fence(connection: AsyncConnection, fence: Fence | None) -> None:
    """Refuse with LeaseLost unless the job runs and is still this holder's; None always passes."""
    if fence is None:
        return
    # Locked: nobody can claim the job between this and the commit.
    query = select(_JOB.status, _JOB.token).where(_JOB.id == fence.job_id).with_for_update()
    row = (await connection.execute(query)).one_or_none()
    if row is None or tuple(row) != ("running", fence.token):
        raise LeaseLost(f"Job {fence.job_id} has ended or was taken over by another worker")
