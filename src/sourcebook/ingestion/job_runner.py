"""Works off the queue of ingestion jobs, one at a time, and keeps the lease of each alive."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Protocol

from sourcebook.core.errors import LeaseLost, SourcebookError
from sourcebook.core.jobs import IngestJob, JobKind, Outcome, Progress
from sourcebook.core.ports import JobLedger
from sourcebook.ingestion.reporting import Report

log = logging.getLogger(__name__)

LEASE_S = 30.0
BEAT_EVERY_S = 1.0
LOOK_EVERY_S = 5.0


class Run(Protocol):
    """What does the work of a job."""

    async def run(self, job: IngestJob, report: Report) -> Outcome:
        """Do the job and say how it ended; LeaseLost if another worker has it now."""
        ...


class JobRunner:
    """Runs jobs of one kind until it is cancelled. `wake` saves it the wait for its next look."""

    def __init__(self, jobs: JobLedger, work: Run, kind: JobKind = "book") -> None:
        self._jobs = jobs
        self._work = work
        self._kind = kind
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """There is something to do."""
        self._woken.set()

    async def run_for_ever(self) -> None:
        """Take up one job after another."""
        while True:
            self._woken.clear()
            try:
                job = await self._jobs.claim(LEASE_S, self._kind)
                if job is not None:
                    await self.run(job)
                    continue
            except Exception:
                # The edge of the worker: it must outlive whatever happens to one look or one job.
                # A job that was begun is taken up again when its lease is over.
                log.exception("job_runner_failed")
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_EVERY_S):
                    await self._woken.wait()

    async def run(self, job: IngestJob) -> None:
        """Run one job to its end, unless another worker takes it away."""
        report = Report(_carried_on(job))
        log.info("job_started", extra=_described(job))
        try:
            async with self._beating(job, report):
                outcome = await self._work.run(job, report)
        except LeaseLost:
            log.warning("job_lost", extra=_described(job))
            return
        except asyncio.CancelledError:
            # We are shutting down: whoever starts next goes on at once.
            with suppress(SourcebookError):
                await self._jobs.let_go(job.fence)
            raise
        except Exception:
            # The edge of the job: whatever it was, the job must come to an end that people see.
            log.exception("job_crashed", extra=_described(job))
            outcome = Outcome("failed", error="An internal error; the log of the service has more")
        await self._finish(job, report, outcome)

    async def _finish(self, job: IngestJob, report: Report, outcome: Outcome) -> None:
        with suppress(LeaseLost):
            await self._jobs.finish(job.fence, outcome, report.progress, report.warnings)
        log.info("job_finished", extra={**_described(job), "status": outcome.status})

    @asynccontextmanager
    async def _beating(self, job: IngestJob, report: Report) -> AsyncIterator[None]:
        """Keep the lease; losing it ends the work."""
        worker = asyncio.current_task()
        lost = False

        async def beat() -> None:
            nonlocal lost
            while True:
                await asyncio.sleep(BEAT_EVERY_S)
                try:
                    report.cancelled = await self._jobs.beat(
                        job.fence, report.progress, report.warnings, LEASE_S
                    )
                except LeaseLost:
                    lost = True
                    if worker is not None:
                        worker.cancel()
                    return
                except SourcebookError:
                    log.warning("job_beat_failed", extra=_described(job))

        beating = asyncio.create_task(beat())
        try:
            yield
        except asyncio.CancelledError:
            if lost and worker is not None:
                worker.uncancel()
                raise LeaseLost(f"Job {job.id} was taken over by another worker") from None
            raise
        finally:
            beating.cancel()
            with suppress(asyncio.CancelledError):
                await beating


def _carried_on(job: IngestJob) -> Progress:
    """An incremental job that is taken up again goes on counting; the others begin anew."""
    return job.progress if job.request.mode == "incremental" else Progress()


def _described(job: IngestJob) -> dict[str, str | int]:
    return {"job": job.id, "book": job.request.book_id, "mode": job.request.mode}
