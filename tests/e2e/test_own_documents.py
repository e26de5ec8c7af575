"""A newcomer's own folders: each is a book, `up` serves them, and all of them are asked."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.document_files import pdf
from tests.e2e.processes import Server, run, serving

LEAVE = "Every employee has 28 days of paid leave a year."
PUMP = "The pump of the boiler must be bled every October."
VALVE = "The valve of the boiler is replaced after nine years."
ABOUT_LEAVE = "How many days of paid leave does an employee have?"
ABOUT_PUMP = "When must the pump of the boiler be bled?"
DATA = ("--data-dir", "data")
WAIT_S = 60.0


def write_folders(root: Path) -> None:
    """A handbook, and a manual that is a PDF."""
    (root / "Handbook").mkdir()
    (root / "Handbook" / "leave.md").write_text(f"# Leave\n\n{LEAVE}\n")
    (root / "manuals").mkdir()
    (root / "manuals" / "boiler.pdf").write_bytes(pdf([[(24, "Boiler"), (12, PUMP)]]))


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("own")
    write_folders(root)
    for folder, book in (("Handbook", "handbook"), ("manuals", "manuals")):
        done = run("ingest", folder, *DATA, cwd=root)
        assert (done.code, f"A new book: {book}" in done.err) == (0, True), done
    return root


def test_a_second_folder_is_a_second_book_and_a_known_one_its_own(indexed: Path) -> None:
    again = run("ingest", "Handbook", *DATA, cwd=indexed)
    listed = json.loads(run("books", *DATA, "--json", cwd=indexed).out)["books"]

    assert (again.code, "0 files indexed, 1 unchanged" in again.out) == (0, True), again
    assert "A new book" not in again.err
    assert [(book["book_id"], book["files"]) for book in listed] == [
        ("handbook", 1),
        ("manuals", 1),
    ]


def test_commands_ask_all_books_and_say_which_a_source_is_from(indexed: Path) -> None:
    leave = run("ask", ABOUT_LEAVE, *DATA, cwd=indexed)
    pump = run("ask", ABOUT_PUMP, *DATA, cwd=indexed)
    found = run("search", ABOUT_PUMP, *DATA, cwd=indexed)
    alone = run("search", ABOUT_PUMP, "--book", "handbook", *DATA, cwd=indexed)
    told = run("search", ABOUT_PUMP, *DATA, cwd=indexed, env={"BOOK_ID": "handbook"})

    assert (leave.code, LEAVE in leave.out, "handbook: leave.md" in leave.out) == (0, True, True)
    assert (pump.code, PUMP in pump.out, "manuals: boiler.pdf, page 1" in pump.out) == (
        0,
        True,
        True,
    ), pump
    assert "manuals: boiler.pdf" in found.out
    for one in (alone, told):
        assert "boiler.pdf" not in one.out
        assert "handbook: " not in one.out


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Path]]:
    root = tmp_path_factory.mktemp("up")
    write_folders(root)
    with serving("up", "manuals", *DATA, cwd=root) as server:
        yield server, root


def until(holds: Callable[[], bool]) -> None:
    end_s = time.monotonic() + WAIT_S
    while not holds():
        assert time.monotonic() < end_s
        time.sleep(0.2)


def test_up_serves_a_folder_as_its_book_without_a_browser(served: tuple[Server, Path]) -> None:
    server, _ = served

    said = server.post("/chat", {"query": ABOUT_PUMP})

    assert PUMP in said["answer"]
    assert [source["book_id"] for source in said["sources"]] == ["manuals"]
    assert server.get("/room")["kept"] == "manuals"


def test_up_follows_the_folder_and_answers_from_what_is_indexed_beside_it(
    served: tuple[Server, Path],
) -> None:
    server, root = served
    (root / "manuals" / "valve.md").write_text(f"# Valve\n\n{VALVE}\n")
    asked = {"query": "When is the valve of the boiler replaced?"}
    until(lambda: VALVE in server.post("/chat", asked)["answer"])

    done = run("ingest", "Handbook", *DATA, cwd=root)

    assert done.code == 0, done
    assert LEAVE in server.post("/chat", {"query": ABOUT_LEAVE})["answer"]
    assert server.get("/room")["books"] == ["manuals", "handbook"]


def test_serve_without_a_config_uses_the_bundled_model_and_says_so(indexed: Path) -> None:
    with serving("serve", *DATA, cwd=indexed) as server:
        (model,) = server.get("/health")["embedding_models"]
        said = (indexed / "server.log").read_text("utf-8")

    assert model["name"] == "all-MiniLM-L6-v2"
    assert "No model is configured" in said
