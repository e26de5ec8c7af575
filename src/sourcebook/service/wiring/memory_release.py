"""Gives memory back to the system after a job.

Measured: after a book of 1,672 pages the allocator kept 60 MB of free memory, spread
over the heaps of many threads. By itself it gives back only what is free at the end of a heap.
"""

import asyncio
import ctypes

from sourcebook.core.jobs import IngestJob, Outcome
from sourcebook.ingestion.job_runner import JobHandler, JobReport


class MemoryReleasingRun:
    """Wraps what does the work of a job. When a job ends, only what is still in use stays."""

    def __init__(self, inner: JobHandler) -> None:
        self._inner = inner

    async def run(self, job: IngestJob, report: JobReport) -> Outcome:
        """Do the job as the wrapped run does it."""
        outcome = await self._inner.run(job, report)
        await asyncio.to_thread(release_free_memory)
        return outcome


def release_free_memory() -> bool:
    """Tell whether there was anything to give back. Only the allocator of glibc can be asked."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return trim is not None and bool(trim(0))
