"""`sourcebook verify`, `rebuild`, `backup` and `restore`, as processes."""

import asyncio
import shutil
from pathlib import Path

import pytest

from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import load_settings
from sourcebook.service.wiring.storage import open_storage
from tests.e2e.processes import run, serving


@pytest.fixture
def data(quickstarted: Path, tmp_path: Path) -> Path:
    """A data folder with the sample book in it."""
    return shutil.copytree(quickstarted, tmp_path / "data")


def damage(data: Path) -> None:
    """Take a point of each of two chunks out of the index behind the ledger's back."""

    async def delete_two() -> None:
        async with open_storage(load_settings(), DataFolder(data)) as storage:
            (collection,) = await storage.ledger.collections.all()
            index_id = collection.generation.index_id
            refs = [ref async for batch in storage.store.scan(index_id) for ref in batch]
            points = {ref.chunk_id: ref.id for ref in refs}  # a long chunk has more than one
            await storage.store.delete(index_id, list(points.values())[:2])

    asyncio.run(delete_two())


def test_a_sound_index_verifies_with_exit_code_0(data: Path) -> None:
    done = run("verify", "--data-dir", str(data), cwd=data.parent)

    assert (done.code, "clean" in done.out) == (0, True)


def test_a_damaged_index_is_found_and_rebuilt_without_embedding(data: Path) -> None:
    damage(data)

    found = run("verify", "--data-dir", str(data), cwd=data.parent)
    rebuilt = run("rebuild", "--data-dir", str(data), cwd=data.parent)
    after = run("verify", "--data-dir", str(data), cwd=data.parent)

    assert (found.code, "2 missing" in found.out) == (1, True)
    assert (rebuilt.code, "0 embedded" in rebuilt.out) == (0, True)
    assert (after.code, "clean" in after.out) == (0, True)


def test_an_index_that_was_deleted_comes_back_at_the_next_start(data: Path) -> None:
    shutil.rmtree(data / "index")

    with serving("quickstart", "--data-dir", str(data), cwd=data.parent) as server:
        body = {"collection": "book", "query": "How far can Wren's knee bend?", "top_k": 1}
        (hit,) = server.post("/query", body)["results"]

    assert "2.27 radians" in hit["text"]


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
