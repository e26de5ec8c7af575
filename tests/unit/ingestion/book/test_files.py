"""What may happen to the files of a real folder: nothing is ever deleted by accident."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from sourcebook.core.book_source import At, BookTree, report_nothing
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.jobs import IngestJob, IngestMode
from sourcebook.core.ports import Ledger
from sourcebook.ingestion.book.layout_choice import LayoutSettings
from sourcebook.ingestion.book.run import BookRun
from sourcebook.ingestion.job_runner import JobRunner
from sourcebook.ingestion.upkeep.verifier import Verifier
from sourcebook.providers.sources.folder import FolderSource
from sourcebook.providers.sources.listing import MAX_BYTES
from tests.books import BookWorld, lesson_text
from tests.fakes import FakeEmbedder
from tests.memory_store import MemoryStore

CHAPTER = "module-1-ros2/chapter-1-nodes"
PATHS = tuple(f"{CHAPTER}/{number:02}-lesson.md" for number in range(1, 13))
FIRST = PATHS[0]
# Deletions are the same in mode `full` as in `incremental`.
MODES: tuple[IngestMode, ...] = ("incremental", "recreate")


class Swapping:
    """A folder in which something happens after the files were listed, before they are read."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.happens: Callable[[], object] = lambda: None

    @asynccontextmanager
    async def open(self, at: At = report_nothing) -> AsyncIterator[BookTree]:
        async with FolderSource(self._root).open() as tree:
            self.happens()
            yield tree


class FolderWorld(BookWorld):
    """A book of twelve lessons in a folder."""

    def __init__(self, root: Path, ledger: Ledger, models: EmbeddingModels) -> None:
        super().__init__(ledger, MemoryStore(), models)
        self.root = root
        self.folder = Swapping(root)
        self.book_run = BookRun(
            ledger, self.store, self.book_collection, lambda _: self.folder, LayoutSettings()
        )
        self.runner = JobRunner(ledger.jobs, self.book_run)
        for number, path in enumerate(PATHS, start=1):
            self.write(path, lesson_text(f"Lesson {number}", f"A{number}", f"B{number}", tier=2))

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    async def text(self, path: str) -> str | None:
        lesson = await self.lesson(path)
        return None if lesson is None else lesson.document.text


@pytest.fixture
async def world(tmp_path: Path, ledger: Ledger, models: EmbeddingModels) -> FolderWorld:
    world = FolderWorld(tmp_path / "docs", ledger, models)
    assert (await world.ingest()).status == "completed"
    return world


@pytest.fixture(autouse=True)
async def _always_clean(world: FolderWorld) -> AsyncIterator[None]:
    yield
    findings = await Verifier(world.ledger, world.store).verify()
    assert all(found.clean for found in findings), findings


def warned_of(job: IngestJob) -> set[str]:
    return {warning.path for warning in job.warnings}


@pytest.mark.parametrize(
    "name", ["99-renamed.md", "01-LESSON.md", "01-lesson.mdx"], ids=["name", "case", "extension"]
)
async def test_a_renamed_lesson_moves(
    world: FolderWorld, embedder: FakeEmbedder, name: str
) -> None:
    text = await world.text(FIRST)
    embedder.batches.clear()
    (world.root / FIRST).rename(world.root / CHAPTER / name)

    job = await world.ingest()

    assert job.status == "completed"
    assert await world.paths() == {f"{CHAPTER}/{name}", *PATHS[1:]}
    assert await world.text(f"{CHAPTER}/{name}") == text
    assert await world.text(FIRST) is None
    assert embedder.batches == []


async def test_a_renamed_chapter_moves_with_all_its_lessons(
    world: FolderWorld, embedder: FakeEmbedder
) -> None:
    embedder.batches.clear()
    (world.root / CHAPTER).rename(world.root / "module-1-ros2" / "chapter-2-topics")

    job = await world.ingest()

    moved = {path.replace(CHAPTER, "module-1-ros2/chapter-2-topics") for path in PATHS}
    assert job.status == "completed"
    assert await world.paths() == moved
    assert embedder.batches == []


@pytest.mark.parametrize("left", ["", "\n\n", "---\ntitle: Gone\nhardware_tier: 2\n---\n"])
async def test_an_emptied_lesson_has_nothing_to_find_and_comes_back(
    world: FolderWorld, left: str
) -> None:
    text = (world.root / FIRST).read_text()
    world.write(FIRST, left)
    emptied = await world.ingest()
    nothing = await world.lesson(FIRST)
    world.write(FIRST, text)
    restored = await world.ingest()

    assert (emptied.status, restored.status) == ("completed", "completed")
    assert nothing is not None
    assert nothing.chunks == ()
    assert await world.paths() == set(PATHS)
    assert await world.text(FIRST) == text


async def test_a_front_matter_edit_embeds_nothing_and_keeps_every_id(
    world: FolderWorld, embedder: FakeEmbedder
) -> None:
    before = await world.lesson(FIRST)
    embedder.batches.clear()
    world.write(FIRST, (world.root / FIRST).read_text().replace("hardware_tier: 2", "layer: L3"))

    await world.ingest()

    after = await world.lesson(FIRST)
    assert before is not None
    assert after is not None
    assert [chunk.id for chunk in after.chunks] == [chunk.id for chunk in before.chunks]
    assert {chunk.metadata["hardware_tier"] for chunk in after.chunks} == {1}
    assert {chunk.metadata["layer"] for chunk in after.chunks} == {"L3"}
    assert embedder.batches == []


def make_a_folder(path: Path) -> None:
    path.mkdir()


def make_a_link(path: Path) -> None:
    path.symlink_to(path.with_name(Path(PATHS[1]).name))


def make_a_broken_link(path: Path) -> None:
    path.symlink_to("nowhere.md")


def make_a_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_garbage(path: Path) -> None:
    path.write_bytes(b"# caf\xc3")


def make_too_large(path: Path) -> None:
    path.write_bytes(b"a" * (MAX_BYTES + 1))


def make_nothing(_: Path) -> None:
    """The file is gone."""


REPLACEMENTS = (
    make_a_folder, make_a_link, make_a_broken_link, make_a_pipe, make_garbage, make_too_large,
    make_nothing,
)  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("replacement", REPLACEMENTS, ids=lambda make: make.__name__)
async def test_a_lesson_that_cannot_be_read_any_more_once_it_was_listed_stays(
    world: FolderWorld, replacement: Callable[[Path], None], mode: IngestMode
) -> None:
    text = await world.text(FIRST)

    def swap() -> None:
        (world.root / FIRST).unlink()
        replacement(world.root / FIRST)

    world.folder.happens = swap
    job = await world.ingest(mode)

    assert (job.status, job.progress.files_failed) == ("partial", 1)
    assert FIRST in warned_of(job)
    assert await world.paths() == set(PATHS)
    assert await world.text(FIRST) == text


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("replacement", [make_garbage, make_too_large], ids=["garbage", "large"])
async def test_a_lesson_that_cannot_be_read_stays_as_long_as_it_is_there(
    world: FolderWorld, replacement: Callable[[Path], None], mode: IngestMode
) -> None:
    text = await world.text(FIRST)
    replacement(world.root / FIRST)

    job = await world.ingest(mode)
    again = await world.ingest(mode)

    assert FIRST in warned_of(job) & warned_of(again)
    assert await world.paths() == set(PATHS)
    assert await world.text(FIRST) == text


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "replacement", [make_a_folder, make_a_link, make_a_pipe, make_nothing], ids=lambda m: m.__name__
)
async def test_a_lesson_that_is_no_file_any_more_goes_and_no_other(
    world: FolderWorld, replacement: Callable[[Path], None], mode: IngestMode
) -> None:
    (world.root / FIRST).unlink()
    replacement(world.root / FIRST)

    job = await world.ingest(mode)

    assert job.status == "completed"
    assert await world.paths() == set(PATHS[1:])
    assert warned_of(job) == ({FIRST} if replacement in {make_a_link, make_a_pipe} else set())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("present", [0, 6])
async def test_half_a_clone_deletes_nothing_unless_forced(
    world: FolderWorld, mode: IngestMode, present: int
) -> None:
    for path in PATHS[present:]:
        (world.root / path).unlink()

    refused = await world.ingest(mode)
    kept = await world.paths()
    forced = await world.ingest(mode, force=True)

    assert refused.status == "failed"
    assert refused.error is not None
    assert "force" in refused.error
    assert refused.progress.documents_deleted == 0
    assert kept == set(PATHS)
    assert forced.status == "completed"
    assert await world.paths() == set(PATHS[:present])


@pytest.mark.parametrize("mode", MODES)
async def test_a_folder_that_is_away_or_no_folder_changes_nothing(
    world: FolderWorld, tmp_path: Path, mode: IngestMode
) -> None:
    world.root.rename(tmp_path / "elsewhere")
    away = await world.ingest(mode, force=True)
    world.root.write_text("no folder")
    no_folder = await world.ingest(mode, force=True)
    world.root.unlink()
    (tmp_path / "elsewhere").rename(world.root)
    back = await world.ingest()

    assert (away.status, no_folder.status) == ("failed", "failed")
    assert away.error is not None
    assert str(tmp_path) not in away.error
    assert (back.status, back.progress.files_skipped) == ("completed", len(PATHS))
    assert await world.paths() == set(PATHS)


@pytest.mark.parametrize("mode", MODES)
async def test_a_chapter_that_is_away_deletes_nothing(world: FolderWorld, mode: IngestMode) -> None:
    (world.root / CHAPTER).rename(world.root.parent / "elsewhere")
    (world.root / CHAPTER).symlink_to(world.root.parent / "elsewhere")

    job = await world.ingest(mode)

    assert job.status == "failed"
    assert await world.paths() == set(PATHS)


async def test_a_lesson_deleted_and_written_anew_is_one_lesson(world: FolderWorld) -> None:
    (world.root / FIRST).unlink()
    await world.ingest()
    world.write(FIRST, lesson_text("Again", "Other"))
    job = await world.ingest()

    assert job.status == "completed"
    assert await world.paths() == set(PATHS)
    assert await world.text(FIRST) == (world.root / FIRST).read_text()
