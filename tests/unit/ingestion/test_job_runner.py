"""Jobs come to an end that people can see, and none is worked at by two."""

import asyncio
from collections.abc import Sequence
from typing import cast

import pytest

from sourcebook.core.book_source import FileProblem
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import DiskFull
from sourcebook.core.jobs import Fence, IngestJob, JobKind, JobRequest, Outcome, Progress
from sourcebook.core.ports import JobLedger, Ledger
from sourcebook.core.vectors import Embedding
from sourcebook.ingestion.job_runner import LEASE_S, JobReport, JobRunner
from tests.books import BOOK, ROS, BookWorld, lesson_text
from tests.fakes import FakeClock, FakeEmbedder
from tests.memory_store import MemoryStore


@pytest.fixture
def world(ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> BookWorld:
    world = BookWorld(ledger, store, models)
    world.source.write(ROS, lesson_text("Topics", "Publishers"))
    return world


class Stuck:
    """A run that goes on until it is let go, or for ever."""

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.cancelled = False

    async def run(self, job: IngestJob, report: JobReport) -> Outcome:
        self.started.set()
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        return Outcome("completed")


class Crashing:
    async def run(self, job: IngestJob, report: JobReport) -> Outcome:
        raise RuntimeError("a bug, with a secret in it")


async def _claimed(ledger: Ledger) -> IngestJob:
    await ledger.jobs.enqueue(JobRequest(BOOK))
    job = await ledger.jobs.claim(LEASE_S)
    assert job is not None
    return job


async def _wait_until_finished(ledger: Ledger, job_id: int) -> IngestJob:
    async with asyncio.timeout(20):
        while not (job := await ledger.jobs.get(job_id)).finished:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    return job


async def test_an_ordered_job_is_done_when_the_runner_is_woken(world: BookWorld) -> None:
    running = asyncio.create_task(world.runner.run_for_ever())
    await asyncio.sleep(0)
    job = await world.ledger.jobs.enqueue(JobRequest(BOOK))
    world.runner.wake()

    ended = await _wait_until_finished(world.ledger, job.id)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)

    assert (ended.status, ended.progress.files_processed) == ("completed", 1)


async def test_a_disk_that_stays_full_is_told_in_one_line_after_ever_longer_pauses(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Full:
        def __init__(self) -> None:
            self.asked = 0
            self.enough = asyncio.Event()

        async def claim(self, lease_s: float, kind: JobKind = "book") -> IngestJob | None:
            self.asked += 1
            if self.asked > 4:
                self.enough.set()
            raise DiskFull

    monkeypatch.setattr("sourcebook.ingestion.job_runner.POLL_INTERVAL_S", 0.001)
    monkeypatch.setattr("sourcebook.ingestion.job_runner.MAX_PAUSE_S", 0.004)
    full = Full()
    running = asyncio.create_task(JobRunner(cast("JobLedger", full), Stuck()).run_for_ever())
    async with asyncio.timeout(20):
        await full.enough.wait()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)

    told = [record for record in caplog.records if record.name.endswith("job_runner")][:4]
    assert [record.__dict__["again_in_s"] for record in told] == [0.001, 0.002, 0.004, 0.004]
    assert {record.__dict__["reason"] for record in told} == {DiskFull().message}
    assert not any(record.exc_info for record in told)


async def test_a_run_that_crashes_fails_without_telling_secrets(ledger: Ledger) -> None:
    runner = JobRunner(ledger.jobs, Crashing())
    job = await _claimed(ledger)

    await runner.run(job)

    ended = await ledger.jobs.get(job.id)
    assert ended.status == "failed"
    assert ended.error is not None
    assert "secret" not in ended.error


async def test_all_warnings_are_counted_and_the_first_are_kept(ledger: Ledger) -> None:
    class Worried:
        async def run(self, job: IngestJob, report: JobReport) -> Outcome:
            for _ in range(2):  # those that are found again count once
                report.warn(FileProblem(f"{number}.md", "is odd") for number in range(2_500))
            return Outcome("completed")

    await ledger.jobs.enqueue(JobRequest(BOOK))
    job = await ledger.jobs.claim(LEASE_S)
    assert job is not None
    await JobRunner(ledger.jobs, Worried()).run(job)

    ended = await ledger.jobs.get(job.id)
    assert ended.progress.warning_count == 2_500
    assert (len(ended.warnings), ended.warnings[-1].message) == (
        200,
        "2301 more warnings are not listed",
    )


async def test_a_shutdown_gives_the_job_back_at_once(ledger: Ledger) -> None:
    stuck = Stuck()
    runner = JobRunner(ledger.jobs, stuck)
    job = await _claimed(ledger)
    running = asyncio.create_task(runner.run(job))
    await stuck.started.wait()

    running.cancel()
    await asyncio.gather(running, return_exceptions=True)

    taken = await ledger.jobs.claim(LEASE_S)
    assert taken is not None
    assert (taken.id, taken.attempts) == (job.id, 1)


async def test_a_worker_whose_job_was_taken_over_stops(
    ledger: Ledger, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sourcebook.ingestion.job_runner.HEARTBEAT_INTERVAL_S", 0.01)
    stuck = Stuck()
    runner = JobRunner(ledger.jobs, stuck)
    job = await _claimed(ledger)
    running = asyncio.create_task(runner.run(job))
    await stuck.started.wait()

    clock.now_s += LEASE_S + 1
    taken = None
    while taken is None:
        # A beat may have come in between and renewed the lease.
        clock.now_s += LEASE_S + 1
        taken = await ledger.jobs.claim(LEASE_S)
    await asyncio.wait_for(running, 20)

    assert stuck.cancelled
    assert (await ledger.jobs.get(job.id)).token == taken.token
    assert (await ledger.jobs.get(job.id)).status == "running"


class Hearing:
    """The ledger's jobs; rings when a worker has heard that it should stop."""

    def __init__(self, jobs: JobLedger) -> None:
        self._jobs = jobs
        self.heard = asyncio.Event()

    def __getattr__(self, name: str) -> object:
        return getattr(self._jobs, name)

    async def beat(
        self, fence: Fence, progress: Progress, warnings: Sequence[FileProblem], lease_s: float
    ) -> bool:
        stop = await self._jobs.beat(fence, progress, warnings, lease_s)
        if stop:
            self.heard.set()
        return stop


class Waiting(FakeEmbedder):
    """Embeds two batches, and the others when it is told to."""

    def __init__(self, go_on: asyncio.Event) -> None:
        super().__init__("minilm")
        self._go_on = go_on

    async def embed_documents(self, texts: Sequence[str]) -> list[Embedding]:
        if len(self.batches) >= 2:
            await self._go_on.wait()
        return await super().embed_documents(texts)


async def test_cancelling_a_running_job_ends_it_and_what_is_done_stays(
    ledger: Ledger, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sourcebook.ingestion.job_runner.HEARTBEAT_INTERVAL_S", 0.0)
    hearing = Hearing(ledger.jobs)
    world = BookWorld(ledger, store, EmbeddingModels([Waiting(hearing.heard)]))
    for number in range(900):
        path = f"module-1-ros2/chapter-1-nodes/{number:03}-lesson.md"
        world.source.write(path, lesson_text(f"Lesson {number}", f"Word{number}"))
    job = await _claimed(ledger)
    runner = JobRunner(hearing, world.book_run)  # type: ignore[arg-type]
    running = asyncio.create_task(runner.run(job))
    while not (await ledger.jobs.get(job.id)).progress.files_processed:  # noqa: ASYNC110
        await asyncio.sleep(0)

    await ledger.jobs.cancel(job.id)
    await asyncio.wait_for(running, 30)

    ended = await ledger.jobs.get(job.id)
    assert ended.status == "cancelled"
    assert 0 < ended.progress.files_processed < 900
    assert len(await world.paths()) == ended.progress.files_processed


async def test_a_job_whose_worker_ended_before_it_could_cancel_it_is_not_done_after_all(
    ledger: Ledger, world: BookWorld
) -> None:
    job, _ = await world.claim()
    await ledger.jobs.cancel(job.id)
    await ledger.jobs.let_go(job.fence)

    again = await ledger.jobs.claim(30.0)
    assert again is not None
    await world.runner.run(again)

    assert (await ledger.jobs.get(job.id)).status == "cancelled"
    assert await world.paths() == set()
