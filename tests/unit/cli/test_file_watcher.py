"""Saves of markdown are seen, and nothing else."""

import asyncio
from pathlib import Path

import pytest
from watchfiles import Change

from sourcebook.cli.file_watcher import ReadableFiles, watched
from sourcebook.cli.jobs import Stop
from sourcebook.core.book_source import MARKDOWN

WAIT_S = 10


@pytest.mark.parametrize(
    ("change", "path", "counts"),
    [
        (Change.modified, "/b/a.md", True),
        (Change.added, "/b/a.MDX", True),
        (Change.added, "/b/a.markdown", True),
        (Change.deleted, "/b/chapter-1-x", True),
        (Change.deleted, "/b/v1.2", True),
        (Change.modified, "/b/chapter-1-x", False),
        (Change.modified, "/b/a.png", False),
        (Change.modified, "/b/a.md~", False),
        (Change.modified, "/b/.git/a.md", False),
        (Change.modified, "/b/node_modules/x/README.md", False),
    ],
)
def test_only_markdown_counts(change: Change, path: str, counts: bool) -> None:
    assert ReadableFiles(MARKDOWN)(change, path) is counts


@pytest.mark.parametrize("name", ["chapter-1-x", "v1.2"])
def test_a_folder_that_is_moved_in_counts_whatever_its_name(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    assert ReadableFiles(MARKDOWN)(Change.added, str(folder))


async def test_a_save_and_a_stop_are_both_told(tmp_path: Path) -> None:
    stop = Stop()
    async with asyncio.timeout(WAIT_S), watched(tmp_path, stop) as changed:
        await asyncio.sleep(0.5)  # it begins to look in a thread of its own
        (tmp_path / "a.md").write_text("text")
        await changed.wait()
        changed.clear()
        stop.event.set()
        await changed.wait()
