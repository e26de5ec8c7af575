"""Runs queued jobs one at a time and renews the lease of the running one."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, replace
from typing import Protocol

from sourcebook.core.book_source import FileProblem, describe_kinds
from sourcebook.core.errors import LeaseLost, SourcebookError, Unavailable, logged_reason
from sourcebook.core.jobs import IngestJob, JobKind, Outcome, Progress
from sourcebook.core.meters import Meter, NoMeter
from sourcebook.core.ports import JobLedger

log = logging.getLogger(__name__)

LEASE_S = 30.0
HEARTBEAT_INTERVAL_S = 1.0
POLL_INTERVAL_S = 5.0
# While the ledger is away or the disk is full, each pause is twice as long as the one before.
MAX_PAUSE_S = 60.0
# As many warnings are held; of the others it is known how many there are.
MAX_WARNINGS = 1_000

CANCELLED = Outcome("cancelled", error="Cancelled on request")


class JobCancelled(Exception):
    """A client asked for the running job to stop."""


class JobReport:
    """Progress and warnings of one run. The heartbeat stores them and sets `cancelled`."""

    def __init__(self, progress: Progress | None = None) -> None:
        self.progress = progress or Progress()
        self.cancelled = False
        self._warnings: list[FileProblem] = []
        self._seen: set[int] = set()
        self._unnamed = 0

    @property
    def warnings(self) -> tuple[FileProblem, ...]:
        """The first problems, in the order in which they were found."""
        return tuple(self._warnings)

    def add(self, **counts: int) -> None:
        """Add to the counters of these names."""
        changed = {name: getattr(self.progress, name) + more for name, more in counts.items()}
        self.progress = replace(self.progress, **changed)

    def found(self, chunks: int, done: int) -> None:
        """Set how many chunks there are, and how many of them are done."""
        self.progress = replace(self.progress, chunks_found=chunks, chunks_created=done)

    def at(self, file: str | None) -> None:
        """Set the current file; raises JobCancelled if the job was asked to stop."""
        if self.cancelled:
            raise JobCancelled
        self.progress = replace(self.progress, current_file=file)

    def warn(self, problems: Iterable[FileProblem], unnamed: int | None = None) -> None:
        """Record problems, each once; `unnamed` says how many there are besides."""
        self._unnamed = self._unnamed if unnamed is None else unnamed
        for problem in problems:
            if hash(problem) in self._seen:
                continue
            self._seen.add(hash(problem))
            if len(self._warnings) < MAX_WARNINGS:
                self._warnings.append(problem)
        self.progress = replace(self.progress, warning_count=len(self._seen) + self._unnamed)


class JobHandler(Protocol):
    """Does the work of a job."""

    async def run(self, job: IngestJob, report: JobReport) -> Outcome:
        """Run the job and return how it ended; LeaseLost if another worker has it now."""
        ...


class JobRunner:
    """Runs jobs of one kind until it is cancelled. It polls the queue; `wake` polls at once."""

    def __init__(
        self,
        jobs: JobLedger,
        work: JobHandler,
        kind: JobKind = "book",
        meter: Meter | None = None,
    ) -> None:
        self._jobs = jobs
        self._work = work
        self._kind = kind
        self._meter = meter or NoMeter()
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """Poll the queue at once: there is a new job."""
        self._woken.set()

    async def run_for_ever(self) -> None:
        """Claim and run one job after another."""
        failures = 0
        while True:
            self._woken.clear()
            pause_s = POLL_INTERVAL_S
            try:
                job = await self._jobs.claim(LEASE_S, self._kind)
                failures = 0
                if job is not None:
                    await self.run(job)
                    continue
            except Unavailable as error:
                pause_s = min(POLL_INTERVAL_S * 2**failures, MAX_PAUSE_S)
                failures += 1
                about = {"kind": self._kind, "again_in_s": pause_s}
                log.warning("jobs_paused", extra=about | logged_reason(error))
            except Exception:
                # The edge of the worker: it must outlive whatever happens to one poll or one job.
                # A job that was begun is claimed again when its lease expires.
                log.exception("job_runner_failed")
            with suppress(TimeoutError):
                async with asyncio.timeout(pause_s):
                    await self._woken.wait()

    async def run(self, job: IngestJob) -> None:
        """Run one job to its end, unless another worker takes it over."""
        report, started_s = JobReport(_resumed_progress(job)), time.monotonic()
        # The process before this one may have ended before it could cancel it.
        report.cancelled = job.cancel_requested
        log.info("job_started", extra=_described(job))
        try:
            async with self._heartbeat(job, report):
                outcome = await self._work.run(job, report)
        except LeaseLost:
            log.warning("job_lost", extra=_described(job))
            return
        except asyncio.CancelledError:
            # The process is shutting down: another worker may continue at once.
            with suppress(SourcebookError):
                await self._jobs.let_go(job.fence)
            raise
        except Exception:
            # The edge of the job: whatever it was, the job must come to an end that people see.
            log.exception("job_crashed", extra=_described(job))
            outcome = Outcome("failed", error="An internal error; the log of the service has more")
        await self._finish(job, report, outcome, time.monotonic() - started_s)

    async def _finish(
        self, job: IngestJob, report: JobReport, outcome: Outcome, duration_s: float
    ) -> None:
        with suppress(LeaseLost):
            await self._jobs.finish(job.fence, outcome, report.progress, report.warnings)
            self._meter.job(self._kind, outcome.status, duration_s)
        log.info("job_finished", extra=_described(job) | _summary(report, outcome, duration_s))

    @asynccontextmanager
    async def _heartbeat(self, job: IngestJob, report: JobReport) -> AsyncIterator[None]:
        """Renew the lease until the work is done; losing it cancels the work."""
        worker = asyncio.current_task()
        lost = False

        async def renew() -> None:
            nonlocal lost
            while True:
                await asyncio.sleep(HEARTBEAT_INTERVAL_S)
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

        heartbeat = asyncio.create_task(renew())
        try:
            yield
        except asyncio.CancelledError:
            if lost and worker is not None:
                worker.uncancel()
                raise LeaseLost(f"Job {job.id} was taken over by another worker") from None
            raise
        finally:
            heartbeat.cancel()
            with suppress(asyncio.CancelledError):
                await heartbeat


def _resumed_progress(job: IngestJob) -> Progress:
    """A resumed incremental job continues its counts; the others start from zero."""
    if job.request.mode != "incremental":
        return Progress()
    return replace(job.progress, warning_count=0)  # they are all found again


def _summary(
    report: JobReport, outcome: Outcome, duration_s: float
) -> dict[str, str | int | float]:
    """What a job did, in numbers; those that are zero because it does no such thing, too."""
    counts = asdict(report.progress)
    del counts["current_file"]
    return {
        "status": outcome.status,
        "duration_s": round(duration_s, 3),
        "warnings": counts.pop("warning_count"),
        **counts,
        "other_files": describe_kinds(report.progress.other_files),
    }


def _described(job: IngestJob) -> dict[str, str | int | float]:
    return {"job": job.id, "book": job.request.book_id, "mode": job.request.mode}
