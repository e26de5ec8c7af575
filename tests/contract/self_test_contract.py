"""Contract of a ledger for self-tests: the latest one of each book, and its report in a job."""

from dataclasses import replace

import pytest

from sourcebook.core.books import KeptLayout
from sourcebook.core.errors import LeaseLost
from sourcebook.core.jobs import Fence, JobRequest, Outcome, Progress
from sourcebook.core.ports import Ledger
from sourcebook.core.self_tests import Check, Probe, SelfTest
from tests.contract.ledger_values import being_built, found, new_collection

BEFORE, NOW = Check(1_700_000_000.25, "c0ffee"), Check(1_700_000_600.5, None)
FOUND = Probe("d1", "ä/01.md", "What are joints?", checked=True, found=NOW)
NEWLY_LOST = Probe("d2", "02.md", "How do I grip?", checked=True, found=BEFORE, missed=NOW)
STILL_LOST = replace(NEWLY_LOST, question="What is a gripper?", missed=BEFORE)
NEVER_FOUND = Probe("d3", "03.md", "What is “it”?", checked=True, missed=BEFORE)
UNCHECKED = Probe("d4", "04.md", "Why?")
TEST = SelfTest(
    "robotics", "arms", "a" * 64, NOW, (FOUND, NEWLY_LOST, STILL_LOST, NEVER_FOUND, UNCHECKED), "?"
)


class SelfTestContract:
    """Each book keeps its latest self-test as long as its layout, and a job keeps its report."""

    async def test_a_self_test_comes_back_as_it_was_kept(self, ledger: Ledger) -> None:
        await ledger.self_tests.put(TEST)

        assert await ledger.self_tests.get("robotics", "arms") == TEST
        assert await ledger.self_tests.get("robotics", "legs") is None
        assert await ledger.self_tests.get("other", "arms") is None
        assert await ledger.self_tests.get("robotics", "\x00\ud800") is None

    async def test_a_newer_self_test_takes_the_place_of_the_older(self, ledger: Ledger) -> None:
        newer = replace(TEST, book_state="b" * 64, probes=(FOUND,), note=None)
        await ledger.self_tests.put(TEST)

        await ledger.self_tests.put(newer)

        assert await ledger.self_tests.get("robotics", "arms") == newer

    async def test_the_probes_of_all_books_are_counted(self, ledger: Ledger) -> None:
        assert not any((await ledger.self_tests.counts()).values())
        await ledger.self_tests.put(TEST)
        await ledger.self_tests.put(replace(TEST, book_id="legs", probes=(FOUND,)))

        counts = await ledger.self_tests.counts()

        assert counts == {"found": 2, "lost": 2, "never_found": 1, "unchecked": 1}

    async def test_the_self_test_of_a_deleted_book_is_forgotten(self, ledger: Ledger) -> None:
        await ledger.books.put(KeptLayout("robotics", "arms", ("*.md",), (), False, "x", 0.0))
        await ledger.self_tests.put(TEST)
        await ledger.self_tests.put(replace(TEST, book_id="legs"))

        assert await ledger.books.delete("robotics", "arms")

        assert await ledger.self_tests.get("robotics", "arms") is None
        assert await ledger.self_tests.get("robotics", "legs") is not None

    async def test_a_self_test_goes_with_its_collection(self, ledger: Ledger) -> None:
        await ledger.collections.create(new_collection("robotics"))
        await ledger.self_tests.put(TEST)
        await ledger.self_tests.put(replace(TEST, collection="other"))

        await ledger.collections.delete("robotics")

        assert await ledger.self_tests.get("robotics", "arms") is None
        assert await ledger.self_tests.get("other", "arms") is not None

    async def test_a_self_test_stays_when_its_collection_is_rebuilt(self, ledger: Ledger) -> None:
        live = new_collection("robotics")
        fresh = being_built(live)
        await ledger.collections.create(live)
        await ledger.collections.create(fresh)
        await ledger.self_tests.put(TEST)

        assert await ledger.collections.replace(live, fresh)
        await ledger.collections.discard((await found(ledger, live)).id)

        assert await ledger.self_tests.get("robotics", "arms") == TEST

    async def test_a_job_keeps_the_report_of_its_self_test(self, ledger: Ledger) -> None:
        await ledger.jobs.enqueue(JobRequest("arms"))
        job = await ledger.jobs.claim(30.0)
        assert job is not None
        assert job.self_test is None

        await ledger.self_tests.put(TEST, job.fence)
        await ledger.jobs.beat(job.fence, Progress(files_found=1), (), 30.0)
        await ledger.jobs.finish(job.fence, Outcome("completed"), Progress(), ())

        ended = await ledger.jobs.get(job.id)
        assert ended.self_test == TEST.report()
        assert ended.self_test.lost == (NEWLY_LOST, STILL_LOST)

    async def test_a_report_names_some_of_very_many_lost_probes_and_counts_all(
        self, ledger: Ledger
    ) -> None:
        await ledger.jobs.enqueue(JobRequest("arms"))
        job = await ledger.jobs.claim(30.0)
        assert job is not None
        lost = tuple(replace(NEWLY_LOST, document_id=f"d{n}") for n in range(200))

        await ledger.self_tests.put(replace(TEST, probes=lost), job.fence)

        report = (await ledger.jobs.get(job.id)).self_test
        assert report is not None
        assert report.counts["lost"] == 200
        assert report.newly_lost == lost[: len(report.newly_lost)]
        assert 0 < len(report.newly_lost) < 200

    async def test_a_worker_that_lost_its_job_keeps_no_self_test(self, ledger: Ledger) -> None:
        await ledger.jobs.enqueue(JobRequest("arms"))
        job = await ledger.jobs.claim(30.0)
        assert job is not None

        with pytest.raises(LeaseLost):
            await ledger.self_tests.put(TEST, Fence(job.id, job.token - 1))

        assert await ledger.self_tests.get("robotics", "arms") is None
        assert (await ledger.jobs.get(job.id)).self_test is None
