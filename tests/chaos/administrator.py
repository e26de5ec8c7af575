"""Somebody who orders ingestion jobs over HTTP and follows them to their end."""

import time
from pathlib import Path
from typing import Any

from sourcebook.core.jobs import IngestMode
from tests.e2e.processes import Server

HANG_S = 120.0
FINISHED = {"completed", "partial", "failed", "cancelled"}


class Administrator:
    """Orders jobs and follows them."""

    def __init__(self, server: Server, data: Path) -> None:
        self._client = server.client
        self._key = {"X-Admin-API-Key": (data / "admin.key").read_text().strip()}

    def order(self, mode: IngestMode) -> int:
        """Order a job; its number. What the author deletes is meant."""
        asked = {"mode": mode, "force": True}
        reply = self._client.post("/ingestion/trigger", json=asked, headers=self._key)
        assert reply.status_code == 202, reply.text
        job_id: int = reply.json()["job_id"]
        return job_id

    def jobs(self) -> list[dict[str, Any]]:
        """The latest jobs, newest first."""
        reply = self._client.get("/ingestion/status?limit=200", headers=self._key)
        assert reply.status_code == 200, reply.text
        jobs: list[dict[str, Any]] = reply.json()
        return jobs

    def wait_for_the_end(self) -> None:
        """Wait until nothing is queued or runs."""
        end_s = time.monotonic() + HANG_S
        while left := [job for job in self.jobs() if job["status"] not in FINISHED]:
            assert time.monotonic() < end_s, f"These jobs never end: {left}"
            time.sleep(0.02)

    def wait_until_begun(self, job_id: int) -> None:
        """Wait until the job is not queued any more."""
        end_s = time.monotonic() + HANG_S
        while any(job["job_id"] == job_id and job["status"] == "queued" for job in self.jobs()):
            assert time.monotonic() < end_s, f"Job {job_id} never begins"
            time.sleep(0.005)

    def ingest(self, mode: IngestMode) -> str:
        """Order a job and wait for it; how it ended."""
        job_id = self.order(mode)
        self.wait_for_the_end()
        return next(str(job["status"]) for job in self.jobs() if job["job_id"] == job_id)
