"""Reads a book from a folder, or one file: regular files, never through a symbolic link below it.

Every file and folder is opened by its name within the folder above it, never by a whole path: no
change to the tree while it is read can lead outside of it.
"""

import asyncio
import os
import stat
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path

from sourcebook.core.book_source import MARKDOWN, At, BookTree, Listing, report_nothing
from sourcebook.core.errors import BookUnreadable, SourceUnavailable
from sourcebook.core.ports import FileConversion
from sourcebook.providers.sources.listing import (
    MAX_BYTES,
    MAX_FILES,
    Limits,
    ListingBuilder,
)

_ROOT = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FOLDER = _ROOT | os.O_NOFOLLOW
# Without O_NONBLOCK, opening a pipe that took a file's place would block.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

# A file that was written to more recently is read again: it may be half of what it will be.
SETTLING_S = 0.05
MAX_READS = 10


class FolderSource:
    """Implements `BookSource`: the files below a local folder that can be read, or one file."""

    def __init__(
        self,
        root: Path,
        *,
        conversion: FileConversion | None = None,
        name: str | None = None,
        max_bytes: int = MAX_BYTES,
        max_files: int = MAX_FILES,
        pause: Callable[[float], None] = time.sleep,
        now_s: Callable[[], float] = time.time,
    ) -> None:
        self._path = root
        # As administrators see it; else the folder itself.
        self._name = name
        self._conversion = conversion
        self._limits = Limits(MARKDOWN, max_bytes, max_files)
        self._pause = pause
        self._now_s = now_s

    @asynccontextmanager
    async def open(self, at: At = report_nothing) -> AsyncIterator[BookTree]:
        """List the folder; the tree stays the same even if the folder is renamed or replaced."""
        root = _Root(self._path)
        try:
            limits = self._limits.with_converted(self._conversion)
            listing = await asyncio.to_thread(_listing, root, limits)
            if self._name is not None:
                listing = replace(listing, source=self._name)
            yield _FolderTree(root, listing, limits, self._pause, self._now_s)
        finally:
            root.close()


class _FolderTree:
    """The files that were listed."""

    def __init__(
        self,
        root: "_Root",
        listing: Listing,
        limits: Limits,
        pause: Callable[[float], None],
        now_s: Callable[[], float],
    ) -> None:
        self._root = root
        self._pause = pause
        self._now_s = now_s
        self._listing = listing
        self._limits = limits
        self._paths = frozenset(file.path for file in listing.files)

    @property
    def listing(self) -> Listing:
        return self._listing

    async def read(self, path: str) -> bytes:
        if path not in self._paths:
            raise BookUnreadable(f"There is no file {path[:200]!r} in the book's listing")
        try:
            return await asyncio.to_thread(self._read, path)
        except OSError as error:
            raise BookUnreadable(f"{path!r} cannot be read: {error.strerror}") from error

    def _read(self, path: str) -> bytes:
        for _ in range(MAX_READS):
            content, written_at_s = self._read_once(path)
            age_s = self._now_s() - written_at_s
            # A clock that is ahead says nothing about the age.
            if age_s < 0 or age_s >= SETTLING_S:
                return content
            # Whoever rewrites a file in place may have written half of it.
            self._pause(SETTLING_S)
        raise BookUnreadable(f"{path!r} is being written to; it is read next time")

    def _read_once(self, path: str) -> tuple[bytes, float]:
        max_bytes = self._limits.most_bytes(path)
        with self._root.borrowed() as root, _opened_file(root, path) as file:
            before = os.fstat(file)
            if not stat.S_ISREG(before.st_mode):
                raise BookUnreadable(f"{path!r} is no regular file any more")
            content = _read_at_most(file, max_bytes + 1)
            after = os.fstat(file)
        if len(content) > max_bytes:
            raise BookUnreadable(f"{path!r} has grown past {max_bytes} bytes")
        if (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, len(content)):
            raise BookUnreadable(f"{path!r} was written to while it was read; it is read next time")
        return content, after.st_mtime


class _Root:
    """The open root folder. A late thread finds it closed, not a reused file descriptor.

    `only_file` is the name of the one file in it that was asked for.
    """

    def __init__(self, path: Path) -> None:
        self.only_file: str | None = None
        self._path = path
        self._fd: int | None = None
        self._closed = False
        self._lock = threading.Lock()

    @property
    def shown(self) -> str:
        """The path as it was given, from the root."""
        return os.path.abspath(self._path)  # noqa: PTH100 (keeps links: they are how it is known)

    def open(self) -> None:
        try:
            fd = self._open()
        except OSError as error:
            # Only the name: messages reach clients, who need not know the path.
            raise SourceUnavailable(
                f"The book's folder {self._path.name!r} cannot be opened: {error.strerror}."
                " Check the path, and that it is mounted"
            ) from error
        with self._lock:
            if self._closed:
                os.close(fd)
            else:
                self._fd = fd

    def _open(self) -> int:
        """Open the folder; of a file, the folder that it is in."""
        try:
            return os.open(self._path, _ROOT)
        except NotADirectoryError:
            folder, self.only_file = os.path.split(os.path.realpath(self._path))
            return os.open(folder, _ROOT)

    @contextmanager
    def borrowed(self) -> Iterator[int]:
        with self._lock:
            if self._fd is None:
                raise BookUnreadable("The book's folder is closed")
            fd = os.dup(self._fd)
        try:
            yield fd
        finally:
            os.close(fd)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._fd is not None:
                os.close(self._fd)
                self._fd = None


def _listing(root: _Root, limits: Limits) -> Listing:
    root.open()
    builder = ListingBuilder(limits)
    with root.borrowed() as fd:
        try:
            if root.only_file is None:
                _walk(fd, "", builder)
            else:
                _take(root.only_file, fd, builder)
        except OSError as error:
            raise SourceUnavailable(
                f"The book's folder cannot be listed: {error.strerror}"
            ) from error
    return builder.build(root.shown, single_file=root.only_file is not None)


def _take(name: str, folder_fd: int, builder: ListingBuilder) -> None:
    """List one file that somebody named."""
    if not builder.wants(name):
        raise SourceUnavailable(
            f"{name!r} is no file that can be read: a book is made of"
            f" {', '.join(builder.extensions)} files"
        )
    if builder.accepts("", name):
        _add(name, folder_fd, name, builder)


def _walk(folder_fd: int, folder: str, builder: ListingBuilder) -> None:
    with os.scandir(folder_fd) as entries:
        for entry in entries:
            if builder.accepts(folder, entry.name):
                _visit(entry, folder_fd, folder, builder)


def _visit(entry: os.DirEntry[str], folder_fd: int, folder: str, builder: ListingBuilder) -> None:
    path = folder + entry.name
    if entry.is_symlink():
        builder.leave_link(path)
    elif entry.is_dir(follow_symlinks=False):
        _enter(entry.name, folder_fd, path + "/", builder)
    elif not entry.is_file(follow_symlinks=False):
        builder.leave_out(path, "it is no regular file")
    elif builder.wants(entry.name):
        _add(entry.name, folder_fd, path, builder)
    else:
        builder.pass_over(entry.name)


def _enter(name: str, folder_fd: int, path: str, builder: ListingBuilder) -> None:
    if not builder.may_enter(path):
        return
    try:
        with _opened(name, _FOLDER, folder_fd) as fd:
            _walk(fd, path, builder)
    except OSError as error:
        builder.leave_unseen(path, f"it cannot be listed: {error.strerror}")


def _add(name: str, folder_fd: int, path: str, builder: ListingBuilder) -> None:
    # Opened, not only listed: a file that cannot be read must not pass for a deleted one.
    try:
        with _opened(name, _FILE, folder_fd) as fd:
            found = os.fstat(fd)
    except OSError as error:
        builder.leave_unseen(path, f"it cannot be opened: {error.strerror}")
        return
    if stat.S_ISREG(found.st_mode):
        builder.add(path, found.st_size)
    else:
        builder.leave_out(path, "it is no regular file")


@contextmanager
def _opened(name: str, flags: int, folder_fd: int) -> Iterator[int]:
    fd = os.open(name, flags, dir_fd=folder_fd)
    try:
        yield fd
    finally:
        os.close(fd)


@contextmanager
def _opened_file(root_fd: int, path: str) -> Iterator[int]:
    *folders, name = path.split("/")
    with ExitStack() as stack:
        fd = root_fd
        for folder in folders:
            fd = stack.enter_context(_opened(folder, _FOLDER, fd))
        yield stack.enter_context(_opened(name, _FILE, fd))


def _read_at_most(fd: int, max_bytes: int) -> bytes:
    pieces = []
    while max_bytes > 0 and (piece := os.read(fd, max_bytes)):
        pieces.append(piece)
        max_bytes -= len(piece)
    return b"".join(pieces)
