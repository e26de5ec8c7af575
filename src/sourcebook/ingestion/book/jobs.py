"""Submits, previews, looks up and cancels the jobs that keep a book indexed."""

from collections.abc import Callable

from sourcebook.core.errors import NotFound
from sourcebook.core.jobs import IngestJob, JobRequest
from sourcebook.core.ports import JobLedger
from sourcebook.ingestion.book.run import BookRun, Preview


class BookJobs:
    """The queue of book jobs.

    `accept` returns a request as it is to be recorded, and refuses one for a source that it may
    not name.
    """

    def __init__(
        self,
        jobs: JobLedger,
        book_run: BookRun,
        accept: Callable[[JobRequest], JobRequest],
        wake: Callable[[], None],
    ) -> None:
        self._jobs = jobs
        self._book_run = book_run
        self._accept = accept
        self._wake = wake

    async def submit(self, request: JobRequest, delivery_id: str | None = None) -> IngestJob:
        """Enqueue a job. It is durable when this returns, and starts soon."""
        job = await self._jobs.enqueue(self._accept(request), delivery_id)
        self._wake()
        return job

    async def preview(self, request: JobRequest) -> Preview:
        """Return what a run would do, without changing anything."""
        return await self._book_run.preview(self._accept(request))

    async def job(self, job_id: int) -> IngestJob:
        """Return the job; NotFound if there is no book job of that number."""
        job = await self._jobs.get(job_id)
        if job.kind != "book":
            raise NotFound(f"Job {job_id} not found")
        return job

    async def recent(self, limit: int, book_id: str | None = None) -> list[IngestJob]:
        """Return the latest jobs, newest first."""
        return await self._jobs.recent(limit, book_id)

    async def cancel(self, job_id: int) -> IngestJob:
        """End a queued job, or ask a running one to stop."""
        await self.job(job_id)
        return await self._jobs.cancel(job_id)

    async def latest_indexed(self, book_id: str) -> IngestJob | None:
        """Return the latest job that changed what readers see."""
        return await self._jobs.latest_indexed(book_id)
