"""`sourcebook verify`, `rebuild`, `backup` and `restore`, as processes."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.e2e.processes import run, serving


@pytest.fixture
def data(quickstarted: Path, tmp_path: Path) -> Path:
    """A data folder with the sample book in it."""
    return shutil.copytree(quickstarted, tmp_path / "data")


def forget_vectors(data: Path) -> None:
    """Take the vectors of two texts out of the ledger."""
    with sqlite3.connect(data / "ledger.db") as connection:
        connection.execute(
            "DELETE FROM embedding_cache WHERE text_hash IN"
            " (SELECT text_hash FROM embedding_cache LIMIT 2)"
        )


def test_a_sound_index_verifies_with_exit_code_0(data: Path) -> None:
    done = run("verify", "--data-dir", str(data), cwd=data.parent)

    assert (done.code, "clean" in done.out) == (0, True)


def test_chunks_without_vectors_are_found_and_named(data: Path) -> None:
    forget_vectors(data)

    found = run("verify", "--data-dir", str(data), cwd=data.parent)
    rebuilt = run("rebuild", "--data-dir", str(data), cwd=data.parent)

    assert (found.code, "2 missing" in found.out) == (1, True), found
    assert "0 embedded" in rebuilt.out, rebuilt


def test_a_destroyed_folder_comes_back_from_a_backup_taken_while_serving(data: Path) -> None:
    where = ("--data-dir", str(data))
    with serving("quickstart", *where, cwd=data.parent) as server:
        taken = run("backup", "backup.zip", *where, cwd=data.parent)
        server.kill()
    shutil.rmtree(data)

    restored = run("restore", "backup.zip", *where, cwd=data.parent)
    question = ("How far can Wren's knee bend?", "--book", "sample-book")
    found = run("search", *question, *where, cwd=data.parent)

    assert (taken.code, restored.code) == (0, 0), (taken, restored)
    assert "0 embedded" in restored.out
    assert "2.27 radians" in found.out, found
