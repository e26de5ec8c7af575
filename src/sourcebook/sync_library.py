"""The library for programs without an event loop of their own, such as notebooks: calls block."""

import asyncio
import atexit
import concurrent.futures.thread  # noqa: F401 - it closes the pools of threads after our own hook
import logging
import queue
import threading
import weakref
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from concurrent.futures import Future, wait
from contextlib import AbstractAsyncContextManager, aclosing, suppress
from functools import wraps
from typing import Concatenate, Generic, Literal, ParamSpec, Self, TypeVar, overload

from sourcebook import library
from sourcebook.core.errors import InvalidInput
from sourcebook.core.jobs import IngestMode
from sourcebook.library import Book, BookChanges, Ingested

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

# An interrupted call finishes the step that it is at.
CANCEL_TIMEOUT_S = 10.0
START_TIMEOUT_S = 10.0
# A program that ends need not wait longer: nothing is lost by a book that is not closed.
EXIT_TIMEOUT_S = 30.0
# Python can miss an interrupt that comes in the instant in which a thread begins to wait, and
# notices it when the thread wakes up.
INTERRUPT_INTERVAL_S = 0.5


class _Call(Generic[T]):
    """A coroutine that runs in the event loop of another thread.

    It can be cancelled from the moment that it exists: an interrupt may come at any time.
    """

    def __init__(
        self, coroutine: Coroutine[object, object, T], loop: asyncio.AbstractEventLoop
    ) -> None:
        self._coroutine = coroutine
        self._loop = loop
        self._task: asyncio.Task[T] | None = None
        self._result: Future[T] = Future()
        self._ended = threading.Event()

    def start(self, tell: Callable[[], None] | None = None) -> None:
        """Begin; `tell` is called in the other thread when the result is there."""
        if tell is not None:
            self._result.add_done_callback(lambda _: tell())
        self._loop.call_soon_threadsafe(self._begin)

    def result(self) -> T:
        """Wait for the result."""
        return _result(self._result)

    def cancel(self) -> None:
        """Cancel the call, unless it has ended, and wait for its end."""
        with suppress(RuntimeError):  # the loop has ended, and with it the call
            self._loop.call_soon_threadsafe(self._cancel)
            self._ended.wait(CANCEL_TIMEOUT_S)

    def _begin(self) -> None:
        self._task = self._loop.create_task(self._coroutine)
        self._task.add_done_callback(self._end)

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()
        else:
            self._coroutine.close()
            self._ended.set()

    def _end(self, task: asyncio.Task[T]) -> None:
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if error is not None:
            self._result.set_exception(error)
        else:
            self._result.set_result(task.result())
        self._ended.set()


class _BookThread:
    """A thread with an event loop of its own, in which a book is open."""

    def __init__(self, opening: AbstractAsyncContextManager[Book]) -> None:
        self._opening = opening
        self._close_requested = asyncio.Event()
        self._started: Future[tuple[asyncio.AbstractEventLoop, Callable[[], object]]] = Future()
        self._opened: Future[Book] = Future()
        self._closed: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, name="sourcebook", daemon=True)

    def open(self) -> Book:
        """Wait until the book is open; an interrupt gives up."""
        try:
            _before_exit(self.close_at_exit)
            self._thread.start()
            return _result(self._opened)
        except BaseException:
            self.close()
            raise

    def call(self, coroutine: Coroutine[object, object, T]) -> _Call[T]:
        """Return a call that is to run in this thread."""
        loop, _ = self._started.result()
        return _Call(coroutine, loop)

    def close(self, timeout_s: float | None = None) -> None:
        """Close the book and wait until it is closed."""
        loop, give_up = self._started.result(START_TIMEOUT_S)
        with suppress(RuntimeError):  # the loop has ended already
            loop.call_soon_threadsafe(self._close_requested.set if self._opened.done() else give_up)
        self._closed.result(timeout_s)

    def close_at_exit(self) -> None:
        """Close the book of a program that ends without closing it."""
        try:
            self.close(EXIT_TIMEOUT_S)
        except Exception:  # nobody is left to be told
            log.warning("book_not_closed", exc_info=True)

    def _run(self) -> None:
        try:
            asyncio.run(self._hold_open())
        except BaseException as error:  # noqa: BLE001 - raised where somebody waits for it
            (self._closed if self._opened.done() else self._opened).set_exception(error)
        if not self._closed.done():
            self._closed.set_result(None)

    async def _hold_open(self) -> None:
        """Open and close the book in one task: what it holds may not change tasks."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine always runs in one
        self._started.set_result((asyncio.get_running_loop(), task.cancel))
        async with self._opening as book:
            self._opened.set_result(book)
            await self._close_requested.wait()


def _before_exit(close: Callable[[], None]) -> None:
    """Call a method when the program ends, unless its object is gone by then.

    It needs threads, which `atexit` is too late for, and a model that computes in a thread when
    Python ends would crash the process. There is no public hook for the moment before.
    """
    kept = weakref.WeakMethod(close)
    register = getattr(threading, "_register_atexit", atexit.register)
    register(lambda: None if (found := kept()) is None else found())


def _blocking(
    method: Callable[Concatenate[Book, P], Coroutine[object, object, T]],
) -> Callable[Concatenate["SyncBook", P], T]:
    """Make a method that waits for the method of `Book`."""

    @wraps(method)
    def call(self: "SyncBook", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.wait_for(lambda book: method(book, *args, **kwargs))

    return call


def _iterating(
    method: Callable[Concatenate[Book, P], AsyncGenerator[T]],
) -> Callable[Concatenate["SyncBook", P], Generator[T]]:
    """Make a method that yields what the method of `Book` yields."""

    @wraps(method)
    def iterate(self: "SyncBook", /, *args: P.args, **kwargs: P.kwargs) -> Generator[T]:
        return self.iterate_over(lambda book: method(book, *args, **kwargs))

    return iterate


class SyncBook:
    """An open `Book` whose methods wait for their results. Close it, or use it in a `with` block.

    It works in a running event loop too: its own runs in a thread.
    """

    def __init__(self, opening: AbstractAsyncContextManager[Book]) -> None:
        self._thread = _BookThread(opening)
        self._book: Book | None = self._thread.open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the book, so that others can use the data folder. A second call does nothing."""
        if self._book is not None:
            self._book = None
            self._thread.close()

    @overload
    def ingest(
        self, *, mode: IngestMode = ..., force: bool = ..., dry_run: Literal[False] = ...
    ) -> Ingested: ...

    @overload
    def ingest(
        self, *, mode: IngestMode = ..., force: bool = ..., dry_run: Literal[True]
    ) -> BookChanges: ...

    def ingest(
        self, *, mode: IngestMode = "incremental", force: bool = False, dry_run: bool = False
    ) -> Ingested | BookChanges:
        """Bring the index up to date with the files; IngestionFailed if that is impossible.

        A dry run changes nothing and returns what would change. An interrupt stops the run: what is
        indexed by then stays, and the next run does the rest.
        """
        if dry_run:
            return self.wait_for(lambda book: book.ingest(mode=mode, force=force, dry_run=True))
        return self.wait_for(lambda book: book.ingest(mode=mode, force=force))

    ask = _blocking(Book.ask)
    ask_stream = _iterating(Book.ask_stream)
    search = _blocking(Book.search)
    explain = _blocking(Book.explain)
    read = _blocking(Book.read)
    context = _blocking(Book.context)

    def wait_for(self, call: Callable[[Book], Coroutine[object, object, T]]) -> T:
        """Call a method of the asynchronous book and wait for its result."""
        waited_for = self._thread.call(call(self._open_book()))
        try:
            waited_for.start()
            return waited_for.result()
        except BaseException:
            waited_for.cancel()
            raise

    def iterate_over(self, call: Callable[[Book], AsyncGenerator[T]]) -> Generator[T]:
        """Yield what an asynchronous generator of the book yields."""
        book = self._open_book()
        parts: queue.SimpleQueue[tuple[T] | None] = queue.SimpleQueue()

        async def hand_over() -> None:
            # In one task, as a time limit that the generator holds demands.
            async with aclosing(call(book)) as found:
                async for part in found:
                    parts.put((part,))

        handing_over = self._thread.call(hand_over())
        try:
            handing_over.start(tell=lambda: parts.put(None))
            while (part := _next(parts)) is not None:
                yield part[0]
            handing_over.result()
        finally:
            handing_over.cancel()

    def _open_book(self) -> Book:
        if self._book is None:
            raise InvalidInput("The book is closed: open it again with sourcebook.open_sync()")
        return self._book


def _result(future: Future[T]) -> T:
    while not future.done():
        wait([future], INTERRUPT_INTERVAL_S)
    return future.result()


def _next(parts: queue.SimpleQueue[T]) -> T:
    while True:
        with suppress(queue.Empty):
            return parts.get(timeout=INTERRUPT_INTERVAL_S)


def _synchronous(
    opener: Callable[P, AbstractAsyncContextManager[Book]],
) -> Callable[P, SyncBook]:
    @wraps(opener)
    def open_sync(*args: P.args, **kwargs: P.kwargs) -> SyncBook:
        return SyncBook(opener(*args, **kwargs))

    open_sync.__name__ = open_sync.__qualname__ = "open_sync"
    open_sync.__module__ = __name__
    return open_sync


# With the arguments of `sourcebook.open`.
open_sync = _synchronous(library.open)
