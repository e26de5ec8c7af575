"""Triggers a job of a Sourcebook service, waits for its end, and says what became of the book.

It needs Python alone. The exit code is 1 if the job fails, takes too long, or loses questions.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

POLL_INTERVAL_S = 2.0
REQUEST_TIMEOUT_S = 30.0
ENDED = frozenset({"completed", "partial", "failed", "cancelled"})
MAX_SHOWN = 20


class Failed(Exception):
    """The step fails with this message."""


@dataclass(frozen=True)
class Service:
    """A service and its admin key."""

    url: str
    key: str

    def call(self, method: str, path: str, body: Mapping[str, object] | None = None) -> Any:
        """Return the reply; Failed says what the service said."""
        request = urllib.request.Request(  # noqa: S310 - the address is the operator's
            self.url.rstrip("/") + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"X-Admin-API-Key": self.key, "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=REQUEST_TIMEOUT_S) as reply:  # noqa: S310
                return json.load(reply)
        except urllib.error.HTTPError as error:
            said = error.read(2_000).decode(errors="replace")
            raise Failed(f"{method} {path} answered {error.code}: {said}") from None
        except (urllib.error.URLError, TimeoutError, ValueError) as error:
            raise Failed(f"{method} {path} cannot be reached: {error}") from None


def run(environment: Mapping[str, str]) -> dict[str, Any]:
    """Trigger a job and return it when it has ended."""
    service = Service(environment["SOURCEBOOK_URL"], environment["SOURCEBOOK_ADMIN_KEY"])
    body = {"mode": environment.get("SOURCEBOOK_MODE") or "incremental"}
    if environment.get("SOURCEBOOK_BOOK"):
        body["book_id"] = environment["SOURCEBOOK_BOOK"]
    job_id = service.call("POST", "/ingestion/trigger", body)["job_id"]
    print(f"Job {job_id} of {service.url}")
    deadline_s = time.monotonic() + 60 * float(environment.get("SOURCEBOOK_TIMEOUT_MINUTES") or 30)
    while time.monotonic() < deadline_s:
        job: dict[str, Any] = service.call("GET", f"/ingestion/status/{job_id}")
        if job["status"] in ENDED:
            return job
        time.sleep(POLL_INTERVAL_S)
    raise Failed(f"Job {job_id} has not ended in time; it goes on in the service")


def report(job: Mapping[str, Any]) -> Iterator[str]:
    """Say in a few lines what the job did."""
    yield (
        f"{job['status']}: {job['files_processed']} files processed, {job['files_skipped']}"
        f" unchanged, {job['chunks_created']} chunks, {job['warning_count']} warnings"
    )
    for warning in job["warnings"][:MAX_SHOWN]:
        yield f"warning: {warning['path']}: {warning['message']}"
    test = job["self_test"]
    if test is not None:
        yield f"self-test: {test['found']} of {test['probes']} questions find their lesson"
        for probe in test["newly_lost"][:MAX_SHOWN]:
            yield f"lost: {json.dumps(probe, ensure_ascii=False)}"


def newly_lost(job: Mapping[str, Any]) -> int:
    """Return how many questions were found before and are not any more."""
    return 0 if job["self_test"] is None else len(job["self_test"]["newly_lost"])


def main(environment: Mapping[str, str]) -> int:
    try:
        job = run(environment)
    except Failed as failure:
        print(f"::error::{failure}")
        return 1
    print("\n".join(report(job)))
    lost = newly_lost(job)
    if "GITHUB_OUTPUT" in environment:
        with Path(environment["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as outputs:
            outputs.write(f"job-id={job['job_id']}\nnewly-lost={lost}\n")
    if job["status"] in {"failed", "cancelled"}:
        print(f"::error::The job {job['status']}: {job['error_message']}")
        return 1
    if lost and environment.get("SOURCEBOOK_FAIL_ON_LOST", "true") == "true":
        print(f"::error::{lost} questions that were found before are not found any more")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(os.environ))
