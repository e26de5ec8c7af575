"""Releases free memory to the system after a job.

Measured: after a book of 1,672 pages the allocator kept 60 MB of free memory, spread
over the heaps of many threads. By itself it gives back only what is free at the end of a heap.
"""

import asyncio
import ctypes

from sourcebook.core.jobs import IngestJob, Outcome
from sourcebook.ingestion.job_runner import JobHandler, JobReport


class MemoryReleasingRun:
    """Wraps the handler of a job, and releases free memory when a job ends."""

    def __init__(self, inner: JobHandler) -> None:
        self._inner = inner

    async def run(self, job: IngestJob, report: JobReport) -> Outcome:
        """Run the job, then release memory."""
        outcome = await self._inner.run(job, report)
        await asyncio.to_thread(release_free_memory)
        return outcome


def release_free_memory() -> bool:
    """Return whether anything was released. Only glibc's allocator can do it."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return trim is not None and bool(trim(0))
