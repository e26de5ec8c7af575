"""Files that are made to be slow, or are written while they are read."""

from pathlib import Path

import pytest

from sourcebook.core.errors import BookUnreadable
from sourcebook.providers.sources.folder import FolderSource
from sourcebook.text.blocks import MAX_CELLS, BlockKind, read_blocks
from tests.work import CountedText


def table(columns: int, rows: int = 1) -> str:
    return "\n".join(["a|" * columns, "-|" * columns, *["b|" * columns] * rows])


def test_a_wide_table_is_read_in_proportion_to_its_width() -> None:
    text = CountedText(table(4_000))

    read_blocks(text, 0, mdx=False)

    # Once for each cell would be 4,000 times.
    assert len(text) <= text.copied <= 10 * len(text)


def test_a_table_of_too_many_cells_is_read_as_lines() -> None:
    [small] = read_blocks(table(10, rows=10), 0, mdx=False)
    [large] = read_blocks(table(MAX_CELLS // 100, rows=100), 0, mdx=False)

    assert (small.kind, large.kind) == (BlockKind.SOLID, BlockKind.TEXT)


async def test_a_file_that_is_being_rewritten_is_read_when_it_is_whole(tmp_path: Path) -> None:
    lesson = tmp_path / "a.md"
    lesson.write_text("# Half")
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        # The writer goes on, and then leaves the file alone.
        pauses.append(seconds)
        lesson.write_text("# Half and the rest")

    def now_s() -> float:
        return lesson.stat().st_mtime + sum(pauses)

    async with FolderSource(tmp_path, pause=pause, now_s=now_s).open() as tree:
        content = await tree.read("a.md")

    assert content == b"# Half and the rest"
    assert pauses


async def test_a_file_that_never_comes_to_rest_is_left_for_the_next_time(tmp_path: Path) -> None:
    lesson = tmp_path / "a.md"
    lesson.write_text("# Text")

    source = FolderSource(
        tmp_path, pause=lambda _: lesson.touch(), now_s=lambda: lesson.stat().st_mtime
    )
    async with source.open() as tree:
        with pytest.raises(BookUnreadable, match="is being written to; it is read next time"):
            await tree.read("a.md")
