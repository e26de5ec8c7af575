"""Contract of a ledger for bulk imports. Inherit `BulkImportContract` and supply two fixtures.

    class TestMyImports(BulkImportContract):
        @pytest.fixture
        def clock(self) -> Clock: ...

        @pytest.fixture
        def open_ledger(self, clock: Clock) -> OpenLedger: ...

`open_ledger` opens the same ledger each time, which is empty at first and tells the time by the
clock.
"""

import asyncio
import math
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from sourcebook.core.errors import Conflict, InvalidInput, LeaseLost, NotFound
from sourcebook.core.jobs import (
    ImportItem,
    ImportTally,
    IngestJob,
    ItemResult,
    JobRequest,
    Outcome,
    Progress,
)
from sourcebook.core.metadata import JsonValue, Metadata
from sourcebook.core.ports import Ledger
from tests.contract.lease_contract import LEASE_S, Clock, claimed
from tests.contract.ledger_values import ALL, OpenLedger

CREATED = ItemResult("created", "d", 1)
FAILED = ItemResult("failed", message="no text")
DONE = Outcome("completed")


def documents(count: int) -> list[Metadata]:
    """Return documents as a client might post them."""
    return [{"id": f"d{n}", "text": f"Text {n}"} for n in range(count)]


async def begun(ledger: Ledger, count: int) -> IngestJob:
    """Enqueue and claim an import."""
    await ledger.jobs.enqueue_import(documents(count))
    return await claimed(ledger, "documents")


async def ended(ledger: Ledger, outcome: Outcome = DONE) -> IngestJob:
    """Return an import that has ended, with one of its two items done."""
    job = await begun(ledger, 2)
    await ledger.jobs.settle(job.fence, {0: CREATED})
    await ledger.jobs.finish(job.fence, outcome, Progress(), ())
    return await ledger.jobs.get(job.id)


async def positions_left(ledger: Ledger, job: IngestJob) -> list[int]:
    return [item.position for item in await ledger.jobs.unsettled(job.id, ALL)]


class BulkImportContract:
    """Imports are enqueued, worked off item by item, counted and cancelled."""

    @pytest.fixture
    async def ledger(self, open_ledger: OpenLedger) -> AsyncIterator[Ledger]:
        async with open_ledger() as ledger:
            yield ledger

    async def test_a_load_is_a_job_of_its_own_kind(self, ledger: Ledger, clock: Clock) -> None:
        job = await ledger.jobs.enqueue_import(documents(2))

        assert await ledger.jobs.get(job.id) == job
        assert (job.kind, job.status, job.attempts) == ("documents", "queued", 0)
        assert (job.created_at_s, job.request.trigger) == (clock.now_s, "api")
        assert await ledger.jobs.tally(job.id) == ImportTally(2, {}, ())

    async def test_items_come_in_the_order_in_which_they_were_posted(self, ledger: Ledger) -> None:
        posted = documents(1_000)
        job = await ledger.jobs.enqueue_import(posted)

        items = await ledger.jobs.unsettled(job.id, 2_000)
        first = await ledger.jobs.unsettled(job.id, 3)

        assert items == [ImportItem(n, document) for n, document in enumerate(posted)]
        assert first == items[:3]

    async def test_loads_do_not_join(self, ledger: Ledger) -> None:
        jobs = await asyncio.gather(*(ledger.jobs.enqueue_import(documents(3)) for _ in range(10)))

        assert len({job.id for job in jobs}) == len({job.request.book_id for job in jobs}) == 10
        assert [await positions_left(ledger, job) for job in jobs] == [[0, 1, 2]] * 10

    async def test_loads_are_claimed_oldest_first_and_once(self, ledger: Ledger) -> None:
        queued = [(await ledger.jobs.enqueue_import(documents(1))).id for _ in range(3)]

        claims = []
        for _ in queued:
            job = await claimed(ledger, "documents")
            claims.append(job.id)
            await ledger.jobs.finish(job.fence, DONE, Progress(), ())

        assert claims == queued
        assert await ledger.jobs.claim(LEASE_S, "documents") is None

    async def test_the_kinds_do_not_see_each_other(self, ledger: Ledger) -> None:
        job = await ledger.jobs.enqueue_import(documents(1))
        book = await ledger.jobs.enqueue(JobRequest("robotics"))

        assert await ledger.jobs.recent(10) == [book]
        assert await ledger.jobs.recent(10, kind="documents") == [job]
        assert await ledger.jobs.recent(10, "robotics", "documents") == []
        assert await ledger.jobs.recent(10, job.request.book_id) == []
        # They run beside one another.
        assert (await claimed(ledger)).id == book.id
        assert await ledger.jobs.claim(LEASE_S) is None
        assert (await claimed(ledger, "documents")).id == job.id
        assert await ledger.jobs.claim(LEASE_S, "documents") is None

    async def test_a_load_is_never_what_a_book_has_indexed(self, ledger: Ledger) -> None:
        job = await ended(ledger)

        assert await ledger.jobs.latest_indexed(job.request.book_id) is None

    async def test_recent_loads_are_listed_newest_first(self, ledger: Ledger) -> None:
        jobs = [await ledger.jobs.enqueue_import(documents(1)) for _ in range(5)]

        assert await ledger.jobs.recent(3, kind="documents") == jobs[:1:-1]

    async def test_a_load_outlives_its_ledger(self, open_ledger: OpenLedger) -> None:
        async with open_ledger() as ledger:
            job = await begun(ledger, 5)
            await ledger.jobs.settle(job.fence, {0: CREATED, 3: FAILED})

        async with open_ledger() as ledger:
            assert await ledger.jobs.get(job.id) == job
            await ledger.jobs.let_all_go()
            again = await claimed(ledger, "documents")
            left = await ledger.jobs.unsettled(job.id, ALL)
            tally = await ledger.jobs.tally(job.id)

        assert (again.id, again.attempts) == (job.id, 2)
        assert left == [ImportItem(n, documents(5)[n]) for n in (1, 2, 4)]
        assert tally == ImportTally(5, {"created": 1, "failed": 1}, ((3, FAILED),))

    async def test_what_is_settled_does_not_come_again(self, ledger: Ledger) -> None:
        job = await begun(ledger, 5)

        await ledger.jobs.settle(job.fence, {3: CREATED, 0: CREATED})
        await ledger.jobs.settle(job.fence, {})

        assert await positions_left(ledger, job) == [1, 2, 4]
        assert [i.position for i in await ledger.jobs.unsettled(job.id, 2)] == [1, 2]

    async def test_what_became_of_an_item_does_not_change(self, ledger: Ledger) -> None:
        job = await begun(ledger, 3)
        await ledger.jobs.settle(job.fence, {1: FAILED})

        await ledger.jobs.settle(job.fence, {1: CREATED, 2: CREATED, 99: CREATED})

        tally = ImportTally(3, {"failed": 1, "created": 1}, ((1, FAILED),))
        assert await ledger.jobs.tally(job.id) == tally

    async def test_one_load_does_not_settle_the_items_of_another(self, ledger: Ledger) -> None:
        job, other = await begun(ledger, 2), await ledger.jobs.enqueue_import(documents(2))

        await ledger.jobs.settle(job.fence, {0: CREATED, 1: CREATED})

        assert await positions_left(ledger, other) == [0, 1]
        assert (await ledger.jobs.tally(other.id)).settled == 0

    async def test_a_worker_that_lost_the_load_settles_nothing(
        self, ledger: Ledger, clock: Clock
    ) -> None:
        frozen = await begun(ledger, 2)
        clock.now_s += LEASE_S
        taken = await claimed(ledger, "documents")

        for act in (
            lambda: ledger.jobs.settle(frozen.fence, {0: CREATED}),
            lambda: ledger.jobs.settle(frozen.fence, {}),
            lambda: ledger.jobs.beat(frozen.fence, Progress(), (), LEASE_S),
            lambda: ledger.jobs.finish(frozen.fence, DONE, Progress(), ()),
            lambda: ledger.jobs.let_go(frozen.fence),
        ):
            with pytest.raises(LeaseLost, match=f"Job {frozen.id} "):
                await act()

        assert await ledger.jobs.get(frozen.id) == taken
        assert (await ledger.jobs.tally(frozen.id)).settled == 0
        await ledger.jobs.settle(taken.fence, {0: CREATED})
        assert await positions_left(ledger, taken) == [1]

    async def test_nothing_is_settled_before_a_load_began_or_after_it_ended(
        self, ledger: Ledger
    ) -> None:
        done = await ended(ledger)
        queued = await ledger.jobs.enqueue_import(documents(2))

        for job in (done, queued):
            with pytest.raises(LeaseLost):
                await ledger.jobs.settle(job.fence, {1: CREATED})

    async def test_a_load_that_is_let_go_goes_on_at_once(self, ledger: Ledger) -> None:
        job = await begun(ledger, 2)

        await ledger.jobs.let_go(job.fence)

        again = await claimed(ledger, "documents")
        assert (again.id, again.token, again.attempts) == (job.id, 2, 1)

    async def test_a_load_that_ended_three_workers_fails(
        self, ledger: Ledger, clock: Clock
    ) -> None:
        await ledger.jobs.enqueue_import(documents(2))
        for _ in range(3):
            job = await claimed(ledger, "documents")
            await ledger.jobs.beat(job.fence, Progress(current_file="bad"), (), LEASE_S)
            clock.now_s += LEASE_S

        assert await ledger.jobs.claim(LEASE_S, "documents") is None

        failed = await ledger.jobs.get(job.id)
        assert (failed.status, failed.finished_at_s) == ("failed", clock.now_s)
        assert failed.error is not None
        assert "ended 3 times while this job ran (last document: bad)" in failed.error

    async def test_a_queued_load_that_is_cancelled_never_runs(
        self, ledger: Ledger, clock: Clock
    ) -> None:
        queued = await ledger.jobs.enqueue_import(documents(2))
        clock.now_s += 1

        cancelled = await ledger.jobs.cancel(queued.id)

        assert cancelled == replace(queued, status="cancelled", finished_at_s=clock.now_s)
        assert await ledger.jobs.claim(LEASE_S, "documents") is None
        assert await ledger.jobs.tally(queued.id) == ImportTally(2, {}, ())
        with pytest.raises(Conflict, match=rf"Job {queued.id} has ended already \(cancelled\)"):
            await ledger.jobs.cancel(queued.id)

    async def test_a_running_load_is_asked_to_end(self, ledger: Ledger) -> None:
        job = await begun(ledger, 2)

        asked = await ledger.jobs.cancel(job.id)

        assert (asked.status, asked.cancel_requested) == ("running", True)
        assert await ledger.jobs.beat(job.fence, Progress(), (), LEASE_S)

    async def test_an_ended_load_has_nothing_left_to_do_but_still_counts(
        self, ledger: Ledger
    ) -> None:
        job = await ended(ledger, Outcome("cancelled"))

        assert await ledger.jobs.unsettled(job.id, ALL) == []
        assert await ledger.jobs.tally(job.id) == ImportTally(2, {"created": 1}, ())

    async def test_a_tally_counts_all_and_lists_the_first_failures(self, ledger: Ledger) -> None:
        job = await begun(ledger, 1_000)
        results = [
            ItemResult("failed", f"d{n}", message=f"Reason {n}") if n % 4 == 0 else CREATED
            for n in range(900)
        ]

        await ledger.jobs.settle(job.fence, dict(reversed(list(enumerate(results)))))

        tally = await ledger.jobs.tally(job.id)
        assert (tally.total, tally.settled) == (1_000, 900)
        assert tally.by_status == {"failed": 225, "created": 675}
        assert tally.failures == tuple((n, results[n]) for n in range(0, 400, 4))
        assert await positions_left(ledger, job) == list(range(900, 1_000))

    @pytest.mark.parametrize("job_id", [0, -1, 7, 2**63, 2**80])
    async def test_an_unknown_load_has_no_tally(self, ledger: Ledger, job_id: int) -> None:
        with pytest.raises(NotFound, match=f"Job {job_id} not found"):
            await ledger.jobs.tally(job_id)

    async def test_a_job_of_a_book_has_no_tally_and_no_items(self, ledger: Ledger) -> None:
        book = await ledger.jobs.enqueue(JobRequest("robotics"))

        with pytest.raises(NotFound, match=f"Job {book.id} not found"):
            await ledger.jobs.tally(book.id)
        assert await ledger.jobs.unsettled(book.id, ALL) == []

    async def test_an_empty_load_is_a_load(self, ledger: Ledger) -> None:
        job = await ledger.jobs.enqueue_import([])

        assert await ledger.jobs.unsettled(job.id, ALL) == []
        assert await ledger.jobs.tally(job.id) == ImportTally(0, {}, ())

    @pytest.mark.parametrize(
        "value",
        [
            "Größe 漢字 😀 \u200f\ufeff",
            'quotes " and \\ and \\u0000 and \\ud800',
            "NUL \x00 and the other controls \x01\x1f\x7f\x85\u2028",
            "half of a pair: \ud800, \\\udfff",
            [None, True, False, 0, -1.5, 2**80, 1e-320, ["a", {"b": []}], {}, ""],
            {"": {"ключ": 1, "key\x00": "\udce9"}},
        ],
        ids=["unicode", "escapes", "controls", "surrogates", "kinds", "keys"],
    )
    async def test_any_json_comes_back_as_it_was_posted(
        self, ledger: Ledger, value: JsonValue
    ) -> None:
        job = await ledger.jobs.enqueue_import([{"text": value}, {}])

        items = await ledger.jobs.unsettled(job.id, ALL)

        assert items == [ImportItem(0, {"text": value}), ImportItem(1, {})]

    @pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
    async def test_what_no_json_can_hold_is_refused(self, ledger: Ledger, number: float) -> None:
        with pytest.raises(InvalidInput, match="Document 1 holds a number that is not finite"):
            await ledger.jobs.enqueue_import([{}, {"metadata": {"n": [number]}}])

        assert await ledger.jobs.recent(10, kind="documents") == []

    async def test_large_texts_are_kept_whole(self, ledger: Ledger) -> None:
        posted: list[Metadata] = [{"text": f"{n} ü" * 700_000} for n in range(3)]
        posted.insert(1, {"text": "short"})

        job = await ledger.jobs.enqueue_import(posted)

        assert [item.document for item in await ledger.jobs.unsettled(job.id, ALL)] == posted

    async def test_results_of_any_text_can_be_reported(self, ledger: Ledger) -> None:
        job = await begun(ledger, 1)
        odd = "caf\udce9\x00"

        await ledger.jobs.settle(job.fence, {0: ItemResult("failed", odd, message=f"{odd} is odd")})

        ((_, result),) = (await ledger.jobs.tally(job.id)).failures
        assert result == ItemResult("failed", r"caf\udce9\x00", message=r"caf\udce9\x00 is odd")
