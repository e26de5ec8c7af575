"""The layout of a book is kept with it, so nobody deletes its documents by not knowing it."""

import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.jobs import IngestMode, JobRequest
from sourcebook.core.ports import Ledger
from sourcebook.ingestion.book.layout_choice import LayoutSettings
from tests.books import ARMS, BOOK, ROS, BookWorld, lesson_text
from tests.fakes import FakeEmbedder
from tests.memory_store import MemoryStore

NOTES = tuple(f"notes/{number:02}-note.md" for number in range(12))


@pytest.fixture
def world(ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> BookWorld:
    return BookWorld(ledger, store, models)


@pytest.fixture
def notes(world: BookWorld) -> BookWorld:
    """A book of notes, and the README of the folder."""
    for number, path in enumerate((*NOTES, "README.md")):
        world.source.write(path, f"# Note {number}\n\nIt says {number}.\n")
    return world


async def test_any_folder_of_markdown_is_a_book(notes: BookWorld) -> None:
    notes.source.write("deep/er/page.mdx", "# Page\n\nText.\n")
    notes.source.write("plain.markdown", "# Plain\n\nText.\n")

    job = await notes.ingest()

    assert (job.status, job.progress.files_processed, job.warnings) == ("completed", 15, ())
    lesson = await notes.lesson(NOTES[7])
    assert lesson is not None
    about = lesson.document.metadata
    assert (about["module"], about["chapter"], about["lesson"]) == ("notes", 0, 7)


async def test_the_website_has_the_docs_folder_at_its_root(world: BookWorld) -> None:
    world.source.write("docs/guides/start.markdown", "# Start\n\nText.\n")

    await world.ingest()

    lesson = await world.lesson("docs/guides/start.markdown")
    assert lesson is not None
    assert lesson.document.metadata["lesson_path"] == "guides/start"


async def test_a_second_run_of_an_unchanged_book_embeds_nothing(
    notes: BookWorld, embedder: FakeEmbedder
) -> None:
    await notes.ingest()
    embedder.batches.clear()

    again = await notes.ingest()

    assert (again.progress.files_processed, again.progress.files_skipped) == (0, 13)
    assert embedder.batches == []


async def test_a_new_lesson_does_not_turn_a_book_of_notes_into_a_book_of_lessons(
    notes: BookWorld,
) -> None:
    await notes.ingest()
    notes.source.write(ROS, lesson_text("Topics", "Publishers"))

    job = await notes.ingest()

    assert (job.status, job.progress.documents_deleted) == ("completed", 0)
    assert len(await notes.paths()) == 14


@pytest.mark.parametrize("mode", ["incremental", "full", "recreate"])
async def test_who_does_not_name_the_patterns_uses_those_that_the_book_has(
    notes: BookWorld, ledger: Ledger, store: MemoryStore, models: EmbeddingModels, mode: IngestMode
) -> None:
    notes.source.write(ROS, lesson_text("Topics", "Publishers"))
    await notes.ingest(mode, patterns=("notes/{lesson}-*.md",), exclude=("notes/00-note.md",))
    elsewhere = BookWorld(ledger, store, models)
    elsewhere.source = notes.source

    preview = await elsewhere.book_run.preview(JobRequest(BOOK))
    job = await elsewhere.ingest(mode)

    assert (preview.changes.deleted, preview.changes.new) == ((), ())
    assert (job.status, job.progress.documents_deleted) == ("completed", 0)
    assert await elsewhere.paths() == set(NOTES[1:])
    kept = await ledger.books.get("book", BOOK)
    assert kept is not None
    assert (kept.patterns, kept.exclude) == (("notes/{lesson}-*.md",), ("notes/00-note.md",))
    assert (kept.automatic, kept.source) == (False, "/books/robots")


async def test_the_patterns_of_the_settings_come_before_those_of_the_book(
    notes: BookWorld, ledger: Ledger, store: MemoryStore, models: EmbeddingModels
) -> None:
    await notes.ingest(patterns=("notes/*.md",))
    other = BookWorld(ledger, store, models, layout=LayoutSettings(("**/*.md",), ("notes/1*.md",)))
    other.source = notes.source

    job = await other.ingest(force=True)

    assert job.progress.documents_deleted == 2
    assert len(await other.paths()) == 11


async def test_a_change_of_patterns_that_loses_much_needs_force(notes: BookWorld) -> None:
    await notes.ingest()

    refused = await notes.ingest(patterns=("README.md",))

    assert refused.status == "failed"
    assert "would delete 12 of 13 documents" in (refused.error or "")
    assert "12 of its 13 files fit no pattern" in (refused.error or "")
    assert "'README.md'" in (refused.error or "")
    assert len(await notes.paths()) == 13
    # What was refused is not kept.
    assert (await notes.ingest()).status == "completed"
    assert (await notes.ingest(patterns=("README.md",), force=True)).status == "completed"
    assert await notes.paths() == {"README.md"}


async def test_what_is_excluded_is_removed_and_comes_back(notes: BookWorld) -> None:
    await notes.ingest()

    without = await notes.ingest(exclude=("README.md",))
    kept = await notes.ingest()
    again = await notes.ingest(exclude=())

    assert (without.progress.documents_deleted, kept.progress.files_found) == (1, 12)
    assert (without.warnings, again.progress.files_found) == ((), 13)


async def test_a_layout_is_kept_even_if_the_run_cannot_finish(
    notes: BookWorld, ledger: Ledger, embedder: FakeEmbedder
) -> None:
    job, report = await notes.claim()
    report.cancelled = True

    outcome = await notes.book_run.run(job, report)

    assert outcome.status == "cancelled"
    assert await ledger.books.get("book", BOOK) is not None


async def test_documents_from_before_layouts_were_kept_stay_as_they_are(
    world: BookWorld, ledger: Ledger, embedder: FakeEmbedder
) -> None:
    world.source.write(ROS, lesson_text("Topics", "Publishers"))
    world.source.write(ARMS, lesson_text("Arms", "Joints"))
    world.source.write("preface.md", "# Preface\n")
    await world.ingest()
    await ledger.books.delete("book", BOOK)
    embedder.batches.clear()

    job = await world.ingest()

    assert (job.progress.files_skipped, job.progress.documents_deleted) == (2, 0)
    assert embedder.batches == []


async def test_another_folder_does_not_replace_a_book_by_its_id(world: BookWorld) -> None:
    world.source.write("a.md", "# A\n\nOne.\n")
    await world.ingest()
    world.source.name, world.source.files = "/books/other", {"b.md": b"# B\n\nTwo.\n"}

    preview = await world.book_run.preview(JobRequest(BOOK))
    refused = await world.ingest()

    assert preview.changes.alarming
    assert refused.status == "failed"
    assert "was indexed from other files than '/books/other'" in (refused.error or "")
    assert "--book" in (refused.error or "")
    assert await world.paths() == {"a.md"}
    assert (await world.ingest(force=True)).status == "completed"
    assert await world.paths() == {"b.md"}


async def test_a_book_may_move_to_another_folder(world: BookWorld) -> None:
    world.source.write("a.md", "# A\n\nOne.\n")
    world.source.write("b.md", "# B\n\nTwo.\n")
    await world.ingest()
    world.source.name = "/books/moved"
    del world.source.files["b.md"]

    job = await world.ingest()

    assert (job.status, job.progress.documents_deleted) == ("completed", 1)


async def test_one_file_is_a_book_but_replaces_none(world: BookWorld) -> None:
    world.source.single_file, world.source.name = True, "/books/notes.md"
    world.source.files = {"notes.md": b"# Notes\n\nOne.\n"}
    first = await world.ingest()
    world.source.name, world.source.files = "/books/more.md", {"more.md": b"# More\n\nTwo.\n"}

    refused = await world.ingest()
    beside = await world.ingest(book_id="more")

    assert (first.status, first.progress.files_processed) == ("completed", 1)
    assert refused.status == "failed"
    assert "would delete 1 of 1 documents" in (refused.error or "")
    assert "another book id (--book)" in (refused.error or "")
    assert beside.status == "completed"
    assert (await world.paths(), await world.paths("more")) == ({"notes.md"}, {"more.md"})


async def test_one_file_of_a_larger_book_does_not_stand_for_the_book(notes: BookWorld) -> None:
    await notes.ingest()
    notes.source.single_file, notes.source.name = True, "/books/robots/README.md"
    notes.source.files = {"README.md": notes.source.files["README.md"]}

    refused = await notes.ingest()

    assert "would delete 12 of 13 documents" in (refused.error or "")
    assert "--book" in (refused.error or "")
    assert len(await notes.paths()) == 13
