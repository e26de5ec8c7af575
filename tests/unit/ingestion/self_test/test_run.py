"""A book is tested after a run that changed it; the test names what is lost and fails no job."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import LeaseLost, RetrievalUnavailable
from sourcebook.core.jobs import IngestJob
from sourcebook.core.ports import Ledger
from sourcebook.core.self_tests import Probe, SelfTestReport
from sourcebook.ingestion.identity import lesson_id
from sourcebook.ingestion.job_runner import JobReport, JobRunner
from sourcebook.ingestion.self_test.run import BATCH, SelfTestedRun, SelfTester
from tests.books import ARMS, BOOK, ROS, WORLDS, BookWorld, lesson_text
from tests.memory_store import MemoryStore

JOINTS = "What are Joints?"


@dataclass
class FakeSearch:
    """Finds every lesson but those that a test hides, and fails or hangs when told to."""

    lessons: Sequence[str] = tuple(lesson_id(BOOK, path) for path in (ROS, ARMS, WORLDS))
    lost: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)
    error: Exception | None = None
    answers: float = float("inf")
    cancels: JobReport | None = None

    async def __call__(self, book_id: str, question: str, limit: int) -> Sequence[str]:
        self.asked.append(question)
        if self.cancels is not None:
            self.cancels.cancelled = True
        if len(self.asked) > self.answers:
            await asyncio.Event().wait()
        if self.error is not None:
            raise self.error
        return () if question in self.lost else self.lessons[:limit]


class SelfTestedWorld(BookWorld):
    """A book whose runs are tested."""

    def __init__(self, ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> None:
        super().__init__(ledger, store, models)
        self.search = FakeSearch()
        self.use(SelfTester(ledger, "book", self.search))
        self.source.write(ROS, lesson_text("Topics", "Publishers", "Subscribers"))
        self.source.write(ARMS, lesson_text("Arms", "Joints", "Grippers"))

    def use(self, tester: SelfTester) -> None:
        """Test the following runs with this one."""
        self.tested_run = SelfTestedRun(self.book_run, tester)
        self.runner = JobRunner(self.ledger.jobs, self.tested_run)

    async def push(self, text: str, commit: str | None = None) -> IngestJob:
        """Change a lesson that no lost question is of, and run."""
        self.source.write(WORLDS, lesson_text("Worlds", text))
        self.source.commit = commit
        return await self.ingest()


@pytest.fixture
def world(ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> SelfTestedWorld:
    return SelfTestedWorld(ledger, store, models)


def report_of(job: IngestJob) -> SelfTestReport:
    assert job.status == "completed"
    assert job.self_test is not None
    return job.self_test


def names(probes: Sequence[Probe]) -> list[str]:
    return [probe.question for probe in probes]


async def test_a_run_that_changed_something_tests_the_book(world: SelfTestedWorld) -> None:
    job = await world.ingest()

    report = report_of(job)
    assert JOINTS in world.search.asked
    assert report.counts["found"] == sum(report.counts.values()) == len(world.search.asked)
    assert report.lost == ()


async def test_a_run_that_changed_nothing_tests_nothing(world: SelfTestedWorld) -> None:
    await world.ingest()
    world.search.asked.clear()

    job = await world.ingest()

    assert (job.status, job.self_test, world.search.asked) == ("completed", None, [])


async def test_a_question_is_newly_lost_once_then_still_lost_since_that_commit(
    world: SelfTestedWorld,
) -> None:
    await world.push("Physics", commit="c1")
    world.search.lost.add(JOINTS)

    first = report_of(await world.push("Gravity", commit="c2"))
    second = report_of(await world.push("Friction", commit="c3"))

    assert (names(first.newly_lost), names(first.still_lost)) == ([JOINTS], [])
    assert (names(second.newly_lost), names(second.still_lost)) == ([], [JOINTS])
    (probe,) = second.still_lost
    assert (probe.path, probe.document_id) == (ARMS, lesson_id(BOOK, ARMS))
    assert probe.found is not None
    assert probe.missed is not None
    assert (probe.found.commit, probe.missed.commit, second.check.commit) == ("c1", "c2", "c3")


async def test_a_source_without_commits_has_none(world: SelfTestedWorld) -> None:
    await world.ingest()
    world.search.lost.add(JOINTS)

    (probe,) = report_of(await world.push("Gravity")).newly_lost

    assert probe.missed is not None
    assert probe.missed.commit is None


async def test_a_question_that_is_found_again_is_not_lost(world: SelfTestedWorld) -> None:
    await world.ingest()
    world.search.lost.add(JOINTS)
    await world.push("Gravity")
    world.search.lost.clear()

    report = report_of(await world.push("Friction"))

    assert (report.lost, report.counts["lost"]) == ((), 0)


async def test_a_question_that_was_never_found_is_counted_and_not_called_lost(
    world: SelfTestedWorld,
) -> None:
    world.search.lost.add(JOINTS)

    first = report_of(await world.ingest())
    second = report_of(await world.push("Gravity"))

    assert [report.counts["never_found"] for report in (first, second)] == [1, 1]
    assert first.lost == second.lost == ()


async def test_the_questions_of_a_deleted_lesson_and_a_changed_heading_are_replaced(
    world: SelfTestedWorld,
) -> None:
    await world.ingest()
    world.search.lost |= {JOINTS, "What are Publishers?"}
    await world.push("Gravity")
    del world.source.files[ROS]
    world.source.write(ARMS, lesson_text("Arms", "Elbows", "Grippers"))

    report = report_of(await world.ingest())

    assert report.lost == ()
    assert "What are Elbows?" in world.search.asked


async def test_a_rebuilt_book_keeps_what_is_known_of_its_questions(world: SelfTestedWorld) -> None:
    await world.ingest()
    world.search.lost.add(JOINTS)

    report = report_of(await world.ingest("recreate"))

    assert names(report.newly_lost) == [JOINTS]


async def test_a_test_that_fails_is_a_warning_and_the_next_run_goes_on(
    world: SelfTestedWorld,
) -> None:
    world.search.error = RetrievalUnavailable("The index is away")

    job = await world.ingest()
    world.search.error = None
    again = await world.ingest()

    report = report_of(job)
    assert (report.note, report.counts["found"]) == ("The index is away", 0)
    assert [warning.message for warning in job.warnings] == [
        "The self-test could not be finished: The index is away"
    ]
    assert report_of(again).counts["unchecked"] == 0
    assert again.warnings == ()


async def test_a_test_that_crashes_is_a_warning(world: SelfTestedWorld) -> None:
    world.search.error = ValueError("secret")

    job = await world.ingest()

    assert job.status == "completed"
    (warning,) = job.warnings
    assert "secret" not in warning.message


async def test_what_takes_too_long_is_left_unchecked_for_the_next_run(
    world: SelfTestedWorld, ledger: Ledger
) -> None:
    sections = [f"Part {n}" for n in range(2 * BATCH)]
    world.source.write(ROS, lesson_text("Topics", *sections))
    world.search.answers = BATCH
    world.use(SelfTester(ledger, "book", world.search, timeout_s=0.05))

    first = report_of(job := await world.ingest())
    world.search.answers = float("inf")
    world.search.asked.clear()
    world.use(SelfTester(ledger, "book", world.search))
    second = report_of(await world.ingest())

    assert (first.counts["found"], job.warnings) == (BATCH, ())
    assert first.note == "It took longer than 0.05 s"
    assert first.counts["unchecked"] == len(world.search.asked) > BATCH
    assert (second.counts["unchecked"], second.note) == (0, None)


async def test_a_cancelled_job_stops_testing_and_is_as_complete_as_its_run(
    world: SelfTestedWorld,
) -> None:
    world.source.write(ROS, lesson_text("Topics", *(f"Part {n}" for n in range(2 * BATCH))))
    job, report = await world.claim()
    world.search.cancels = report

    outcome = await world.tested_run.run(job, report)

    test = await world.ledger.self_tests.get("book", BOOK)
    assert outcome.status == "completed"
    assert test is not None
    assert len(world.search.asked) == BATCH
    assert test.note == "The job was cancelled"


async def test_a_run_that_failed_is_not_tested(world: SelfTestedWorld) -> None:
    world.source.away = True

    job = await world.ingest()

    assert (job.status, job.self_test, world.search.asked) == ("failed", None, [])


async def test_a_worker_that_lost_its_job_keeps_no_result(world: SelfTestedWorld) -> None:
    job, report = await world.claim()
    await world.book_run.run(job, report)

    with pytest.raises(LeaseLost):
        await world.tested_run.run(replace(job, token=job.token - 1), report)

    assert await world.ledger.self_tests.get("book", BOOK) is None
