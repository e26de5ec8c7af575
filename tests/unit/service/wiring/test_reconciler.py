"""Looking for changes orders a run when one would help, and only then."""

import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.core.ports import Ledger
from sourcebook.ingestion.book.jobs import BookJobs
from sourcebook.service.wiring.reconciler import Reconciler
from tests.books import ARMS, BOOK, ROS, BookWorld, lesson_text
from tests.memory_store import MemoryStore


@pytest.fixture
def world(ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> BookWorld:
    world = BookWorld(ledger, store, models)
    world.source.write(ROS, lesson_text("Topics", "Publishers"))
    return world


@pytest.fixture
def reconciler(world: BookWorld) -> Reconciler:
    jobs = world.ledger.jobs
    book_jobs = BookJobs(jobs, world.book_run, accept=lambda request: request, wake=lambda: None)
    return Reconciler(book_jobs, BOOK)


async def _runs(world: BookWorld) -> int:
    """Do what was ordered; how many jobs there have been."""
    while (job := await world.ledger.jobs.claim(30.0)) is not None:
        await world.runner.run(job)
    return len(await world.ledger.jobs.recent(100))


async def test_a_change_is_indexed_and_nothing_is_ordered_twice(
    world: BookWorld, reconciler: Reconciler
) -> None:
    await reconciler.look()
    first = await _runs(world)
    await reconciler.look()
    second = await _runs(world)
    world.source.write(ARMS, lesson_text("Arms", "Joints"))
    await reconciler.look()
    third = await _runs(world)

    assert (first, second, third) == (1, 1, 2)
    assert await world.paths() == {ROS, ARMS}


async def test_a_book_without_a_file_fails_once_and_is_indexed_when_files_come(
    world: BookWorld, reconciler: Reconciler
) -> None:
    world.source.files.clear()
    await reconciler.look()
    first = await _runs(world)
    await reconciler.look()
    second = await _runs(world)
    (failed,) = await world.ledger.jobs.recent(1)
    world.source.write(ARMS, lesson_text("Arms", "Joints"))
    await reconciler.look()
    third = await _runs(world)

    assert (first, second, third) == (1, 1, 2)
    assert (failed.status, "No lesson was found" in (failed.error or "")) == ("failed", True)
    assert await world.paths() == {ARMS}


async def test_a_file_that_stays_unreadable_is_not_tried_for_ever(
    world: BookWorld, reconciler: Reconciler
) -> None:
    world.source.files[ARMS] = b"\xff\xfe"
    counts = []
    for _ in range(4):
        await reconciler.look()
        counts.append(await _runs(world))
    world.source.write(ARMS, lesson_text("Arms", "Joints"))
    await reconciler.look()
    counts.append(await _runs(world))

    assert counts == [1, 1, 1, 1, 2]
    assert await world.paths() == {ROS, ARMS}


async def test_a_commit_that_changes_no_lesson_is_noted(
    world: BookWorld, reconciler: Reconciler
) -> None:
    world.source.commit = "a" * 40
    await reconciler.look()
    await _runs(world)
    world.source.commit = "b" * 40
    await reconciler.look()
    await _runs(world)

    latest = await world.ledger.jobs.latest_indexed(BOOK)
    assert latest is not None
    assert (latest.commit, latest.progress.files_processed) == ("b" * 40, 0)


async def test_a_source_that_is_away_is_looked_at_again(
    world: BookWorld, reconciler: Reconciler
) -> None:
    world.source.away = True
    await reconciler.look()
    away = await _runs(world)
    world.source.away = False
    await reconciler.look()

    assert (away, await _runs(world)) == (0, 1)


async def test_a_run_that_failed_before_it_came_to_the_files_is_tried_again(
    world: BookWorld, reconciler: Reconciler, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(_: object) -> None:
        raise RetrievalUnavailable("The store is away")

    with monkeypatch.context() as while_away:
        while_away.setattr(store, "create", away)
        await reconciler.look()
        failed = await _runs(world)
    await reconciler.look()

    assert (failed, await _runs(world)) == (1, 2)
    assert await world.paths() == {ROS}
