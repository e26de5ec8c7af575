"""Contract of a ledger for jobs. Inherit `JobContract` and supply its two fixtures.

    class TestMyJobs(JobContract):
        @pytest.fixture
        def clock(self) -> Clock: ...

        @pytest.fixture
        async def ledger(self, clock: Clock) -> AsyncIterator[Ledger]: ...

The ledger is empty and tells the time by the clock, which the tests set.
"""

import asyncio
import random
from dataclasses import replace

import pytest

from sourcebook.core.book_source import FileProblem
from sourcebook.core.errors import AlreadyExists, Conflict, InvalidInput, NotFound
from sourcebook.core.jobs import IngestJob, JobRequest, Outcome, Progress
from sourcebook.core.ports import Ledger
from tests.contract.lease_contract import LEASE_S, Clock, LeaseContract, claimed
from tests.contract.reindex_contract import ReindexContract

__all__ = ["Clock", "JobContract"]

BOOK = JobRequest("robotics")
DAY_S = 86_400.0


async def run_one(ledger: Ledger, outcome: Outcome, request: JobRequest = BOOK) -> IngestJob:
    await ledger.jobs.enqueue(request)
    job = await claimed(ledger)
    await ledger.jobs.finish(job.fence, outcome, Progress(), ())
    return await ledger.jobs.get(job.id)


class JobContract(LeaseContract, ReindexContract):
    """Jobs are enqueued, looked up, cancelled and expire."""

    async def test_a_job_comes_back_as_it_was_asked_for(self, ledger: Ledger, clock: Clock) -> None:
        request = JobRequest(
            "robotics",
            "full",
            "docs/ü",
            force=True,
            trigger="cli",
            patterns=("ü/{lesson}-*.md", "**/*.md"),
            exclude=(),
        )

        job = await ledger.jobs.enqueue(request)

        assert await ledger.jobs.get(job.id) == job
        assert job.request == request
        assert (job.status, job.created_at_s, job.attempts) == ("queued", clock.now_s, 0)

    @pytest.mark.parametrize("job_id", [0, -1, 7, 2**63, 2**80])
    async def test_an_unknown_job_is_not_found(self, ledger: Ledger, job_id: int) -> None:
        with pytest.raises(NotFound, match=f"Job {job_id} not found"):
            await ledger.jobs.get(job_id)
        with pytest.raises(NotFound, match=f"Job {job_id} not found"):
            await ledger.jobs.cancel(job_id)

    async def test_a_queued_job_takes_further_requests_in(self, ledger: Ledger) -> None:
        first = await ledger.jobs.enqueue(replace(BOOK, mode="full", trigger="webhook"))

        await ledger.jobs.enqueue(replace(BOOK, force=True, trigger="api"))
        await ledger.jobs.enqueue(replace(BOOK, mode="recreate"))
        joined = await ledger.jobs.enqueue(BOOK)

        wanted = JobRequest("robotics", "recreate", force=True, trigger="webhook")
        assert joined == replace(first, request=wanted)
        assert await ledger.jobs.recent(10) == [joined]

    async def test_jobs_that_have_not_ended_are_found(self, ledger: Ledger) -> None:
        await run_one(ledger, Outcome("completed"))
        await ledger.jobs.enqueue(BOOK)
        running = await claimed(ledger)
        waiting = await ledger.jobs.enqueue(BOOK)
        other = await ledger.jobs.enqueue(replace(BOOK, book_id="other"))
        await ledger.jobs.enqueue_import([{"text": "a"}])

        assert await ledger.jobs.unfinished() == [running, waiting, other]
        assert await ledger.jobs.unfinished("other") == [other]
        assert await ledger.jobs.unfinished("third") == []
        assert await ledger.jobs.unfinished("\x00") == []

    async def test_requests_for_two_folders_do_not_join(self, ledger: Ledger) -> None:
        queued = await ledger.jobs.enqueue(replace(BOOK, docs_path="docs"))

        with pytest.raises(Conflict, match=r"'docs'.*'other'"):
            await ledger.jobs.enqueue(replace(BOOK, docs_path="other"), delivery_id="d-1")
        # The book's own source is another one as well: what is forced there is not forced here.
        with pytest.raises(Conflict, match="own source"):
            await ledger.jobs.enqueue(replace(BOOK, force=True))

        assert await ledger.jobs.recent(10) == [queued]
        # The delivery was refused, so it is not taken.
        same = replace(BOOK, docs_path="docs")
        assert await ledger.jobs.enqueue(same, delivery_id="d-1") == queued

    async def test_a_request_without_patterns_joins_one_that_has_them(self, ledger: Ledger) -> None:
        first = await ledger.jobs.enqueue(BOOK)

        await ledger.jobs.enqueue(replace(BOOK, patterns=("**/*.md",)))
        await ledger.jobs.enqueue(replace(BOOK, exclude=("drafts",)))
        joined = await ledger.jobs.enqueue(BOOK)

        wanted = replace(BOOK, patterns=("**/*.md",), exclude=("drafts",))
        assert joined == replace(first, request=wanted)

    async def test_requests_with_different_patterns_do_not_join(self, ledger: Ledger) -> None:
        queued = await ledger.jobs.enqueue(replace(BOOK, patterns=("**/*.md",), exclude=("a",)))

        for other in (
            replace(BOOK, patterns=("*.md",)),
            replace(BOOK, exclude=()),
            # Forced for the patterns that the book has: it must not force these.
            replace(BOOK, force=True),
        ):
            with pytest.raises(Conflict, match="with other patterns"):
                await ledger.jobs.enqueue(other)

        assert await ledger.jobs.recent(10) == [queued]

    async def test_books_do_not_share_a_queued_job(self, ledger: Ledger) -> None:
        one = await ledger.jobs.enqueue(JobRequest("a"))
        two = await ledger.jobs.enqueue(JobRequest("b"))

        assert one.id != two.id

    async def test_a_request_during_a_run_is_queued_behind_it(self, ledger: Ledger) -> None:
        await ledger.jobs.enqueue(BOOK)
        running = await claimed(ledger)

        queued = await ledger.jobs.enqueue(BOOK)

        assert queued.id != running.id
        assert await ledger.jobs.claim(LEASE_S) is None

    async def test_requests_at_the_same_moment_make_one_job(self, ledger: Ledger) -> None:
        for _ in range(3):
            jobs = await asyncio.gather(*(ledger.jobs.enqueue(BOOK) for _ in range(20)))

            assert len({job.id for job in jobs}) == 1
            job = await claimed(ledger)
            await ledger.jobs.finish(job.fence, Outcome("completed"), Progress(), ())

        assert len(await ledger.jobs.recent(100)) == 3

    async def test_a_burst_of_requests_and_workers_runs_one_job_at_a_time(
        self, ledger: Ledger
    ) -> None:
        async def work() -> None:
            job = await ledger.jobs.claim(LEASE_S)
            if job is not None:
                statuses = [other.status for other in await ledger.jobs.recent(100)]
                assert (statuses.count("running"), statuses.count("queued") <= 1) == (1, True)
                await ledger.jobs.finish(job.fence, Outcome("completed"), Progress(), ())

        tasks = [ledger.jobs.enqueue(BOOK) for _ in range(20)] + [work() for _ in range(20)]
        random.Random(7).shuffle(tasks)  # noqa: S311
        await asyncio.gather(*tasks)

        left = [job.status for job in await ledger.jobs.recent(100) if not job.finished]
        assert left in ([], ["queued"])

    async def test_a_replayed_delivery_changes_nothing(self, ledger: Ledger) -> None:
        push = replace(BOOK, trigger="webhook")
        first = await ledger.jobs.enqueue(push, delivery_id="d-1")
        done = await claimed(ledger)
        await ledger.jobs.finish(done.fence, Outcome("completed"), Progress(), ())

        for _ in range(5):
            with pytest.raises(AlreadyExists, match="'d-1'"):
                await ledger.jobs.enqueue(push, delivery_id="d-1")

        assert [(job.id, job.status) for job in await ledger.jobs.recent(10)] == [
            (first.id, "completed")
        ]

    async def test_a_delivery_that_comes_twice_at_once_counts_once(self, ledger: Ledger) -> None:
        deliveries = [f"d-{n}" for n in range(5)] * 4
        random.Random(7).shuffle(deliveries)  # noqa: S311

        orders = [ledger.jobs.enqueue(BOOK, delivery_id=d) for d in deliveries]
        replies = await asyncio.gather(*orders, return_exceptions=True)

        assert sum(isinstance(reply, AlreadyExists) for reply in replies) == 15
        assert [job.status for job in await ledger.jobs.recent(10)] == ["queued"]

    async def test_deliveries_are_remembered_for_thirty_days(
        self, ledger: Ledger, clock: Clock
    ) -> None:
        await run_one(ledger, Outcome("completed"))
        await ledger.jobs.enqueue(BOOK, delivery_id="d-1")
        done = await claimed(ledger)
        await ledger.jobs.finish(done.fence, Outcome("completed"), Progress(), ())

        clock.now_s += 30 * DAY_S - 1
        await ledger.jobs.enqueue(JobRequest("other"), delivery_id="d-2")
        with pytest.raises(AlreadyExists):
            await ledger.jobs.enqueue(BOOK, delivery_id="d-1")
        clock.now_s += 2
        await ledger.jobs.enqueue(JobRequest("other"), delivery_id="d-3")
        forgotten = await ledger.jobs.enqueue(BOOK, delivery_id="d-1")

        assert forgotten.status == "queued"

    @pytest.mark.parametrize("delivery_id", ["", "x" * 129, "\x00", "\ud800"])
    async def test_a_delivery_id_that_cannot_be_kept_is_refused(
        self, ledger: Ledger, delivery_id: str
    ) -> None:
        with pytest.raises(InvalidInput, match="delivery id"):
            await ledger.jobs.enqueue(BOOK, delivery_id=delivery_id)

        assert await ledger.jobs.recent(10) == []

    async def test_recent_jobs_are_listed_newest_first(self, ledger: Ledger) -> None:
        jobs = [await ledger.jobs.enqueue(JobRequest(f"book-{n}")) for n in range(5)]

        assert await ledger.jobs.recent(3) == jobs[:1:-1]
        assert await ledger.jobs.recent(3, "book-1") == [jobs[1]]
        assert await ledger.jobs.recent(3, "\x00") == []

    async def test_the_latest_indexed_job_completed_or_did_a_part(self, ledger: Ledger) -> None:
        assert await ledger.jobs.latest_indexed("robotics") is None
        await run_one(ledger, Outcome("completed", commit="c1"))
        partial = await run_one(ledger, Outcome("partial", commit="c2"))
        await run_one(ledger, Outcome("failed", error="no"))
        await run_one(ledger, Outcome("completed"), JobRequest("other"))

        assert partial.commit == "c2"
        assert await ledger.jobs.latest_indexed("robotics") == partial

    async def test_a_finished_job_says_how_it_ended(self, ledger: Ledger, clock: Clock) -> None:
        await ledger.jobs.enqueue(BOOK)
        job = await claimed(ledger)
        await ledger.jobs.build(job.fence, "c" * 32)
        clock.now_s += 5
        progress = Progress(files_found=3, files_processed=2, current_file="b.md")
        warnings = (FileProblem("a.md", "is empty"),)

        await ledger.jobs.finish(job.fence, Outcome("partial", "e", "c1"), progress, warnings)

        assert await ledger.jobs.get(job.id) == replace(
            job,
            status="partial",
            finished_at_s=clock.now_s,
            lease_until_s=None,
            progress=progress,
            warnings=warnings,
            error="e",
            commit="c1",
        )

    async def test_texts_of_any_kind_can_be_reported(self, ledger: Ledger) -> None:
        await ledger.jobs.enqueue(BOOK)
        job = await claimed(ledger)
        odd = "caf\udce9\x00.md"
        progress, warnings = Progress(current_file=odd), [FileProblem(odd, f"{odd} is odd")]

        await ledger.jobs.finish(job.fence, Outcome("failed", odd), progress, warnings)

        ended = await ledger.jobs.get(job.id)
        assert ended.error == ended.progress.current_file == ended.warnings[0].path
        assert ended.error == "caf\\udce9\\x00.md"

    async def test_too_many_warnings_are_counted(self, ledger: Ledger) -> None:
        await ledger.jobs.enqueue(BOOK)
        job = await claimed(ledger)
        warnings = [FileProblem(f"{n}.md", "is empty") for n in range(250)]

        await ledger.jobs.beat(job.fence, Progress(), warnings[:200], LEASE_S)
        all_fit = (await ledger.jobs.get(job.id)).warnings
        await ledger.jobs.beat(job.fence, Progress(), warnings, LEASE_S)
        capped = (await ledger.jobs.get(job.id)).warnings

        assert all_fit == tuple(warnings[:200])
        assert (len(capped), capped[:199]) == (200, tuple(warnings[:199]))
        assert capped[-1].message == "51 more warnings are not listed"

    async def test_a_queued_job_that_is_cancelled_never_runs(
        self, ledger: Ledger, clock: Clock
    ) -> None:
        queued = await ledger.jobs.enqueue(BOOK)
        clock.now_s += 1

        cancelled = await ledger.jobs.cancel(queued.id)

        assert cancelled == replace(queued, status="cancelled", finished_at_s=clock.now_s)
        assert await ledger.jobs.claim(LEASE_S) is None
        assert (await ledger.jobs.enqueue(BOOK)).id != queued.id

    async def test_a_running_job_is_asked_to_end(self, ledger: Ledger) -> None:
        await ledger.jobs.enqueue(BOOK)
        job = await claimed(ledger)
        before = await ledger.jobs.beat(job.fence, Progress(), (), LEASE_S)

        for _ in range(2):
            asked = await ledger.jobs.cancel(job.id)

        assert (asked.status, asked.cancel_requested) == ("running", True)
        after = await ledger.jobs.beat(job.fence, Progress(), (), LEASE_S)
        assert (before, after) == (False, True)

    async def test_a_job_that_has_ended_cannot_be_cancelled(self, ledger: Ledger) -> None:
        done = await run_one(ledger, Outcome("completed"))

        with pytest.raises(Conflict, match=rf"Job {done.id} has ended already \(completed\)"):
            await ledger.jobs.cancel(done.id)

    async def test_numbers_are_never_given_twice(self, ledger: Ledger) -> None:
        ids = [(await run_one(ledger, Outcome("failed"))).id for _ in range(5)]

        assert ids == sorted(set(ids))

    async def test_jobs_that_wait_and_run_are_counted(self, ledger: Ledger) -> None:
        assert await ledger.jobs.count_unfinished() == {}
        await run_one(ledger, Outcome("completed"))
        await ledger.jobs.enqueue(BOOK)
        await claimed(ledger)
        for book in ("robotics", "gardening"):
            await ledger.jobs.enqueue(JobRequest(book))
        await ledger.jobs.enqueue_import([{"text": "one"}])

        counted = {("book", "running"): 1, ("book", "queued"): 2, ("documents", "queued"): 1}
        assert await ledger.jobs.count_unfinished() == counted
