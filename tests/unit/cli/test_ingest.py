"""`ingest` waits for its job, and a stop ends the job, not only the command."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import httpx2
import pytest
from typer.testing import CliRunner

from sourcebook.cli import ingest, jobs
from sourcebook.cli.book_jobs import HasJobs, has_open_job
from sourcebook.cli.ingest import Stopped, run_job
from sourcebook.cli.jobs import Stop, stop_on_signals
from sourcebook.cli.main import app
from sourcebook.core.errors import ConfigurationError
from sourcebook.core.jobs import IngestJob, JobRequest, JobStatus
from sourcebook.surfaces.book.ingestion_schemas import JobOut, TriggerIn
from tests.unit.cli.replies import job

Answer = Callable[[httpx2.Request], httpx2.Response]


class FakeJobs:
    """Has one job, which runs until it is cancelled or has been looked at often enough."""

    def __init__(self, looks: int) -> None:
        self.looks = looks
        self.cancelled = False
        self.stubborn = False
        self.on_look: Callable[[], None] = lambda: None

    async def trigger(self, asked: TriggerIn) -> int:
        return 7

    async def job(self, job_id: int) -> JobOut:
        self.looks -= 1
        self.on_look()
        status = "cancelled" if self.cancelled else "completed" if self.looks <= 0 else "running"
        return job(status=status)

    async def running_before(self, job_id: int) -> JobOut | None:
        return None

    async def cancel(self, job_id: int) -> None:
        self.cancelled = not self.stubborn


def _once(act: Callable[[], None]) -> Callable[[], None]:
    acts = [act]

    def act_once() -> None:
        if acts:
            acts.pop()()

    return act_once


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "POLL_INTERVAL_S", 0.001)


async def test_the_command_waits_for_the_job() -> None:
    service = FakeJobs(looks=3)

    done = await run_job(service, TriggerIn(), Stop())

    assert (done.status, service.cancelled) == ("completed", False)


class BusyJobs:
    """Job 7 waits for job 3, which a killed process has left; each look brings them on."""

    def __init__(self, **seventh: object) -> None:
        self._seventh = {"status": "completed", **seventh}
        self._looks = 0

    async def trigger(self, asked: TriggerIn) -> int:
        return 7

    async def job(self, job_id: int) -> JobOut:
        self._looks += job_id == 3
        done = self._looks > 2
        if job_id == 3:
            processed = 325 if done else 57
            status = "completed" if done else "running"
            return job(job_id=3, status=status, files_processed=processed, files_left=268)
        return job(job_id=7, **(self._seventh if done else {"status": "queued"}))

    async def running_before(self, job_id: int) -> JobOut | None:
        return await self.job(3)

    async def cancel(self, job_id: int) -> None:
        raise AssertionError("nobody asked for that")


async def test_a_job_that_a_killed_process_left_is_named_and_its_result_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = await run_job(BusyJobs(), TriggerIn(), Stop())

    assert (done.job_id, done.files_processed) == (3, 325)
    first = " ".join(capsys.readouterr().err.split())
    assert first.startswith("Going on with job 3 of the book 'book': 57 of 325 files are done")


async def test_what_is_left_to_do_after_an_earlier_job_is_shown_as_well(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = await run_job(BusyJobs(files_processed=2), TriggerIn(), Stop())

    assert (done.job_id, done.files_processed) == (7, 2)
    told = " ".join(capsys.readouterr().err.split())
    assert "Job 3: completed; 325 files indexed" in told


@pytest.mark.parametrize(("name", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
async def test_a_stop_cancels_the_job_and_says_how_to_go_on(
    name: signal.Signals, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    service = FakeJobs(looks=1_000_000)
    # Once: a second signal would end the process.
    service.on_look = _once(lambda: signal.raise_signal(name))

    with stop_on_signals() as stop, pytest.raises(Stopped) as stopped:
        async with asyncio.timeout(5):
            await run_job(service, TriggerIn(), stop)

    assert (stopped.value.exit_code, service.cancelled) == (code, True)
    assert "Stopped. What is indexed stays; run the same command to go on." in (
        capsys.readouterr().err
    )


async def test_a_stop_does_not_wait_for_a_job_that_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ingest, "CANCEL_TIMEOUT_S", 0.01)
    service, stop = FakeJobs(looks=1_000_000), Stop()
    service.stubborn = True
    service.on_look = stop.event.set

    with pytest.raises(Stopped):
        async with asyncio.timeout(5):
            await run_job(service, TriggerIn(), stop)


async def test_a_job_that_ends_while_it_is_stopped_has_ended_well() -> None:
    service, stop = FakeJobs(looks=2), Stop()
    service.stubborn = True
    service.on_look = stop.event.set

    done = await run_job(service, TriggerIn(), stop)

    assert done.status == "completed"


def test_a_second_interrupt_ends_the_process_at_once() -> None:
    program = """
import asyncio, signal, time
from sourcebook.cli.jobs import stop_on_signals
async def main():
    with stop_on_signals() as stop:
        signal.raise_signal(signal.SIGINT)
        await stop.wait(30)
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(30)
asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", program], timeout=30, check=False)

    assert done.returncode == 130


@pytest.mark.parametrize(
    ("status", "is_open"), [("running", True), ("queued", True), ("failed", False)]
)
async def test_a_book_is_being_indexed_while_its_latest_job_has_not_ended(
    status: JobStatus, is_open: bool
) -> None:
    class Recent:
        async def recent(self, limit: int, book_id: str | None = None) -> list[IngestJob]:
            return [IngestJob(7, JobRequest("book"), status, 0, 0, 0.0)]

    use = cast(HasJobs, SimpleNamespace(book_jobs=Recent()))

    assert await has_open_job(use, "book") is is_open


@pytest.mark.parametrize("address", ["https://github.com/me/book", "git@git.example:me/book.git"])
def test_a_git_address_is_not_taken_for_a_website(address: str, tmp_path: Path) -> None:
    ended = CliRunner().invoke(app, ["ingest", address, "--data-dir", str(tmp_path)])

    assert isinstance(ended.exception, ConfigurationError)
    assert "Set SOURCEBOOK_DOCS_REPOSITORY" in ended.exception.message


def test_options_of_websites_are_refused_for_folders(tmp_path: Path) -> None:
    arguments = ["ingest", str(tmp_path), "--data-dir", str(tmp_path / "data"), "--max-pages", "3"]
    ended = CliRunner().invoke(app, arguments)

    assert isinstance(ended.exception, ConfigurationError)
    assert "--max-pages: these are for websites" in ended.exception.message
