"""`sourcebook.open_sync()`: a book without an event loop, as a notebook uses it."""

import asyncio
import inspect
import os
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import cast

import pytest

import sourcebook
from sourcebook.core.errors import InvalidInput
from tests.books import lesson_text

CHAPTER = Path("module-1-ros2") / "chapter-1-nodes"
TIMEOUT_S = 60


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("book")
    chapter = root / "docs" / CHAPTER
    chapter.mkdir(parents=True)
    (chapter / "01-ducks.md").write_text(lesson_text("Ducks", "pond", "feather"))
    return root / "docs"


@pytest.fixture(scope="module")
def book(docs: Path) -> Iterator[sourcebook.SyncBook]:
    with sourcebook.open_sync(data_dir=docs.parent / "data", docs=docs) as book:
        assert book.ingest().status == "completed"
        yield book


def test_every_method_of_a_book_is_there_with_its_arguments() -> None:
    methods = inspect.getmembers(sourcebook.Book, inspect.isfunction)
    public = [name for name, _ in methods if not name.startswith("_")]

    assert public == ["ask", "ask_stream", "context", "explain", "ingest", "read", "search"]
    for name in public:
        wanted = inspect.signature(getattr(sourcebook.Book, name)).parameters
        assert inspect.signature(getattr(sourcebook.SyncBook, name)).parameters == wanted
    assert inspect.signature(sourcebook.open_sync).parameters == (
        inspect.signature(sourcebook.open).parameters
    )


def test_a_book_is_asked_searched_and_read_without_await(book: sourcebook.SyncBook) -> None:
    (best,) = book.search("pond", limit=1)
    *pieces, whole = book.ask_stream("What does the pond have?")
    lesson = book.read(best.parent_doc_id)

    assert best.lesson_title == "Ducks"
    assert isinstance(whole, sourcebook.BookAnswer)
    assert "".join(cast("list[str]", pieces)) == whole.text
    assert book.ask("What does the pond have?").text == whole.text
    assert best.chunk_id in {chunk.chunk_id for chunk in lesson.chunks}
    assert best.chunk_id in {chunk.chunk_id for chunk in book.context(best.chunk_id)}
    assert book.ingest(dry_run=True).unchanged == 1


async def test_it_works_inside_of_a_running_event_loop(book: sourcebook.SyncBook) -> None:
    assert book.search("pond", limit=1)


def test_an_error_is_raised_where_the_call_was_made(book: sourcebook.SyncBook) -> None:
    with pytest.raises(InvalidInput, match="The question is empty"):
        book.search(" ")
    with pytest.raises(InvalidInput, match="The question is empty"):
        list(book.ask_stream(" "))


class WaitingBook:
    """Stands in for a book: calls wait until they are cancelled, and tell when they end."""

    def __init__(self) -> None:
        self.waits = threading.Event()
        self.ended: list[str] = []

    async def wait(self, name: str = "call") -> None:
        self.waits.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.ended.append(name)

    async def stream(self) -> AsyncGenerator[str]:
        yield "a piece"
        await self.wait("stream")


def opening(
    book: WaitingBook, *, opens: bool = True
) -> AbstractAsyncContextManager[sourcebook.Book]:
    @asynccontextmanager
    async def opened() -> AsyncIterator[sourcebook.Book]:
        if not opens:
            await book.wait("open")
        yield cast("sourcebook.Book", book)
        book.ended.append("closed")

    return opened()


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    """A process that was started in the background ignores Ctrl+C, and so would these tests."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted(book: WaitingBook, call: Callable[[], object]) -> None:
    """Press Ctrl+C once the call waits."""

    def interrupt() -> None:
        assert book.waits.wait(TIMEOUT_S)
        os.kill(os.getpid(), signal.SIGINT)

    presser = threading.Thread(target=interrupt, daemon=True)
    presser.start()
    with pytest.raises(KeyboardInterrupt):
        call()
    presser.join()


def test_an_interrupt_cancels_the_call_and_leaves_the_book_open() -> None:
    waiting = WaitingBook()
    with sourcebook.SyncBook(opening(waiting)) as book:
        interrupted(waiting, lambda: book.wait_for(lambda _: waiting.wait()))
        assert waiting.ended == ["call"]
        waiting.waits.clear()
        interrupted(waiting, lambda: list(book.iterate_over(lambda _: waiting.stream())))

    assert waiting.ended == ["call", "stream", "closed"]


def test_an_interrupt_while_it_opens_gives_up() -> None:
    waiting = WaitingBook()

    interrupted(waiting, lambda: sourcebook.SyncBook(opening(waiting, opens=False)))

    assert waiting.ended == ["open"]


def test_a_stream_that_is_given_up_is_cancelled() -> None:
    waiting = WaitingBook()
    with sourcebook.SyncBook(opening(waiting)) as book:
        parts = book.iterate_over(lambda _: waiting.stream())
        assert next(parts) == "a piece"
        assert waiting.waits.wait(TIMEOUT_S)
        parts.close()

        assert waiting.ended == ["stream"]


def test_a_closed_book_says_so_and_closes_twice() -> None:
    book = sourcebook.SyncBook(opening(waiting := WaitingBook()))
    book.close()
    book.close()

    assert waiting.ended == ["closed"]
    with pytest.raises(InvalidInput, match="The book is closed: open it again"):
        book.search("ducks")


SILENT_PROGRAM = """
import sourcebook
book = sourcebook.open_sync(data_dir="data", docs="docs")
ingested = book.ingest()
assert (ingested.files_processed, ingested.files_failed) == (1, 1), ingested
assert book.ask("What does the pond have?")
"""


def test_the_library_prints_nothing_and_a_program_that_ends_closes_its_book(tmp_path: Path) -> None:
    chapter = tmp_path / "docs" / CHAPTER
    chapter.mkdir(parents=True)
    (chapter / "01-ducks.md").write_text("---\nlayer: L9\n---\n\n# Ducks\n\nThe pond has ducks.\n")
    (chapter / "02-broken.md").write_bytes(b"\xff\xfe broken")

    done = subprocess.run(
        [sys.executable, "-c", SILENT_PROGRAM],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not list((tmp_path / "data" / "processes").iterdir())
