"""`import sourcebook`: a book that is open in somebody's own program."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import fields
from functools import partial
from pathlib import Path

import pytest

import sourcebook
from sourcebook.core.errors import InvalidInput, NotFound
from sourcebook.surfaces.book.schemas import ChunkOut
from tests.books import lesson_text
from tests.llm_server import Fail, Say, ScriptedModel

CHAPTER = Path("module-1-ros2") / "chapter-1-nodes"
HEAVY = ["openvino", "numpy", "fastapi", "sqlalchemy", "pydantic", "httpx2", "importlib.metadata"]


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    chapter = tmp_path / "docs" / CHAPTER
    chapter.mkdir(parents=True)
    (chapter / "01-ducks.md").write_text(lesson_text("Ducks", "pond", "feather", tier=1))
    (chapter / "02-rockets.md").write_text(lesson_text("Rockets", "thrust", "orbit", tier=3))
    return tmp_path / "docs"


@pytest.fixture
async def book(
    tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[sourcebook.Book]:
    """A book that nobody asks a question, so that it needs no reader, which takes long to load."""
    monkeypatch.setenv("SOURCEBOOK_READER", "off")
    async with sourcebook.open(data_dir=tmp_path / "data", docs=docs) as book:
        yield book


async def test_a_book_is_indexed_searched_and_read(book: sourcebook.Book, docs: Path) -> None:
    plan = await book.ingest(dry_run=True)
    assert (len(plan.new), await book.search("thrust")) == (2, ())

    ingested = await book.ingest()
    (best, *_) = await book.search("thrust and orbit", limit=3)
    lesson = await book.read(best.parent_doc_id)

    assert (ingested.status, ingested.files_processed) == ("completed", 2)
    assert (best.lesson_title, best.module, best.hardware_tier) == ("Rockets", "ros2", 3)
    source = (docs / CHAPTER / "02-rockets.md").read_text()
    assert lesson.text == source
    assert source[best.start : best.end] == best.text
    assert [chunk.chunk_index for chunk in lesson.chunks] == list(range(len(lesson.chunks)))
    assert best.chunk_id in {chunk.chunk_id for chunk in await book.context(best.chunk_id)}


async def test_what_lies_above_the_tier_does_not_exist(book: sourcebook.Book) -> None:
    await book.ingest()
    (rocket, *_) = await book.search("thrust", limit=1)

    results = await book.search("thrust", hardware_tier=1)

    assert {result.lesson_title for result in results} == {"Ducks"}
    with pytest.raises(NotFound):
        await book.read(rocket.parent_doc_id, hardware_tier=1)
    with pytest.raises(NotFound):
        await book.context(rocket.chunk_id, hardware_tier=1)


async def test_a_book_is_searched_by_meaning_by_words_and_by_both(book: sourcebook.Book) -> None:
    await book.ingest()

    by_words = await book.search("thrust feather", mode="keyword")
    by_meaning = await book.search("thrust", mode="dense", limit=20)
    best, *rest = await book.search("thrust", limit=20)

    assert {chunk.lesson_title for chunk in by_words} == {"Ducks", "Rockets"}
    assert await book.search("unheard", mode="keyword") == ()
    assert best.score > max(chunk.score for chunk in by_meaning)
    assert len(by_meaning) == len(rest) + 1
    assert await book.search("thrust", limit=20, min_score=best.score) == (best,)
    explained = await book.explain("thrust", limit=20)
    assert (explained.mode, explained.times.rounds) == ("hybrid", 1)
    assert [one.chunk for one in explained.results] == [best, *rest]
    first = explained.results[0]
    assert first.keyword_rank is not None
    assert [one.rank for one in explained.results] == [*range(1, len(explained.results) + 1)]
    assert first.cosine <= best.score
    with pytest.raises(TypeError, match="modul"):
        await book.explain("thrust", modul="ros2")  # type: ignore[call-arg]
    with pytest.raises(InvalidInput, match="one of dense, keyword, hybrid, got 'fuzzy'"):
        await book.search("thrust", mode="fuzzy")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"min_score must be 0 to 1, got 1\.5"):
        await book.search("thrust", min_score=1.5)


async def test_only_what_changed_is_indexed_again(book: sourcebook.Book, docs: Path) -> None:
    await book.ingest()
    (docs / CHAPTER / "01-ducks.md").write_text(lesson_text("Ducks", "pond", "swim", tier=1))

    second = await book.ingest()
    third = await book.ingest()

    assert (second.files_processed, second.files_skipped) == (1, 1)
    assert (third.files_processed, third.chunks_embedded) == (0, 0)


async def test_a_folder_that_is_gone_is_an_error(book: sourcebook.Book, docs: Path) -> None:
    await asyncio.to_thread(docs.rename, docs.with_name("gone"))

    with pytest.raises(sourcebook.IngestionFailed, match="'docs' cannot be opened"):
        await book.ingest()


async def test_any_files_are_a_book_and_the_choice_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCEBOOK_READER", "off")
    notes, data = tmp_path / "notes", tmp_path / "data"
    for path in ("ponds/ducks.md", "ponds/geese.markdown", "drafts/swans.md", "ponds/map.dwg"):
        (notes / path).parent.mkdir(parents=True, exist_ok=True)
        (notes / path).write_text(lesson_text(Path(path).stem, "pond"))

    async with sourcebook.open(data_dir=data, docs=notes, exclude=["drafts"]) as book:
        chosen = await book.ingest()
    async with sourcebook.open(data_dir=data, docs=notes) as book:
        kept = await book.ingest()
        (best, *_) = await book.search("geese", limit=1)
    one_file = notes / "drafts" / "swans.md"
    async with sourcebook.open(data_dir=data, docs=one_file, book_id="swans") as book:
        single = await book.ingest()

    assert (chosen.files_processed, chosen.other_files) == (2, {".dwg": 1})
    assert (kept.files_skipped, kept.documents_deleted, kept.chunks_embedded) == (2, 0, 0)
    assert best.module == "ponds"
    assert single.files_processed == 1
    with pytest.raises(InvalidInput, match="must be a list"):
        async with sourcebook.open(data_dir=data, docs=notes, patterns="*.md"):
            pass


async def test_questions_that_cannot_be_asked_are_refused(book: sourcebook.Book) -> None:
    with pytest.raises(InvalidInput):
        await book.search("  ")
    with pytest.raises(InvalidInput):
        await book.search("ducks", limit=0)


async def test_giving_up_the_wait_cancels_the_job(book: sourcebook.Book) -> None:
    waiting = asyncio.create_task(book.ingest())
    await asyncio.sleep(0.1)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting

    again = await book.ingest()

    assert again.status == "completed"


async def test_a_book_can_be_opened_twice(book: sourcebook.Book, tmp_path: Path) -> None:
    await book.ingest()

    async with sourcebook.open(data_dir=tmp_path / "data") as again:
        assert (await again.ask("At what pressure does the pump run?")).answered is not None


async def test_a_model_writes_only_if_told_and_quotes_stand_in_for_it(
    tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    question, quote = "At what pressure does the pump run?", "The pump runs at 42 bar."
    (docs / CHAPTER / "03-pumps.md").write_text(f"# Pumps\n\n{quote}\n")
    opened = partial(sourcebook.open, data_dir=tmp_path / "data", docs=docs)
    async with ScriptedModel([Say([f"{quote} [1]"]), Fail(401)]) as model:
        monkeypatch.setenv("GEMINI_BASE_URL", model.url)
        for name in ("GEMINI_API_KEY", "OPENAI_API_KEY", "COHERE_API_KEY"):
            monkeypatch.setenv(name, "canary-key")

        async with opened() as book:
            await book.ingest()
            untold = await book.ask(question)
        before = len(model.requests) + len(model.probes)
        async with opened(llm="gemini:scripted") as book:
            told = await book.ask(question)
            failed = await book.ask(question)

    assert (untold.model, untold.fallback, before) == ("extractive", None, 0)
    assert (told.model, told.fallback, told.text) == ("scripted", None, f"{quote} [1]")
    assert (failed.model, failed.fallback) == ("extractive", "extractive")
    assert failed.text == f"{quote} [1]"
    assert failed.warning is not None
    assert "refused the key" in failed.warning


def test_importing_it_loads_nothing_heavy() -> None:
    code = f"import sys, sourcebook; print([m for m in {HEAVY!r} if m in sys.modules])"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_the_public_names_are_these() -> None:
    names = ["AnswerSource", "Book", "BookAnswer", "BookChanges", "BookChunk", "Ingested"]
    names += ["IngestionFailed", "Lesson", "SourcebookError", "SyncBook", "__version__", "open"]
    names += ["open_sync", "ExplainedChunk", "SearchExplanation"]

    assert sorted(sourcebook.__all__) == sorted(names)
    assert all(getattr(sourcebook, name) for name in names)
    with pytest.raises(AttributeError, match="no attribute 'missing'"):
        sourcebook.missing  # noqa: B018


def test_a_chunk_has_what_the_http_contract_has() -> None:
    assert [field.name for field in fields(sourcebook.BookChunk)] == [
        field.name for field in fields(ChunkOut)
    ]
