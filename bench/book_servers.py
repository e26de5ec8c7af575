"""Runs `sourcebook serve` with a book and waits for its ingestion jobs."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.servers import Server, sourcebook

ADMIN_KEY = "the-key-of-the-benchmark"
EVERY_PAGE = "**/*.md"
JOB_TIMEOUT_S = 1_800
POLL_INTERVAL_S = 0.1


@dataclass(frozen=True, slots=True)
class BookServer:
    """A ready server whose book only the benchmark changes."""

    server: Server

    def begin(self, **asked: str) -> int:
        """Start an ingestion and return the id of its job."""
        job_id: int = self.server.post("/ingestion/trigger", asked, _ADMIN)["job_id"]
        return job_id

    def job(self, job_id: int) -> dict[str, Any]:
        job: dict[str, Any] = self.server.get(f"/ingestion/status/{job_id}", _ADMIN)
        return job

    def ingest(self, **asked: str) -> dict[str, Any]:
        """Start an ingestion and wait for it; an error unless it completes."""
        return self.finish(self.begin(**asked))

    def finish(self, job_id: int) -> dict[str, Any]:
        """Wait for a job; an error unless it completes."""
        end_s = time.monotonic() + JOB_TIMEOUT_S
        while (job := self.job(job_id))["status"] in {"queued", "running"}:
            if time.monotonic() > end_s:
                raise RuntimeError(f"Job {job_id} did not end within {JOB_TIMEOUT_S} s")
            time.sleep(POLL_INTERVAL_S)
        if job["status"] != "completed":
            raise RuntimeError(f"Job {job_id} ended {job['status']}: {job['error_message']}")
        return job


@contextmanager
def book_server(folder: Path, **environment: str) -> Iterator[BookServer]:
    """Serve a book of every Markdown file; jobs start only on request."""
    with sourcebook(folder, **_SETTINGS, **environment) as server:
        yield BookServer(server)


_ADMIN: Mapping[str, str] = {"X-Admin-API-Key": ADMIN_KEY}
_SETTINGS = {
    "ADMIN_API_KEY": ADMIN_KEY,
    "SOURCEBOOK_BOOK_PATTERNS": EVERY_PAGE,
    "SOURCEBOOK_RECONCILE_MINUTES": "0",
}
