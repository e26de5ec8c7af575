"""Memory that a job has freed goes back to the system."""

import ctypes
import re
from pathlib import Path

import pytest

from sourcebook.core.jobs import IngestJob, JobRequest, Outcome
from sourcebook.core.ports import Ledger
from sourcebook.ingestion.job_runner import LEASE_S, JobReport
from sourcebook.providers.free_memory import release_free_memory
from sourcebook.service.wiring.ingestion import MemoryReleasingRun
from tests.books import BOOK

glibc_only = pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="the allocator is not that of glibc"
)
BLOCK = 64 * 1024
BLOCKS = 1_000


class Wasteful:
    """A run that leaves much free memory behind, below a little that is still in use."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None)
        self._libc.malloc.restype = ctypes.c_void_p
        self._libc.free.argtypes = [ctypes.c_void_p]
        self._kept: int | None = None

    async def run(self, job: IngestJob, report: JobReport) -> Outcome:
        blocks = [self._libc.malloc(BLOCK) for _ in range(BLOCKS)]
        for block in blocks:
            ctypes.memset(block, 1, BLOCK)
        self._kept = blocks.pop()
        for block in blocks:
            self._libc.free(block)
        return Outcome("partial", error="One file is left")

    def close(self) -> None:
        self._libc.free(self._kept)


async def _job(ledger: Ledger) -> IngestJob:
    await ledger.jobs.enqueue(JobRequest(BOOK))
    job = await ledger.jobs.claim(LEASE_S)
    assert job is not None
    return job


def _anonymous_bytes() -> int:
    found = re.search(r"RssAnon:\s+(\d+) kB", Path("/proc/self/status").read_text("utf-8"))
    assert found is not None
    return int(found[1]) * 1024


@glibc_only
async def test_what_a_job_has_freed_does_not_stay_with_the_process(ledger: Ledger) -> None:
    job, wasteful = await _job(ledger), Wasteful()
    release_free_memory()
    before = _anonymous_bytes()

    await wasteful.run(job, JobReport())
    without = _anonymous_bytes() - before
    wasteful.close()
    release_free_memory()
    outcome = await MemoryReleasingRun(wasteful).run(job, JobReport())
    thrifty = _anonymous_bytes() - before
    wasteful.close()

    assert without > BLOCK * BLOCKS * 0.8
    assert thrifty < BLOCK * BLOCKS * 0.2
    assert outcome == Outcome("partial", error="One file is left")
