"""The jobs of books, in the words of the book contract, for commands that follow them."""

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from sourcebook.core.errors import InvalidInput
from sourcebook.core.jobs import UNFINISHED
from sourcebook.surfaces.book.ingestion_results import changes_out, job_out
from sourcebook.surfaces.book.ingestion_schemas import ChangesOut, JobOut, TriggerIn
from sourcebook.surfaces.book.job_requests import job_request

if TYPE_CHECKING:
    from sourcebook.ingestion.book.jobs import BookJobs
    from sourcebook.surfaces.use_cases import UseCases

RECENT_JOBS = 20

Model = TypeVar("Model", bound=BaseModel)


class Jobs(Protocol):
    """Jobs that a command starts and follows."""

    async def trigger(self, asked: TriggerIn) -> int: ...
    async def job(self, job_id: int) -> JobOut: ...
    async def running_before(self, job_id: int) -> JobOut | None: ...
    async def cancel(self, job_id: int) -> None: ...


class CommandJobs:
    """Starts jobs and follows them. Whoever works on the data folder may run them."""

    def __init__(self, use: "UseCases") -> None:
        self._jobs = use.book_jobs
        self._use = use

    async def trigger(self, asked: TriggerIn) -> int:
        """Start a job and return its id."""
        return (await self._jobs.submit(job_request(self._use, asked, "local"))).id

    async def job(self, job_id: int) -> JobOut:
        return job_out(await self._jobs.job(job_id), time.time())

    async def running_before(self, job_id: int) -> JobOut | None:
        """Return the job that a queued one waits for."""
        if (await self.job(job_id)).status != "queued":
            return None
        earlier = [job for job in await self._jobs.recent(RECENT_JOBS) if job.id < job_id]
        running = next((job for job in reversed(earlier) if job.status == "running"), None)
        return None if running is None else job_out(running, time.time())

    async def cancel(self, job_id: int) -> None:
        await self._jobs.cancel(job_id)

    async def changes(self, asked: TriggerIn) -> ChangesOut:
        """Return what a run would change."""
        preview = await self._jobs.preview(job_request(self._use, asked, "local"))
        return changes_out(preview, asked.mode)


class HasJobs(Protocol):
    """What knows the jobs of books."""

    @property
    def book_jobs(self) -> "BookJobs": ...


async def has_open_job(use: HasJobs, book_id: str) -> bool:
    """Return whether the latest job of a book has not ended."""
    return any(job.status in UNFINISHED for job in await use.book_jobs.recent(1, book_id))


def validated(kind: type[Model], fields: Mapping[str, object]) -> Model:
    """Build a request; InvalidInput names the first field that is wrong."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)[0]
        raise InvalidInput(f"{found['loc'][0]}: {found['msg']}") from None
