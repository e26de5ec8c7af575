"""Contract of a ledger: one worker holds the lease of a job; one that lost it cannot write."""

import asyncio
from dataclasses import replace
from typing import Protocol

import pytest

from sourcebook.core.errors import LeaseLost
from sourcebook.core.filters import EVERYTHING
from sourcebook.core.jobs import IngestJob, JobKind, JobRequest, Outcome, Progress
from sourcebook.core.ports import Ledger
from tests.contract.ledger_values import (
    ALL,
    being_built,
    land,
    new_collection,
    put,
    version_of,
    write_of,
)

LEASE_S = 30.0
BOOK = JobRequest("robotics")


class Clock(Protocol):
    """A clock that moves only when a test sets it."""

    now_s: float

    def __call__(self) -> float: ...


async def claimed(ledger: Ledger, kind: JobKind = "book") -> IngestJob:
    """Claim the next job; fails if there is none."""
    job = await ledger.jobs.claim(LEASE_S, kind)
    assert job is not None
    return job


class LeaseContract:
    """Leases are claimed, renewed, lost and released."""

    async def test_a_claimed_job_runs_under_a_lease(self, ledger: Ledger, clock: Clock) -> None:
        queued = await ledger.jobs.enqueue(BOOK)
        clock.now_s += 1

        job = await claimed(ledger)

        assert job == await ledger.jobs.get(queued.id)
        assert job == replace(
            queued,
            status="running",
            token=1,
            attempts=1,
            started_at_s=clock.now_s,
            lease_until_s=clock.now_s + LEASE_S,
        )

    async def test_jobs_are_claimed_oldest_first_and_once(self, ledger: Ledger) -> None:
        queued = [(await ledger.jobs.enqueue(JobRequest(f"book-{n}"))).id for n in range(3)]

        claims = [await ledger.jobs.claim(LEASE_S) for _ in range(4)]

        assert [job and job.id for job in claims] == [*queued, None]

    async def test_workers_at_the_same_moment_get_different_jobs(self, ledger: Ledger) -> None:
        queued = {(await ledger.jobs.enqueue(JobRequest(f"book-{n}"))).id for n in range(5)}

        claims = await asyncio.gather(*(ledger.jobs.claim(LEASE_S) for _ in range(20)))
        claims += [await ledger.jobs.claim(LEASE_S) for _ in range(5)]

        ids = [job.id for job in claims if job is not None]
        assert sorted(ids) == sorted(queued)

    async def test_a_beat_renews_the_lease_and_reports(self, ledger: Ledger, clock: Clock) -> None:
        await ledger.jobs.enqueue(BOOK)
        job = await claimed(ledger)
        progress = Progress(files_found=9, current_file="a.md")

        for _ in range(3):
            clock.now_s += LEASE_S - 1
            await ledger.jobs.beat(job.fence, progress, (), LEASE_S)

        assert await ledger.jobs.claim(LEASE_S) is None
        current = await ledger.jobs.get(job.id)
        assert (current.progress, current.lease_until_s) == (progress, clock.now_s + LEASE_S)

    async def test_a_job_whose_lease_is_over_goes_to_the_next_worker(
        self, ledger: Ledger, clock: Clock
    ) -> None:
        await ledger.jobs.enqueue(BOOK)
        first = await claimed(ledger)
        await ledger.jobs.build(first.fence, "c" * 32)
        await ledger.jobs.enqueue(replace(BOOK, mode="full"))

        clock.now_s += LEASE_S
        second = await claimed(ledger)

        assert (second.id, second.token, second.attempts) == (first.id, 2, 2)
        assert (second.started_at_s, second.building) == (first.started_at_s, "c" * 32)

    async def test_a_frozen_worker_can_do_nothing_once_another_has_the_job(
        self, ledger: Ledger, clock: Clock
    ) -> None:
        live = new_collection()
        building = being_built(live)
        for collection in (live, building):
            await ledger.collections.create(collection)
        seen = await put(ledger, live, version_of("a"))
        await ledger.jobs.enqueue(BOOK)
        frozen = await claimed(ledger)
        clock.now_s += LEASE_S
        taken = await claimed(ledger)

        fence, done = frozen.fence, Outcome("completed")
        for act in (
            lambda: ledger.documents.commit(write_of(live, version_of("b"), fence=fence)),
            lambda: ledger.documents.delete(live.id, ["a"], fence),
            lambda: ledger.collections.replace(seen, building, fence),
            lambda: ledger.jobs.beat(fence, Progress(files_found=1), (), LEASE_S),
            lambda: ledger.jobs.build(fence, "c" * 32),
            lambda: ledger.jobs.finish(fence, done, Progress(), ()),
            lambda: ledger.jobs.let_go(fence),
        ):
            with pytest.raises(LeaseLost, match=f"Job {frozen.id} "):
                await act()

        assert await ledger.jobs.get(frozen.id) == taken
        assert await ledger.collections.get("robotics") == seen
        page = await ledger.documents.find(live.id, EVERYTHING, ALL, 0)
        assert [document.id for document in page.documents] == ["a"]

    async def test_the_holder_writes_under_its_fence(self, ledger: Ledger) -> None:
        live = new_collection()
        building = being_built(live)
        for collection in (live, building):
            await ledger.collections.create(collection)
        await ledger.jobs.enqueue(BOOK)
        job = await claimed(ledger)
        await ledger.jobs.build(job.fence, building.id)

        write = write_of(building, version_of("a"), version_of("b"), fence=job.fence)
        await land(ledger, write)
        assert await ledger.documents.delete(building.id, ["a"], job.fence) == 1
        built = await ledger.collections.by_id(building.id)
        assert built is not None
        assert await ledger.collections.replace(live, built, job.fence)

        assert (await ledger.collections.get("robotics")).id == building.id
        # In the same step, so that a crash leaves no job that takes a live collection for its own.
        assert (await ledger.jobs.get(job.id)).building is None

    async def test_nothing_is_written_for_a_job_that_has_ended(self, ledger: Ledger) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        await ledger.jobs.enqueue(BOOK)
        job = await claimed(ledger)
        await ledger.jobs.finish(job.fence, Outcome("failed", "no"), Progress(), ())

        with pytest.raises(LeaseLost):
            await ledger.documents.commit(write_of(collection, version_of("a"), fence=job.fence))
        with pytest.raises(LeaseLost):
            await ledger.jobs.finish(job.fence, Outcome("completed"), Progress(), ())

        assert (await ledger.jobs.get(job.id)).status == "failed"
        assert await ledger.collections.get("robotics") == collection

    async def test_a_slow_worker_goes_on_as_long_as_nobody_took_the_job(
        self, ledger: Ledger, clock: Clock
    ) -> None:
        await ledger.jobs.enqueue(BOOK)
        job = await claimed(ledger)
        clock.now_s += 10 * LEASE_S

        await ledger.jobs.beat(job.fence, Progress(), (), LEASE_S)

        assert await ledger.jobs.claim(LEASE_S) is None

    async def test_a_job_that_ended_three_workers_fails(self, ledger: Ledger, clock: Clock) -> None:
        await ledger.jobs.enqueue(BOOK)
        for _ in range(3):
            job = await claimed(ledger)
            await ledger.jobs.beat(job.fence, Progress(current_file="bad.md"), (), LEASE_S)
            await ledger.jobs.build(job.fence, "c" * 32)
            clock.now_s += LEASE_S
        waiting = await ledger.jobs.enqueue(BOOK)

        following = await claimed(ledger)

        failed = await ledger.jobs.get(job.id)
        assert following.id == waiting.id
        assert (failed.status, failed.finished_at_s) == ("failed", clock.now_s)
        assert (failed.lease_until_s, failed.building) == (None, "c" * 32)
        assert failed.error is not None
        assert "ended 3 times while this job ran (last file: bad.md)" in failed.error
        with pytest.raises(LeaseLost):
            await ledger.jobs.beat(job.fence, Progress(), (), LEASE_S)

    async def test_a_job_that_is_let_go_goes_on_at_once_and_the_attempt_does_not_count(
        self, ledger: Ledger
    ) -> None:
        await ledger.jobs.enqueue(BOOK)

        for _ in range(5):
            job = await claimed(ledger)
            await ledger.jobs.let_go(job.fence)
            assert (await ledger.jobs.get(job.id)).status == "running"

        again = await claimed(ledger)
        assert (again.id, again.token, again.attempts) == (job.id, 6, 1)

    async def test_after_a_crash_the_sole_owner_ends_all_leases(self, ledger: Ledger) -> None:
        for name in ("a", "b"):
            await ledger.jobs.enqueue(JobRequest(name))
        crashed = [await claimed(ledger) for _ in range(2)]

        await ledger.jobs.let_all_go()

        again = [await claimed(ledger) for _ in range(2)]
        assert [(job.id, job.attempts) for job in again] == [(job.id, 2) for job in crashed]
