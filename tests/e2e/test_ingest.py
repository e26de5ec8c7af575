"""`sourcebook ingest` and `sourcebook search`, as processes, with and without a server."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.books import lesson_text
from tests.e2e.processes import Server, run, serving

CHAPTER = Path("module-1-ros2") / "chapter-1-nodes"
MANY = 120
WAIT_S = 60


def write_book(folder: Path) -> Path:
    """Three lessons, the third of tier 3."""
    chapter = folder / CHAPTER
    chapter.mkdir(parents=True)
    (chapter / "01-ducks.md").write_text(lesson_text("Ducks", "pond", "feather", tier=1))
    (chapter / "02-trains.md").write_text(lesson_text("Trains", "rail", "signal", tier=1))
    (chapter / "03-rockets.md").write_text(lesson_text("Rockets", "thrust", "orbit", tier=3))
    return folder


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return write_book(tmp_path / "docs")


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder in which the three lessons are."""
    root = tmp_path_factory.mktemp("indexed")
    done = run("ingest", str(write_book(root / "docs")), "--data-dir", "data", cwd=root)
    assert done.code == 0, done.err
    assert "questions find their lesson" in done.out
    return root


def test_a_folder_is_indexed_and_searched_without_a_server(indexed: Path) -> None:
    again = run("ingest", "docs", "--data-dir", "data", cwd=indexed)
    found = run("search", "thrust and orbit", "--explain", "--data-dir", "data", cwd=indexed)

    assert (again.code, "0 files indexed, 3 unchanged" in again.out) == (0, True), again
    assert found.code == 0
    first, place, stages, *_, times = found.out.splitlines()
    assert "Rockets › " in first
    assert place.strip().startswith(f"{(CHAPTER / '03-rockets.md').as_posix()}:")
    assert "words: #1" in stages
    assert times.startswith("hybrid search, embedding ")
    assert "\x1b" not in found.out


def test_a_reader_s_tier_holds_on_the_command_line(indexed: Path) -> None:
    done = run("search", "thrust", "--tier", "1", "--json", "--data-dir", "data", cwd=indexed)

    reply = json.loads(done.out)
    assert reply["hardware_tier_filter"] == 1
    assert {result["lesson_title"] for result in reply["results"]} == {"Ducks", "Trains"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ["--module", "vla", "--mode", "keyword", "--min-score", "0.9"],
            "Nothing was found in the book 'docs' with --module vla and --mode keyword and"
            " --min-score 0.9",
        ),
        (["--book", "other"], "Nothing is indexed of the book 'other' yet"),
    ],
)
def test_nothing_found_is_one_line_and_exit_code_1(
    indexed: Path, arguments: list[str], says: str
) -> None:
    done = run("search", "thrust", *arguments, "--data-dir", "data", cwd=indexed)

    assert (done.code, done.out) == (1, "")
    assert says in done.err
    assert "Traceback" not in done.err


def test_a_dry_run_tells_what_would_change_and_changes_nothing(
    indexed: Path, tmp_path: Path
) -> None:
    root = shutil.copytree(indexed, tmp_path / "copy")
    (root / "docs" / CHAPTER / "01-ducks.md").unlink()
    (root / "docs" / CHAPTER / "02-trains.md").write_text(lesson_text("Trains", "steam"))
    (root / "docs" / CHAPTER / "04-bees.md").write_text(lesson_text("Bees", "honey"))
    (root / "docs" / "notes.md").write_text("notes")

    # The folder has moved, so its book must be named.
    arguments = ("ingest", "docs", "--book", "docs", "--dry-run", "--data-dir", "data")
    dry = run(*arguments, cwd=root)
    reply = run(*arguments, "--json", cwd=root)
    found = run("search", "pond", "--limit", "1", "--json", "--data-dir", "data", cwd=root)

    counts = [line.split() for line in dry.out.splitlines() if line[:1] == " "]
    assert [line for line in counts if line[0].isdigit()] == [
        ["1", "new"],
        ["1", "modified"],
        ["1", "deleted"],
        ["1", "unchanged"],
    ]
    assert "notes.md: The path fits no pattern" in dry.err
    assert (dry.code, reply.code) == (0, 0)
    assert json.loads(reply.out)["deleted"] == [(CHAPTER / "01-ducks.md").as_posix()]
    assert json.loads(found.out)["results"][0]["lesson_title"] == "Ducks"


def test_a_file_that_cannot_be_read_makes_it_partial_with_exit_code_2(
    indexed: Path, tmp_path: Path
) -> None:
    root = shutil.copytree(indexed, tmp_path / "copy")
    (root / "docs" / CHAPTER / "05-broken.md").write_bytes(b"\xff\xfe no text")

    done = run("ingest", "docs", "--book", "docs", "--data-dir", "data", cwd=root)

    assert (done.code, "partial" in done.out) == (2, True)
    assert "05-broken.md: The file is not UTF-8 text" in done.err


def test_a_mass_deletion_is_refused_with_exit_code_1_until_forced(tmp_path: Path) -> None:
    chapter = tmp_path / "docs" / CHAPTER
    chapter.mkdir(parents=True)
    for number in range(8):
        (chapter / f"{number:02}-lesson.md").write_text(lesson_text(f"L{number}", "word"))
    arguments = ("ingest", "docs", "--data-dir", "data")
    assert run(*arguments, cwd=tmp_path).code == 0
    for number in range(7):
        (chapter / f"{number:02}-lesson.md").unlink()

    dry = run(*arguments, "--dry-run", cwd=tmp_path)
    refused = run(*arguments, cwd=tmp_path)
    forced = run(*arguments, "--force", cwd=tmp_path)

    assert (dry.code, "would be refused: 7 lessons" in dry.out) == (0, True)
    assert (refused.code, "delete 7 of 8 documents" in refused.out) == (1, True)
    assert (forced.code, "7 deleted" in forced.out) == (0, True)


def test_any_folder_of_markdown_and_any_file_can_be_a_book(tmp_path: Path) -> None:
    for path in ("notes/pond/ducks.md", "notes/drafts/geese.md", "notes/map.dwg", "papers/a.dwg"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(f"# {path}\n\nAll about it.\n")
    at = ("--data-dir", "data")

    first = run("ingest", "notes", "--exclude", "drafts", *at, cwd=tmp_path)
    again = run("ingest", "notes", *at, cwd=tmp_path)
    single = run("ingest", "notes/drafts/geese.md", "--book", "geese", *at, cwd=tmp_path)
    papers = run("ingest", "papers", "--book", "papers", *at, cwd=tmp_path)

    assert (first.code, "1 file indexed" in first.out) == (0, True), first
    assert "1 .dwg not read" in first.out
    assert (again.code, "0 files indexed, 1 unchanged" in again.out) == (0, True), again
    assert (single.code, "1 file indexed" in single.out) == (0, True), single
    assert (papers.code, "file that can be read (1 .dwg not read)" in papers.out) == (1, True)
    assert "Looked for any .md, .mdx, .markdown file" in papers.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "No book is configured: name its folder"),
        (["nowhere"], "There is no folder or file 'nowhere'"),
        (["docs", "--pattern", "*"], "'*' cannot be used: it must end as"),
        (["--watch"], "No book is configured"),
        (["docs", "--book", "a/b"], "is not valid"),
    ],
)
def test_what_cannot_be_indexed_says_why(book: Path, arguments: list[str], says: str) -> None:
    done = run("ingest", *arguments, "--data-dir", "data", cwd=book.parent)

    assert done.code == 1
    assert says in done.err
    assert "Traceback" not in done.err


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Path]]:
    root = tmp_path_factory.mktemp("served")
    docs = write_book(root / "docs")
    env = {"DOCS_PATH": str(docs), "SOURCEBOOK_RECONCILE_MINUTES": "0"}
    with serving("quickstart", "--data-dir", "data", cwd=root, env=env) as server:
        yield server, root


def test_quickstart_serves_the_book_of_docs_path(server: tuple[Server, Path]) -> None:
    running, root = server
    reply = running.post("/search", {"query": "thrust and orbit", "limit": 1})
    end_s = time.monotonic() + WAIT_S
    while "Press Ctrl+C" not in (said := (root / "server.log").read_text("utf-8")):
        assert time.monotonic() < end_s, said
        time.sleep(0.05)

    assert (reply["book_id"], reply["results"][0]["lesson_title"]) == ("book", "Rockets")
    assert "What is this book about?" not in said
    suggested = re.search(r'sourcebook (ask|search) "(.+)" --data-dir', said)
    assert suggested is not None, said
    assert run(*suggested.groups(), "--data-dir", "data", cwd=root).code == 0


def test_commands_work_beside_a_server(server: tuple[Server, Path]) -> None:
    _, root = server
    (root / "docs" / CHAPTER / "04-bees.md").write_text(lesson_text("Bees", "honey", "hive"))

    dry = run("ingest", "docs", "--dry-run", "--data-dir", "data", cwd=root)
    done = run("ingest", "docs", "--data-dir", "data", cwd=root)
    found = run("search", "honey hive", "--data-dir", "data", cwd=root)

    assert (dry.code, "04-bees.md" in dry.out) == (0, True), dry.err
    assert (done.code, "1 file indexed, 3 unchanged" in done.out) == (0, True), done.err
    assert (found.code, "Bees › " in found.out) == (0, True), found.err


def test_a_folder_outside_of_the_server_s_is_indexed_beside_it(
    server: tuple[Server, Path],
) -> None:
    _, root = server
    write_book(root / "outside")
    options = ("--book", "other", "--data-dir", "data")

    done = run("ingest", "outside", *options, cwd=root)
    found = run("search", "thrust and orbit", *options, cwd=root)
    verified = run("verify", "--data-dir", "data", cwd=root)

    assert (done.code, "Book other" in done.out) == (0, True), done.err
    assert (found.code, "Rockets › " in found.out) == (0, True), found.err
    assert (verified.code, "clean" in verified.out) == (0, True), verified.err


def test_the_made_key_guards_ingestion_and_is_shown_nowhere(server: tuple[Server, Path]) -> None:
    running, root = server
    key = (root / "data" / "admin.key").read_text().strip()
    trigger = "/ingestion/trigger"

    without = running.client.post(trigger)
    wrong = running.client.post(trigger, headers={"X-API-Key": "x" * 43})
    right = running.client.get("/ingestion/status", headers={"Authorization": f"Bearer {key}"})

    assert (without.status_code, wrong.status_code, right.status_code) == (401, 401, 200)
    log = (root / "server.log").read_text("utf-8")
    assert str(root / "data" / "admin.key") in log.replace("\n", "")
    assert key not in log + without.text + wrong.text + right.text


def test_ctrl_c_cancels_the_job_and_what_is_done_stays(tmp_path: Path) -> None:
    chapter = tmp_path / "docs" / CHAPTER
    chapter.mkdir(parents=True)
    for number in range(MANY):
        text = lesson_text(f"Lesson {number}", *(f"topic{number}x{part}" for part in range(5)))
        (chapter / f"{number:03}-lesson.md").write_text(text)
    command = [sys.executable, "-m", "sourcebook", "ingest", "docs", "--data-dir", "data"]

    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        assert "A new book: docs" in process.stderr.readline()
        assert "0 %" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=WAIT_S)

    assert process.returncode == 130, (out, err)
    assert "Stopped. What is indexed stays; run the same command to go on." in err
    assert "Traceback" not in err
    verified = run("verify", "--data-dir", "data", cwd=tmp_path)
    assert verified.code == 0, verified.out


def test_a_watched_folder_is_indexed_again_on_save(book: Path) -> None:
    command = [sys.executable, "-m", "sourcebook", "ingest", "docs", "--watch", "--json"]
    with subprocess.Popen(
        [*command, "--data-dir", "data"],
        cwd=book.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            first = json.loads(process.stdout.readline())
            found = run("search", "thrust and orbit", "--data-dir", "data", cwd=book.parent)
            asked = run("ask", "What is thrust?", "--data-dir", "data", cwd=book.parent)
            verified = run("verify", "--data-dir", "data", cwd=book.parent)
            (book / CHAPTER / "04-bees.md").write_text(lesson_text("Bees", "honey"))
            second = json.loads(process.stdout.readline())
            process.send_signal(signal.SIGINT)
            process.wait(WAIT_S)
        finally:
            process.kill()

    assert (found.code, "Rockets › " in found.out) == (0, True), found.err
    assert asked.code in {0, 1}, asked.err
    assert (verified.code, "clean" in verified.out) == (0, True), verified.err
    assert (first["files_processed"], second["files_processed"]) == (3, 1)
    assert (first["status"], second["status"]) == ("completed", "completed")
    assert process.returncode == 0
