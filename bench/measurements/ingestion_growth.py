"""The cost of a larger book, and of keeping an indexed book up to date.

Books of 100, 400 and all pages, each ingested by a server of its own. The largest is then ingested
again as it is, and once more with one section changed.

The memory of a server that has ingested a book is held against that of one that only opens the
same index: what is more is left of the ingestion, and must not grow with the book.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.book_servers import book_server
from bench.pages import Page, read_pages, write_pages
from bench.processes import Memory
from bench.run import Run
from bench.table import Goal, Row, number

FEW_CHUNKS = 500
MAX_FEW_CHUNKS_S = 300
SECTIONS_OF_EDITED = 6
CHUNKS_OF_EDIT = 3
MAX_MEMORY_GROWTH_MB = 50
EDIT = "\n\nA dromedary walked past the turbine hall on a Tuesday.\n"
_SECTION = re.compile(r"^## ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Kept:
    """A book of so many pages, once it is ingested."""

    pages: int
    chunks: int
    seconds: float
    memory: Memory
    opened: Memory
    index_mb: float

    @property
    def left_mb(self) -> float:
        """What the process has for itself beyond the index, once the ingestion is over."""
        return self.memory.anonymous_mb - self.opened.anonymous_mb

    @property
    def ms_per_chunk(self) -> float:
        """What a chunk cost."""
        return self.seconds / self.chunks * 1000


@dataclass(frozen=True, slots=True)
class Upkeep:
    """The jobs of a book that is there already."""

    unchanged: dict[str, Any]
    edited: dict[str, Any]


def measure(run: Run) -> list[Row]:
    """Sizes first, then the upkeep of the largest."""
    pages = read_pages()
    sizes = [run.amount(100, 10), run.amount(400, 20), run.amount(len(pages), 40)]
    kept = [_kept(run.folder / str(size), pages[:size]) for size in sizes[:-1]]
    largest, upkeep = _kept_up(run.folder / "all", pages[: sizes[-1]])
    kept.append(largest)
    return [*_size_rows(kept), _memory_row(*kept[1:]), *_upkeep_rows(largest, upkeep)]


def _kept(folder: Path, pages: Sequence[Page]) -> Kept:
    book = write_pages(pages, folder / "book")
    with book_server(folder, DOCS_PATH=str(book)) as server:
        job, memory = server.ingest(), server.server.memory
    return _as_kept(folder, job, memory)


def _kept_up(folder: Path, pages: Sequence[Page]) -> tuple[Kept, Upkeep]:
    book = write_pages(pages, folder / "book")
    with book_server(folder, DOCS_PATH=str(book)) as server:
        job, memory = server.ingest(), server.server.memory
        unchanged = server.ingest()
        _edit_a_section(book, pages)
        upkeep = Upkeep(unchanged, server.ingest())
    return _as_kept(folder, job, memory), upkeep


def _as_kept(folder: Path, job: dict[str, Any], memory: Memory) -> Kept:
    index_mb = _size_mb(folder / "data" / "index")
    with book_server(folder, DOCS_PATH=str(folder / "book")) as server:
        opened = server.server.memory
    return Kept(
        pages=job["files_processed"],
        chunks=job["chunks_created"],
        seconds=job["duration_seconds"],
        memory=memory,
        opened=opened,
        index_mb=index_mb,
    )


def _edit_a_section(book: Path, pages: Sequence[Page]) -> None:
    """Add a sentence in the middle of a page that has many sections."""
    page = next(page for page in pages if len(_SECTION.findall(page.text)) >= SECTIONS_OF_EDITED)
    end = list(_SECTION.finditer(page.text))[SECTIONS_OF_EDITED // 2].start()
    edited = page.text[:end].rstrip() + EDIT + "\n" + page.text[end:]
    write_pages([Page(page.path, edited)], book)


def _size_rows(kept: Sequence[Kept]) -> list[Row]:
    least, largest = kept[0], kept[-1]
    sizes = " / ".join(f"{one.pages:,}" for one in kept)
    return [
        Row(
            f"ingestion of {largest.pages:,} pages, {largest.chunks:,} chunks",
            [largest.chunks / largest.seconds],
            unit="chunks/s",
            ours=f"{number(largest.seconds)} s",
        ),
        Row(
            f"ingestion of {FEW_CHUNKS} chunks, at the pace of {least.pages} pages (002 SC-003)",
            [least.ms_per_chunk * FEW_CHUNKS / 1000],
            Goal("<=", MAX_FEW_CHUNKS_S, "s"),
            "s",
        ),
        Row(
            f"a chunk's time among {sizes} pages, most beside fewest",
            [largest.ms_per_chunk / least.ms_per_chunk],
            Goal("<=", 1.2),
            ours=" / ".join(number(one.ms_per_chunk) for one in kept) + " ms",
        ),
    ]


def _memory_row(some: Kept, all_: Kept) -> Row:
    def both(each: Callable[[Kept], float]) -> str:
        return f"{number(each(some))} / {number(each(all_))} MB"

    return Row(
        f"anonymous memory after {some.pages:,} / {all_.pages:,} pages, growth beyond the index",
        [all_.left_mb - some.left_mb],
        Goal("<=", MAX_MEMORY_GROWTH_MB, "MB"),
        "MB",
        ours=f"{both(lambda kept: kept.memory.anonymous_mb)};"
        f" where the index is only opened {both(lambda kept: kept.opened.anonymous_mb)};"
        f" with pages of files {both(lambda kept: kept.memory.resident_mb)},"
        f" at its peak {both(lambda kept: kept.memory.peak_mb)};"
        f" the index on disk {both(lambda kept: kept.index_mb)}",
    )


def _upkeep_rows(largest: Kept, upkeep: Upkeep) -> list[Row]:
    unchanged, edited = upkeep.unchanged, upkeep.edited
    return [
        Row(
            "ingestion again with nothing changed, beside the first",
            [unchanged["duration_seconds"] / largest.seconds],
            Goal("<=", 0.02),
            ours=f"{number(unchanged['duration_seconds'])} s",
            theirs=f"{number(largest.seconds)} s",
        ),
        Row(
            "chunks embedded with nothing changed (002 SC-002)",
            [unchanged["chunks_embedded"]],
            Goal("<=", 0, ""),
            "",
        ),
        Row(
            "chunks embedded after one section changed",
            [edited["chunks_embedded"]],
            Goal("<=", CHUNKS_OF_EDIT, ""),
            "",
            ours=f"of {edited['chunks_created']} in the file, {number(edited['duration_seconds'])}"
            " s",
        ),
    ]


def _size_mb(place: Path) -> float:
    """What it takes up on the disk: the engine's files have holes."""
    return sum(file.stat().st_blocks * 512 for file in place.rglob("*")) / 2**20
