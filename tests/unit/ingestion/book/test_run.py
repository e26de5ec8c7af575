"""A run makes the index what the files are, and loses nothing when it cannot."""

import asyncio
import hashlib
import logging
from collections.abc import Sequence
from dataclasses import replace

import pytest

from sourcebook.core.book_source import FileProblem
from sourcebook.core.documents import TokenSpans
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import EmbeddingFailed, LeaseLost, RateLimited
from sourcebook.core.filters import EVERYTHING
from sourcebook.core.jobs import IngestMode, JobRequest
from sourcebook.core.ports import Ledger
from sourcebook.core.vectors import Embedding, IndexSpec
from sourcebook.ingestion.book.lessons import MAX_SECTIONS
from sourcebook.ingestion.job_runner import JobReport
from sourcebook.ingestion.overload_retry import OverloadRetry
from sourcebook.ingestion.upkeep.verifier import Verifier
from tests.books import ARMS, BOOK, ROS, WORLDS, BookWorld, lesson_text
from tests.fakes import FakeEmbedder
from tests.memory_store import MemoryStore

FILTERED = (
    *("book_id", "module", "hardware_tier", "chapter", "lesson", "proficiency_level", "layer"),
    *("parent_doc_id", "content_hash", "source_file_hash", "chunk_index"),
)


@pytest.fixture
def world(ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> BookWorld:
    world = BookWorld(ledger, store, models, retry=OverloadRetry(_no_sleep, max_attempts=3))
    world.source.write(ROS, lesson_text("Topics", "Publishers", "Subscribers", tier=1))
    world.source.write(ARMS, lesson_text("Arms", "Joints", "Grippers", tier=3))
    return world


async def _no_sleep(_: float) -> None:
    await asyncio.sleep(0)


async def _clean(world: BookWorld) -> bool:
    findings = await Verifier(world.ledger, world.store).verify()
    return all(found.clean for found in findings)


@pytest.mark.spec("002 US2.1")
async def test_a_run_indexes_new_and_modified_files_only(
    world: BookWorld, embedder: FakeEmbedder
) -> None:
    first = await world.ingest()
    embedder.batches.clear()

    world.source.write(WORLDS, lesson_text("Worlds", "Physics"))
    second = await world.ingest()

    assert (first.status, first.progress.files_processed) == ("completed", 2)
    assert (second.progress.files_processed, second.progress.files_skipped) == (1, 2)
    assert all("Physics" in text for batch in embedder.batches for text in batch)
    assert await world.paths() == {ROS, ARMS, WORLDS}
    assert await _clean(world)


@pytest.mark.spec("002 SC-002")
@pytest.mark.spec("002 Eval-003")
async def test_unchanged_means_no_work(world: BookWorld, embedder: FakeEmbedder) -> None:
    await world.ingest()
    before = (await world.collection()).revision
    embedder.batches.clear()

    job = await world.ingest()

    assert (job.status, job.progress.files_processed, job.progress.files_skipped) == (
        "completed",
        0,
        2,
    )
    assert embedder.batches == []
    assert (await world.collection()).revision == before


async def test_the_first_lessons_are_embedded_in_small_groups_so_that_progress_shows(
    world: BookWorld, embedder: FakeEmbedder
) -> None:
    for number in range(120):
        path = f"module-1-ros2/chapter-{number}-more/01-lesson.md"
        world.source.write(path, lesson_text(f"Lesson {number}", f"Part {number}"))
    job = await world.ingest()

    sizes = [len(batch) for batch in embedder.batches]
    assert sum(sizes) == job.progress.chunks_embedded > 100
    assert sizes[0] < 30 < max(sizes)


async def test_an_edit_of_one_section_embeds_that_section_and_its_neighbour_alone(
    world: BookWorld, embedder: FakeEmbedder
) -> None:
    sections = [f"Part{n}" for n in range(8)]
    world.source.write(ROS, lesson_text("Topics", *sections))
    await world.ingest()
    embedder.batches.clear()

    world.source.write(ROS, lesson_text("Topics", *sections).replace("Part3 word5", "Part3 edit"))
    job = await world.ingest()

    assert job.progress.chunks_embedded <= 2
    assert sum(len(batch) for batch in embedder.batches) == job.progress.chunks_embedded
    assert job.progress.chunks_created == job.progress.chunks_deleted


async def test_every_section_of_a_chunk_is_read_by_the_model_on_its_own(
    world: BookWorld, embedder: FakeEmbedder
) -> None:
    sections = [f"## S{n}\n\n" + f"about s{n} and more. " * 25 for n in range(3)]
    world.source.files.clear()
    world.source.write(ROS, "# Topics\n\n" + "\n".join(sections))

    job = await world.ingest()

    lesson = await world.lesson(ROS)
    assert lesson is not None
    assert (job.progress.chunks_created, job.progress.chunks_embedded) == (1, 1)
    read = [text for batch in embedder.batches for text in batch]
    assert [text.count("## ") for text in read] == [1, 1, 1]
    assert read[0].startswith("# Topics")
    assert await _clean(world)


async def test_an_introduction_is_embedded_and_cited_under_no_heading_of_another_section(
    world: BookWorld, embedder: FakeEmbedder
) -> None:
    world.source.files.clear()
    parts = ["intro " * 40, "## Alpha\n\n" + "one " * 40, "## The `kubectl` tool\n\n" + "two " * 90]
    world.source.write(ROS, "\n\n".join(parts))

    await world.ingest()

    lesson = await world.lesson(ROS)
    assert lesson is not None
    (chunk,) = lesson.chunks
    assert chunk.metadata["section_titles"] == ["", "Alpha", "The kubectl tool"]
    read = [text for batch in embedder.batches for text in batch]
    assert [text.split()[:2] for text in read] == [
        ["intro", "intro"],
        ["##", "Alpha"],
        ["##", "The"],
    ]


async def test_a_file_without_a_title_has_that_of_its_first_heading(world: BookWorld) -> None:
    world.source.write(ROS, "## The slice type\n\nA slice.\n\n## Strings\n\nText.")

    await world.ingest()

    lesson = await world.lesson(ROS)
    assert lesson is not None
    assert lesson.document.metadata["lesson_title"] == "The slice type"


async def test_of_very_many_headings_the_last_are_cited_without_one(world: BookWorld) -> None:
    world.source.files.clear()
    world.source.write(ROS, "\n\n".join(f"### T{n}\n\nw{n}" for n in range(100)))

    job = await world.ingest()

    lesson = await world.lesson(ROS)
    assert (job.status, lesson is not None) == ("completed", True)
    titles = lesson.chunks[0].metadata["section_titles"] if lesson else []
    assert isinstance(titles, list)
    assert titles[-2:] == [f"T{MAX_SECTIONS - 1}", ""]


async def test_a_new_tier_is_taken_over_without_embedding(
    world: BookWorld, embedder: FakeEmbedder
) -> None:
    await world.ingest()
    embedder.batches.clear()

    world.source.write(ROS, lesson_text("Topics", "Publishers", "Subscribers", tier=4))
    await world.ingest()

    lesson = await world.lesson(ROS)
    assert lesson is not None
    assert {chunk.metadata["hardware_tier"] for chunk in lesson.chunks} == {4}
    assert embedder.batches == []


@pytest.mark.spec("002 US2.2")
async def test_what_is_deleted_is_removed(world: BookWorld) -> None:
    await world.ingest()

    del world.source.files[ARMS]
    job = await world.ingest()

    assert await world.paths() == {ROS}
    assert job.progress.documents_deleted == 1
    assert job.progress.chunks_deleted > 0
    assert await _clean(world)


async def test_a_file_that_cannot_be_read_is_not_deleted(world: BookWorld) -> None:
    await world.ingest()

    world.source.unreadable.add(ARMS)
    job = await world.ingest()

    assert await world.paths() == {ROS, ARMS}
    assert (job.status, job.progress.files_failed) == ("partial", 1)
    assert [(warning.path, warning.message) for warning in job.warnings] == [
        (ARMS, "The file cannot be read")
    ]


async def test_what_lies_in_a_folder_that_cannot_be_seen_is_not_deleted(world: BookWorld) -> None:
    await world.ingest()

    del world.source.files[ARMS]
    world.source.unseen = ("module-1-ros2/",)
    await world.ingest()

    assert await world.paths() == {ROS, ARMS}


async def test_a_file_that_is_no_text_leaves_the_old_version(world: BookWorld) -> None:
    await world.ingest()

    world.source.files[ARMS] = b"\xff\xfe binary"
    job = await world.ingest()

    lesson = await world.lesson(ARMS)
    assert lesson is not None
    assert lesson.document.metadata["lesson_title"] == "Arms"
    assert (job.status, job.progress.files_failed) == ("partial", 1)
    assert "not UTF-8" in job.warnings[0].message


async def test_a_file_over_the_limit_fails_like_one_that_is_no_text(world: BookWorld) -> None:
    await world.ingest()

    del world.source.files[ARMS]
    world.source.unseen = (ARMS, "pictures.md")
    world.source.problems = (FileProblem(ARMS, "it has 9 bytes, and 5 is the most"),)
    job = await world.ingest()
    again = await world.ingest("recreate")

    assert await world.paths() == {ROS, ARMS}
    assert (job.status, job.progress.files_failed) == ("partial", 1)
    assert (again.status, again.progress.files_failed) == ("partial", 1)
    assert [warning.path for warning in job.warnings] == [ARMS]


async def test_files_that_fit_no_pattern_are_reported(world: BookWorld) -> None:
    world.source.write("preface.md", "# Preface\n\nHello.\n")

    job = await world.ingest()

    assert [warning.path for warning in job.warnings] == ["preface.md"]
    assert (job.status, job.progress.files_unmatched) == ("completed", 1)


async def test_of_many_files_that_fit_no_pattern_the_first_are_named_and_all_are_counted(
    world: BookWorld,
) -> None:
    for number in range(1_500):
        world.source.write(f"notes/{number:04}.md", "# Note")

    job = await world.ingest()
    preview = await world.book_run.preview(JobRequest(BOOK))

    assert job.progress.files_unmatched == preview.found.unmatched == 1_500
    assert [warning.path for warning in job.warnings[:2]] == ["notes/0000.md", "notes/0001.md"]
    assert (len(job.warnings), job.progress.warning_count) == (20, 1_500)


async def test_a_draft_is_not_indexed_and_costs_nothing_again(
    world: BookWorld, embedder: FakeEmbedder
) -> None:
    await world.ingest()
    text = lesson_text("Arms", "Joints").replace("---\n\n", "draft: true\n---\n\n", 1)
    world.source.write(ARMS, text)

    await world.ingest()
    embedder.batches.clear()
    again = await world.ingest()

    lesson = await world.lesson(ARMS)
    assert lesson is not None
    assert (lesson.chunks, lesson.document.text) == ((), "")
    assert (again.progress.files_processed, embedder.batches) == (0, [])


async def test_a_folder_that_lost_its_files_deletes_nothing(world: BookWorld) -> None:
    for number in range(10):
        path = f"module-1-ros2/chapter-1-nodes/{number + 10}-more.md"
        world.source.write(path, lesson_text(f"More {number}", "Words"))
    await world.ingest()
    paths = await world.paths()

    world.source.files.clear()
    stopped = await world.ingest()

    assert stopped.status == "failed"
    assert stopped.error is not None
    assert "12 of 12" in stopped.error
    assert "force" in stopped.error
    assert await world.paths() == paths
    assert (await world.ingest("recreate")).status == "failed"
    assert await world.paths() == paths
    assert (await world.ingest(force=True)).status == "completed"
    assert await world.paths() == set()


@pytest.mark.parametrize("mode", ["incremental", "full", "recreate"])
async def test_a_run_that_finds_no_file_fails_and_says_what_it_looked_for(
    world: BookWorld, mode: IngestMode
) -> None:
    world.source.files.clear()
    empty = await world.ingest(mode)
    world.source.other_files = {".html": 3, ".pdf": 12}
    foreign = await world.ingest(mode)
    world.source.write("notes/today.md", "# Today")
    world.source.write("README.md", "# A book")
    unfit = await world.ingest(mode, patterns=("lessons", "chapter/*.md"))
    excluded = await world.ingest(mode, exclude=("notes", "README.md"))

    assert {job.status for job in (empty, foreign, unfit, excluded)} == {"failed"}
    assert empty.error == (
        "No lesson was found in '/books/robots': there is no file that can be read. Looked for any"
        " .md, .mdx, .markdown file, and other documents. Check the path"
    )
    assert "there is no file that can be read (12 .pdf, 3 .html not read)" in (foreign.error or "")
    assert foreign.progress.other_files == {".html": 3, ".pdf": 12}
    assert "2 of its 2 files fit no pattern" in (unfit.error or "")
    assert "'module-N-name/chapter-N-name/NN-lesson.md', 'chapter/*.md'" in (unfit.error or "")
    assert {problem.path for problem in unfit.warnings} == {"notes/today.md", "README.md"}
    assert "all of its 2 files are excluded" in (excluded.error or "")


async def test_the_end_of_a_run_is_logged_with_its_counts(
    world: BookWorld, caplog: pytest.LogCaptureFixture
) -> None:
    await world.ingest()
    world.source.write(ROS, lesson_text("Topics", "Publishers", "Services", tier=1))
    del world.source.files[ARMS]
    world.source.write("notes.md", "# Notes")
    world.source.other_files = {".html": 3, ".pdf": 12}
    caplog.clear()

    with caplog.at_level(logging.INFO, "sourcebook"):
        job = await world.ingest()

    (logged,) = [vars(record) for record in caplog.records if record.message == "job_finished"]
    counted = {name: logged[name] for name in ("files_processed", "files_skipped", "files_failed")}
    assert counted == {"files_processed": 1, "files_skipped": 0, "files_failed": 0}
    assert (logged["status"], logged["documents_deleted"]) == ("completed", 1)
    assert logged["chunks_created"] == job.progress.chunks_created > 0
    assert logged["chunks_deleted"] == job.progress.chunks_deleted > 0
    assert logged["chunks_embedded"] == job.progress.chunks_embedded > 0
    assert logged["duration_s"] >= 0
    assert (logged["files_unmatched"], logged["other_files"]) == (1, "12 .pdf, 3 .html")


@pytest.mark.spec("002 Edge: malformed front matter")
async def test_front_matter_that_was_mended_is_logged_once_for_each_version_of_its_file(
    world: BookWorld, caplog: pytest.LogCaptureFixture
) -> None:
    world.source.write(WORLDS, "---\ntitle: a: b\nhardware_tier: 3\n---\n\n# Worlds\n\nText.")

    with caplog.at_level(logging.WARNING, "sourcebook"):
        await world.ingest()
        await world.ingest()

    (logged,) = [vars(record) for record in caplog.records if record.message == "file_problem"]
    assert logged["path"] == WORLDS
    assert "line 2 cannot be read: 'title: a: b'" in logged["problem"]
    assert "used hardware_tier 3 and defaults for the rest" in logged["problem"]


async def test_moving_many_files_is_no_mass_deletion(world: BookWorld) -> None:
    for number in range(10, 20):
        world.source.write(
            f"module-1-ros2/chapter-1-nodes/{number}-more.md", lesson_text(f"M {number}", "Words")
        )
    await world.ingest()

    world.source.files = {
        path.replace("chapter-1", "chapter-2"): content
        for path, content in world.source.files.items()
    }
    job = await world.ingest()

    assert job.status == "completed"
    assert await world.paths() == set(world.source.files)
    assert job.progress.chunks_embedded == 0


async def test_a_source_that_is_away_fails_the_job_and_deletes_nothing(world: BookWorld) -> None:
    await world.ingest()

    world.source.away = True
    job = await world.ingest()

    assert (job.status, job.error) == ("failed", "The docs folder is not there")
    assert await world.paths() == {ROS, ARMS}


@pytest.mark.spec("002 FR-010")
async def test_full_reads_everything_again_and_embeds_nothing_that_is_known(
    world: BookWorld, embedder: FakeEmbedder
) -> None:
    await world.ingest()
    embedder.batches.clear()

    del world.source.files[ARMS]
    world.source.write(WORLDS, lesson_text("Worlds", "Physics"))
    job = await world.ingest("full")

    assert (job.progress.files_processed, job.progress.files_skipped) == (2, 0)
    assert await world.paths() == {ROS, WORLDS}
    assert all("Physics" in text for batch in embedder.batches for text in batch)
    assert await _clean(world)


@pytest.mark.spec("002 FR-010")
async def test_recreate_builds_beside_the_live_index_and_swaps(
    world: BookWorld, embedder: FakeEmbedder
) -> None:
    await world.ingest()
    old = await world.collection()
    embedder.batches.clear()

    del world.source.files[ARMS]
    job = await world.ingest("recreate")

    new = await world.collection()
    assert (job.status, job.progress.files_processed) == ("completed", 1)
    assert new.id != old.id
    assert new.generation.index_id != old.generation.index_id
    assert await world.paths() == {ROS}
    assert embedder.batches == []
    assert await world.ledger.documents.headers(old.id, EVERYTHING) != []
    assert await _clean(world)


async def test_recreate_keeps_the_other_books_of_the_collection(world: BookWorld) -> None:
    await world.ingest()
    await world.ingest(book_id="another")
    lesson = await world.lesson(ROS, "another")

    job = await world.ingest("recreate")

    assert job.status == "completed"
    kept = await world.lesson(ROS, "another")
    assert kept == lesson
    assert await world.paths("another") == {ROS, ARMS}
    assert await _clean(world)


async def test_recreate_takes_another_model_into_use(
    ledger: Ledger, store: MemoryStore, world: BookWorld
) -> None:
    await world.ingest()
    other = BookWorld(ledger, store, EmbeddingModels([FakeEmbedder("minilm", revision="rev-2")]))
    other.source = world.source

    refused = await other.ingest()
    recreated = await other.ingest("recreate")

    assert refused.status == "failed"
    assert recreated.status == "completed"
    assert (await other.collection()).generation.model_revision == "rev-2"


async def test_a_recreation_that_fails_leaves_nothing_behind(
    world: BookWorld, embedder: FakeEmbedder
) -> None:
    await world.ingest()
    old = await world.collection()
    for number in range(10, 14):
        path = f"module-1-ros2/chapter-1-nodes/{number}-more.md"
        world.source.write(path, lesson_text(f"More {number}", f"Words{number}"))
    embedder.failing = True

    job = await world.ingest("recreate")

    assert job.status == "failed"
    assert await world.collection() == old
    assert await world.ledger.collections.all(hidden=True) == [old]


async def test_recreate_keeps_the_old_version_of_a_file_that_cannot_be_read(
    world: BookWorld,
) -> None:
    await world.ingest()
    arms = await world.lesson(ARMS)

    world.source.unreadable.add(ARMS)
    job = await world.ingest("recreate")

    assert job.status == "partial"
    assert await world.lesson(ARMS) == arms
    assert await _clean(world)


class Moody(FakeEmbedder):
    """Takes some batches, then asks to wait for ever; refuses one word always."""

    def __init__(self) -> None:
        super().__init__("minilm")
        self.willing = 1_000
        self.bitter = "nothing is bitter"

    async def embed_documents(self, texts: Sequence[str]) -> list[Embedding]:
        if self.willing <= 0:
            raise RateLimited("The embedding service is rate-limited", retry_after_s=0.0)
        if any(self.bitter in text for text in texts):
            raise EmbeddingFailed("The model refused a text")
        self.willing -= 1
        return await super().embed_documents(texts)


@pytest.fixture
def moody() -> Moody:
    return Moody()


@pytest.fixture
def strained(ledger: Ledger, store: MemoryStore, moody: Moody) -> BookWorld:
    retry = OverloadRetry(_no_sleep, max_attempts=3)
    world = BookWorld(ledger, store, EmbeddingModels([moody]), retry=retry)
    for number in range(40):
        world.source.write(
            f"module-1-ros2/chapter-1-nodes/{number:02}-lesson.md",
            lesson_text(f"Lesson {number}", *[f"L{number}S{n}" for n in range(6)]),
        )
    return world


@pytest.mark.spec("002 Edge: rate limit")
async def test_a_service_that_stays_rate_limited_leaves_a_partial_job_and_no_file_is_done_twice(
    strained: BookWorld, moody: Moody
) -> None:
    moody.willing = 1
    first = await strained.ingest()
    done = await strained.paths()
    moody.willing = 1_000
    second = await strained.ingest()

    assert first.status == "partial"
    assert first.error is not None
    assert "rate-limited" in first.error
    assert 0 < len(done) < 40
    assert first.progress.files_processed == len(done)
    assert first.progress.files_left == 40 - len(done)
    assert second.status == "completed"
    assert len(await strained.paths()) == 40
    texts = [text for batch in moody.batches for text in batch]
    assert len(texts) == len(set(texts))


async def test_one_text_that_the_model_refuses_costs_one_file(
    strained: BookWorld, moody: Moody
) -> None:
    moody.bitter = "L7S3 word1"

    job = await strained.ingest()

    assert (job.status, job.progress.files_failed) == ("partial", 1)
    assert job.progress.files_processed == 39
    assert [warning.path for warning in job.warnings] == [
        "module-1-ros2/chapter-1-nodes/07-lesson.md"
    ]


async def test_a_model_that_refuses_everything_ends_the_job_soon(
    strained: BookWorld, moody: Moody
) -> None:
    moody.bitter = "word1"

    job = await strained.ingest()

    assert job.status == "failed"
    assert job.error is not None
    assert "refused" in job.error


async def test_a_cancelled_job_keeps_what_is_done(strained: BookWorld) -> None:
    job, report = await strained.claim()
    report.cancelled = True

    outcome = await strained.book_run.run(job, report)

    assert outcome.status == "cancelled"


class NamedFiles(JobReport):
    """Remembers every file that was the current one."""

    def __init__(self) -> None:
        super().__init__()
        self.named: set[str | None] = set()

    def at(self, file: str | None) -> None:
        super().at(file)
        self.named.add(file)


async def test_once_all_is_read_the_current_file_goes_on_with_what_is_embedded(
    world: BookWorld, embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(60):
        sections = [f"W{number}N{n}" for n in range(6)]
        path = f"module-1-ros2/chapter-{number}-more/01-lesson.md"
        world.source.write(path, lesson_text(f"Lesson {number}", *sections))
    job, _ = await world.claim()
    report = NamedFiles()
    shown: set[str | None] = set()

    async def embed(texts: Sequence[str]) -> list[Embedding]:
        while len(report.named) < len(world.source.files):  # noqa: ASYNC110 - no bell
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.01)
        shown.add(report.progress.current_file)
        return await FakeEmbedder.embed_documents(embedder, texts)

    monkeypatch.setattr(embedder, "embed_documents", embed)
    await world.book_run.run(job, report)

    assert len(shown) > 1


async def test_what_a_job_did_before_its_process_was_killed_counts_as_done(
    world: BookWorld,
) -> None:
    await world.ingest()
    for number in range(10, 40):
        path = f"module-1-ros2/chapter-1-nodes/{number}-more.md"
        world.source.write(path, lesson_text(f"More {number}", f"M{number}"))
    job, report = await world.claim()
    run = asyncio.create_task(world.book_run.run(job, report))
    while not report.progress.files_processed:  # noqa: ASYNC110 - a report rings no bell
        await asyncio.sleep(0)
    run.cancel()
    await asyncio.gather(run, return_exceptions=True)
    # The last report was made before the first file was done.
    told = replace(report.progress, files_processed=0, files_left=30)
    await world.ledger.jobs.beat(job.fence, told, (), 30.0)
    await world.ledger.jobs.let_all_go()

    taken = await world.ledger.jobs.claim(30.0)
    assert taken is not None
    await world.runner.run(taken)

    done = (await world.ledger.jobs.get(job.id)).progress
    assert (done.files_processed, done.files_skipped, done.files_left) == (30, 2, 0)


async def test_a_worker_that_lost_its_lease_changes_nothing(world: BookWorld) -> None:
    job, report = await world.claim()
    await world.ledger.jobs.let_all_go()
    taken = await world.ledger.jobs.claim(30.0)
    assert taken is not None
    assert taken.id == job.id

    with pytest.raises(LeaseLost):
        await world.book_run.run(job, report)

    assert await world.paths() == set()
    await world.runner.run(taken)
    assert await world.paths() == {ROS, ARMS}


async def test_a_recreation_that_was_interrupted_is_gone_on_with(
    world: BookWorld, embedder: FakeEmbedder
) -> None:
    await world.ingest()
    for number in range(10, 40):
        world.source.write(
            f"module-1-ros2/chapter-1-nodes/{number}-more.md",
            lesson_text(f"M {number}", *[f"S{number}x{n}" for n in range(6)]),
        )
    job, report = await world.claim("recreate")
    run = asyncio.create_task(world.book_run.run(job, report))
    while not report.progress.files_processed:  # noqa: ASYNC110 - a report rings no bell
        await asyncio.sleep(0)
    run.cancel()
    await asyncio.gather(run, return_exceptions=True)
    await world.ledger.jobs.let_all_go()

    taken = await world.ledger.jobs.claim(30.0)
    assert taken is not None
    assert taken.building is not None
    await world.runner.run(taken)

    ended = await world.ledger.jobs.get(job.id)
    assert (ended.status, ended.progress.files_processed) == ("completed", 32)
    assert await world.paths() == set(world.source.files)
    texts = [text for batch in embedder.batches for text in batch]
    assert len(texts) <= len(set(texts)) + 120
    assert await _clean(world)


@pytest.mark.spec("002 FR-006")
async def test_the_chain_of_every_lesson_is_whole(strained: BookWorld) -> None:
    await strained.ingest()

    for path in await strained.paths():
        lesson = await strained.lesson(path)
        assert lesson is not None
        ids = [chunk.id for chunk in lesson.chunks]
        assert [chunk.links.previous for chunk in lesson.chunks] == [None, *ids[:-1]]
        assert [chunk.links.next for chunk in lesson.chunks] == [*ids[1:], None]
        assert {chunk.links.total for chunk in lesson.chunks} == {len(ids)}


@pytest.mark.spec("002 FR-007")
async def test_the_same_text_in_two_lessons_and_twice_in_one_gives_distinct_chunks(
    world: BookWorld,
) -> None:
    same = "## Same\n\n" + "again and again " * 200 + "\n"
    world.source.write(ROS, f"---\ntitle: A\n---\n{same}\n{same}")
    world.source.write(ARMS, f"---\ntitle: B\n---\n{same}")

    await world.ingest()

    one, other = await world.lesson(ROS), await world.lesson(ARMS)
    assert one is not None
    assert other is not None
    ids = [chunk.id for lesson in (one, other) for chunk in lesson.chunks]
    assert len(ids) == len(set(ids))
    assert await _clean(world)


async def test_the_preview_says_what_would_happen_and_changes_nothing(world: BookWorld) -> None:
    before = await world.book_run.preview(JobRequest(BOOK))
    await world.ingest()
    world.source.write(ROS, lesson_text("Topics", "Other"))
    world.source.write(WORLDS, lesson_text("Worlds", "Physics"))
    del world.source.files[ARMS]
    revision = (await world.collection()).revision

    after = await world.book_run.preview(JobRequest(BOOK))

    assert [file.path for file in before.changes.new] == [ROS, ARMS]
    assert [file.path for file in after.changes.new] == [WORLDS]
    assert [file.path for file in after.changes.modified] == [ROS]
    assert [header.metadata["source_file"] for header in after.changes.deleted] == [ARMS]
    assert (await world.collection()).revision == revision


async def test_every_chunk_is_what_its_spans_say(world: BookWorld) -> None:
    await world.ingest()

    for path in (ROS, ARMS):
        lesson = await world.lesson(path)
        assert lesson is not None
        assert lesson.document.text.encode() == world.source.files[path]
        for chunk in lesson.chunks:
            assert chunk.extent is not None
            spans = [lesson.document.text[span.start : span.end] for span in chunk.extent.spans]
            assert chunk.text == "".join(spans)


@pytest.mark.spec("002 FR-008")
async def test_chunks_of_many_files_are_embedded_together(
    strained: BookWorld, moody: Moody
) -> None:
    job = await strained.ingest()

    assert job.progress.chunks_embedded / len(moody.batches) > 20


@pytest.mark.spec("002 FR-003")
async def test_a_file_is_known_by_the_hash_of_its_bytes(world: BookWorld) -> None:
    await world.ingest()

    lesson = await world.lesson(ROS)
    assert lesson is not None
    wanted = hashlib.sha256(world.source.files[ROS]).hexdigest()
    assert lesson.document.metadata["source_file_hash"] == wanted


class NotedSpecs(MemoryStore):
    """Notes which indexes it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.specs: list[IndexSpec] = []

    async def create(self, spec: IndexSpec) -> None:
        self.specs.append(spec)
        await super().create(spec)


@pytest.mark.spec("002 FR-009")
@pytest.mark.spec("002 FR-018")
async def test_an_index_knows_every_field_that_readers_filter_by(
    ledger: Ledger, models: EmbeddingModels
) -> None:
    store = NotedSpecs()
    world = BookWorld(ledger, store, models)
    world.source.write(ROS, lesson_text("Topics", "Publishers"))
    await world.ingest()
    lesson = await world.lesson(ROS)
    assert lesson is not None
    chunk = lesson.chunks[0]

    assert {name for name in FILTERED if name in chunk.metadata} == set(FILTERED) - {"layer"}
    assert set(FILTERED) <= {field.name for spec in store.specs for field in spec.fields}


class NotingTokens(FakeEmbedder):
    """Notes how many texts are tokenized at once."""

    def __init__(self) -> None:
        super().__init__()
        self.tokenized: list[int] = []

    async def tokenize(self, texts: Sequence[str]) -> list[TokenSpans]:
        self.tokenized.append(len(texts))
        return await super().tokenize(texts)


async def test_the_tokens_of_only_one_file_are_held_in_memory(
    ledger: Ledger, store: MemoryStore
) -> None:
    embedder = NotingTokens()
    world = BookWorld(ledger, store, EmbeddingModels([embedder]))
    for number in range(1, 21):
        world.source.write(
            f"module-1-ros2/chapter-1-basics/{number:02}-lesson.md", lesson_text("Topics", "Nodes")
        )

    job = await world.ingest()

    assert job.progress.files_processed == 20
    assert embedder.tokenized == [1] * 20
