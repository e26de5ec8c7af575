"""`books` on the terminal: what is printed, what is asked, and what is sent."""

import asyncio
import json
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table
from typer.testing import CliRunner, Result

from sourcebook.cli.books import books_table, details, files_table, readable_size
from sourcebook.cli.main import app
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import SourcebookError
from sourcebook.surfaces.book.books_schemas import BookDetailsOut, BookFileOut
from tests.books import BookWorld, lesson_text
from tests.fakes import FakeEmbedder
from tests.ledgers import open_copied_ledger
from tests.memory_store import MemoryStore
from tests.unit.cli.replies import SELF_TEST

BOOK = {
    "book_id": "robots",
    "configured": False,
    "files": 44,
    "chunks": 1_312,
    "size_bytes": 1_234_567,
    "updated_at": "2026-01-01T12:00:00Z",
    "source": "../robots/docs",
    "layout": {
        "patterns": ["**/*.md", "*.mdx"],
        "exclude": ["drafts/**"],
        "automatic": False,
        "chosen_at": "2026-01-01T12:00:00Z",
    },
    "problems": 2,
    "files_unmatched": 0,
    "other_files": {},
    "latest_job": {
        "job_id": 7,
        "status": "partial",
        "mode": "incremental",
        "trigger": "cli",
        "queued_at": "2026-01-01T11:59:00Z",
        "completed_at": "2026-01-01T12:00:00Z",
        "error_message": "The model is away\x1b[2J",
    },
    "warnings": [{"path": "a.md", "message": "No title"}],
}
FILE = {
    "path": "a.md",
    "state": "indexed",
    "title": "Arms",
    "chunks": 3,
    "hardware_tier": 2,
    "parent_doc_id": "d1",
    "updated_at": "2026-01-01T12:00:00Z",
    "problems": [],
}


def printed(table: Table) -> list[list[str]]:
    console = Console(file=StringIO(), width=200, color_system=None)
    console.print(table)
    assert isinstance(console.file, StringIO)
    return [line.split() for line in console.file.getvalue().splitlines()]


def book(**more: object) -> BookDetailsOut:
    return BookDetailsOut.model_validate(BOOK | more)


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1_000, "1.0 kB"),
        (1_234_567, "1.2 MB"),
        (5 * 10**15, "5,000.0 TB"),
    ],
)
def test_a_size_can_be_read(count: int, shown: str) -> None:
    assert readable_size(count) == shown


def test_a_book_is_one_line() -> None:
    heading, line = printed(books_table([book()]))

    assert heading == ["book", "files", "chunks", "size", "latest", "job", "problems"]
    assert line[:5] == ["robots", "44", "1,312", "1.2", "MB"]
    assert " ".join(line[5:]) == "7 partial, 2026-01-01 12:00 UTC: The model is away[2J 2"


def test_a_long_error_does_not_widen_the_list_and_is_shown_with_its_book() -> None:
    error = "The server said: " + "no " * 100
    one = book(latest_job={**BOOK["latest_job"], "error_message": error})  # type: ignore[dict-item]

    lines = printed(books_table([one]))

    assert len(lines) == 2
    assert error.strip() in dict(details(one))["latest job"]


def test_a_book_is_shown_with_its_source_and_the_layout_of_its_files() -> None:
    shown = dict(details(book(configured=True)))

    assert shown["book"] == "robots (this service keeps it indexed)"
    assert (shown["files"], shown["chunks"]) == ("44", "1,312")
    assert shown["source"] == "../robots/docs"
    assert shown["layout"] == "**/*.md, *.mdx (as chosen)"
    assert shown["without"] == "drafts/**"
    assert "not read" not in shown


def test_a_book_says_what_of_its_folder_was_not_read() -> None:
    left_out = book(files_unmatched=1_500, other_files={".pdf": 12, ".html": 3})

    said = [value for name, value in details(left_out) if name == "not read"]

    assert said == ["1,500 markdown files: no pattern fits", "12 .pdf, 3 .html"]


def test_a_book_says_what_its_latest_self_test_found() -> None:
    shown = dict(details(book(self_test=SELF_TEST)))

    assert shown["self-test"] == ("200 of 200 questions find their lesson, 2026-01-02 12:00 UTC")


def test_a_book_that_waits_for_its_first_run_can_be_shown() -> None:
    nothing = {"files": 0, "chunks": 0, "size_bytes": 0, "problems": 0, "latest_job": None}
    fresh = book(**nothing, updated_at=None, source=None, layout=None)

    shown = dict(details(fresh))

    assert (shown["size"], shown["latest job"], shown["problems"]) == (
        "0 bytes of source text",
        "none",
        "none",
    )
    assert not {"updated", "source", "layout", "without"} & shown.keys()


def test_a_file_is_one_line_with_its_problems() -> None:
    troubled = FILE | {"state": "not_indexed", "title": None, "problems": ["Too\nlong", "Odd"]}
    files = [BookFileOut.model_validate(one) for one in (FILE, troubled)]

    _, sound, wrong = printed(files_table(files))

    assert sound == ["a.md", "Arms", "3", "2", "indexed"]
    assert wrong[-5:] == ["not", "indexed;", "Too", "long;", "Odd"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with a book of two files, one of which has a bad tier."""

    async def fill() -> None:
        async with open_copied_ledger(tmp_path / "data" / "ledger.db") as ledger:
            world = BookWorld(ledger, MemoryStore(), EmbeddingModels([FakeEmbedder("minilm")]))
            for name in (
                "01-arms",
                "02-legs-that-walk-over-stones-and-sand-and-also-over-the-stairs-of-an-old-house",
            ):
                path = f"module-1-ros2/chapter-1-parts/{name}.md"
                world.source.write(path, lesson_text(name, "One", "Two"))
            world.source.write("stray.md", "Stray words.")
            await world.ingest(book_id="robots")

    (tmp_path / "data").mkdir()
    asyncio.run(fill())
    return tmp_path / "data"


def run(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["books", *arguments, "--data-dir", str(data)])


def test_books_without_arguments_lists_them(data: Path) -> None:
    plain, listed = run(data), run(data, "list")
    (found,) = json.loads(run(data, "--json").stdout)["books"]

    assert plain.exit_code == listed.exit_code == 0
    assert plain.stdout == listed.stdout
    assert "robots" in plain.stdout
    assert (found["book_id"], found["files"], found["problems"]) == ("robots", 2, 1)


def test_a_book_and_its_files_are_shown(data: Path) -> None:
    shown, files = run(data, "show", "robots"), run(data, "files", "robots")
    problems = json.loads(run(data, "files", "robots", "--problems", "--json").stdout)

    assert "stray.md:" in shown.stdout
    assert (
        "module-1-ros2/chapter-1-parts/02-legs-that-walk-over-stones-and-sand-and-also-over-the-stairs-of-an-old-house.md"
        in files.stdout
    )
    assert [file["path"] for file in problems["files"]] == ["stray.md"]


def test_options_before_a_command_are_not_taken_for_its_own(data: Path) -> None:
    refused = CliRunner().invoke(app, ["books", "--data-dir", str(data), "delete", "robots"])

    assert refused.exit_code == 2
    assert "name them after the command" in refused.stderr


def test_nothing_is_deleted_unless_somebody_says_so(data: Path) -> None:
    refused = run(data, "delete", "robots")

    assert isinstance(refused.exception, SourcebookError)
    assert "add --yes" in refused.exception.message
    assert run(data, "show", "robots").exit_code == 0


def test_a_deleted_book_is_gone(data: Path) -> None:
    deleted = run(data, "delete", "robots", "--yes")
    left = run(data)

    assert deleted.stdout.startswith("Deleted robots: 2 files, ")
    assert (left.exit_code, left.stdout) == (0, "")
    assert "No books yet" in left.stderr
    assert "sourcebook ingest" in left.stderr
    assert isinstance(run(data, "show", "robots").exception, SourcebookError)
