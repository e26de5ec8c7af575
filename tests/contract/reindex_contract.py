"""Contract of a ledger: reindex jobs, one at a time for each collection."""

import asyncio
import math
from dataclasses import replace

import pytest

from sourcebook.core.collections import Collection
from sourcebook.core.errors import Conflict, LeaseLost, NotFound
from sourcebook.core.jobs import (
    IngestJob,
    JobRequest,
    Outcome,
    Progress,
    Recall,
    collection_of,
    reindex_queue,
)
from sourcebook.core.ports import Ledger
from tests.contract.generation_contract import newer_generation
from tests.contract.lease_contract import LEASE_S, Clock, claimed
from tests.contract.ledger_values import found, new_collection, put, version_of


async def created(ledger: Ledger) -> Collection:
    """Create a collection to reindex."""
    collection = new_collection()
    await ledger.collections.create(collection)
    return collection


async def ordered(
    ledger: Ledger, collection: Collection, model: str = "newer", back_to: str | None = None
) -> IngestJob:
    """Enqueue a job that changes the collection's model."""
    request = JobRequest(reindex_queue(collection.id), model=model, back_to=back_to)
    return await ledger.jobs.enqueue_reindex(collection.id, request)


class ReindexContract:
    """Supply `ledger` and its `clock`, as for `JobContract`."""

    async def test_a_change_comes_back_as_it_was_ordered(self, ledger: Ledger) -> None:
        collection = await created(ledger)

        job = await ordered(ledger, collection, "newer", back_to="index-1")

        assert await ledger.jobs.get(job.id) == job
        assert (job.kind, job.status, collection_of(job.request)) == (
            "reindex",
            "queued",
            collection.id,
        )
        assert (job.request.model, job.request.back_to) == ("newer", "index-1")
        assert await ledger.jobs.recent(9) == []
        queue = reindex_queue(collection.id)
        assert await ledger.jobs.recent(9, queue, "reindex") == [job]

    async def test_a_change_is_claimed_by_its_own_kind_of_worker(self, ledger: Ledger) -> None:
        await ordered(ledger, await created(ledger))

        assert await ledger.jobs.claim(LEASE_S) is None
        assert await ledger.jobs.claim(LEASE_S, "documents") is None
        assert await ledger.jobs.claim(LEASE_S, "reindex") is not None

    async def test_the_same_change_is_one_job_while_it_waits_and_while_it_runs(
        self, ledger: Ledger
    ) -> None:
        collection = await created(ledger)
        jobs = await asyncio.gather(*(ordered(ledger, collection) for _ in range(10)))
        running = await claimed(ledger, "reindex")

        assert {job.id for job in jobs} == {running.id}
        assert await ordered(ledger, collection) == running

    async def test_another_change_has_to_wait(self, ledger: Ledger) -> None:
        collection = await created(ledger)
        job = await ordered(ledger, collection)

        with pytest.raises(Conflict, match=rf"Job {job.id} .*'newer' \(queued\)"):
            await ordered(ledger, collection, "third")
        await claimed(ledger, "reindex")
        with pytest.raises(Conflict, match=r"\(running\)"):
            await ordered(ledger, collection, "newer", back_to="index-1")

    async def test_different_changes_at_the_same_moment_make_one_job(self, ledger: Ledger) -> None:
        collection = await created(ledger)

        results = await asyncio.gather(
            *(ordered(ledger, collection, f"model-{n}") for n in range(10)), return_exceptions=True
        )

        assert [isinstance(result, IngestJob) for result in results].count(True) == 1
        assert all(isinstance(result, IngestJob | Conflict) for result in results)

    async def test_a_change_after_another_is_a_job_of_its_own(self, ledger: Ledger) -> None:
        collection = await created(ledger)
        first = await ordered(ledger, collection)
        job = await claimed(ledger, "reindex")
        await ledger.jobs.finish(job.fence, Outcome("completed"), Progress(), ())

        assert (await ordered(ledger, collection)).id != first.id

    async def test_a_collection_that_is_not_there_is_not_changed(self, ledger: Ledger) -> None:
        with pytest.raises(NotFound):
            await ordered(ledger, new_collection())

    async def test_the_index_of_an_attempt_is_wanted_until_the_next_begins(
        self, ledger: Ledger
    ) -> None:
        collection = await created(ledger)
        await ordered(ledger, collection)
        job = await claimed(ledger, "reindex")
        in_use = {collection.generation.index_id}

        await ledger.jobs.build(job.fence, "first")
        first = await ledger.garbage.wanted_indexes()
        await ledger.jobs.build(job.fence, "second")

        assert first == in_use | {"first"}
        assert await ledger.garbage.wanted_indexes() == in_use | {"second"}
        assert await ledger.garbage.retired_indexes(math.inf) == ["first"]

    @pytest.mark.parametrize("status", ["failed", "cancelled"])
    async def test_what_an_ended_job_built_is_retired(self, ledger: Ledger, status: str) -> None:
        await ordered(ledger, await created(ledger))
        job = await claimed(ledger, "reindex")
        await ledger.jobs.build(job.fence, "half")
        outcome = Outcome("failed" if status == "failed" else "cancelled")

        await ledger.jobs.finish(job.fence, outcome, Progress(), ())

        assert (await ledger.jobs.get(job.id)).building is None
        assert await ledger.garbage.retired_indexes(math.inf) == ["half"]

    async def test_what_a_job_built_that_ends_its_workers_is_retired(
        self, ledger: Ledger, clock: Clock
    ) -> None:
        await ordered(ledger, await created(ledger))
        for _ in range(3):
            job = await claimed(ledger, "reindex")
            clock.now_s += LEASE_S
        await ledger.jobs.build(job.fence, "half")

        assert await ledger.jobs.claim(LEASE_S, "reindex") is None

        ended = await ledger.jobs.get(job.id)
        assert (ended.status, "goes on with the index" in (ended.error or "")) == ("failed", True)
        assert await ledger.garbage.retired_indexes(math.inf) == ["half"]

    async def test_what_was_taken_into_use_is_not_retired_by_the_end_of_the_job(
        self, ledger: Ledger
    ) -> None:
        collection = await created(ledger)
        await ordered(ledger, collection)
        job = await claimed(ledger, "reindex")
        newer = newer_generation()
        await ledger.jobs.build(job.fence, newer.index_id)

        assert await ledger.collections.switch(collection, newer, job.fence)
        await ledger.jobs.finish(job.fence, Outcome("completed"), Progress(), ())

        assert await ledger.garbage.retired_indexes(math.inf) == []

    async def test_a_worker_that_lost_its_job_takes_nothing_into_use(
        self, ledger: Ledger, clock: Clock
    ) -> None:
        collection = await created(ledger)
        await ordered(ledger, collection)
        lost = await claimed(ledger, "reindex")
        clock.now_s += LEASE_S
        await claimed(ledger, "reindex")

        with pytest.raises(LeaseLost):
            await ledger.collections.switch(collection, newer_generation(), lost.fence)
        with pytest.raises(LeaseLost):
            await ledger.jobs.build(lost.fence, "late")
        with pytest.raises(LeaseLost):
            await ledger.jobs.compare(lost.fence, Recall(1, 10, 1.0, 1.0))

        assert await found(ledger, collection) == collection

    async def test_recall_is_kept_with_the_job(self, ledger: Ledger) -> None:
        await ordered(ledger, await created(ledger))
        job = await claimed(ledger, "reindex")
        recall = Recall(questions=7, k=10, mean=0.75, worst=0.1)

        await ledger.jobs.compare(job.fence, recall)
        progress = Progress(chunks_found=9, chunks_created=4)
        await ledger.jobs.beat(job.fence, progress, (), LEASE_S)

        now = await ledger.jobs.get(job.id)
        assert (now.recall, now.progress) == (recall, progress)

    async def test_one_of_two_that_switch_at_once_is_late(self, ledger: Ledger) -> None:
        collection = await put(ledger, await created(ledger), version_of("a"))

        done = await asyncio.gather(
            ledger.collections.switch(collection, newer_generation()),
            ledger.collections.switch(collection, newer_generation()),
        )

        assert sorted(done) == [False, True]
        current = await found(ledger, collection)
        assert current.previous == collection.generation
        assert replace(current, previous=None).generation.model == "newer"
