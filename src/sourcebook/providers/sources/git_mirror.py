"""The objects that were fetched of a repository, kept on disk between fetches. It blocks.

A mirror is objects and the name of the last commit, which is written after everything that belongs
to it. It is only a copy: one that is damaged, or has gathered many packs, is thrown away.
"""

import shutil
import struct
import tempfile
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO
from uuid import uuid4

from dulwich.errors import (
    ApplyDeltaError,
    ChecksumMismatch,
    FileFormatException,
    WrongObjectException,
)
from dulwich.object_store import DiskObjectStore
from dulwich.objects import ObjectID

from sourcebook.providers.sources.git_pack import check_pack

MAX_PACKS = 32
_COMMIT_HEX = 40
_PASSING = ".passing-"
_DAMAGES = (
    OSError, ValueError, LookupError, TypeError, AssertionError, EOFError, struct.error, zlib.error,
    ApplyDeltaError, ChecksumMismatch, FileFormatException, WrongObjectException,
)  # fmt: skip


class MirrorDamaged(Exception):
    """What was kept cannot be used; throw it away and fetch anew."""


@contextmanager
def damage() -> Iterator[None]:
    """Translate whatever a damaged file makes dulwich raise."""
    try:
        yield
    except _DAMAGES as error:
        raise MirrorDamaged(type(error).__name__) from error


class GitMirror:
    """A folder with the objects of one branch."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._changing = threading.Lock()

    def commit(self) -> ObjectID | None:
        """The last commit that was fetched, if it can still be used."""
        with self._changing, damage():
            self._folder.mkdir(parents=True, exist_ok=True)
            self._clear_leftovers()
            noted = self._note.read_bytes() if self._note.exists() else b""
            if len(noted) != _COMMIT_HEX:
                return None
            with self._opened() as store:
                usable = store.count_pack_files() < MAX_PACKS and ObjectID(noted) in store
            return ObjectID(noted) if usable else None

    def incoming(self) -> IO[bytes]:
        """A file without a name for what is being received; it is gone when it is closed."""
        with damage():
            return tempfile.TemporaryFile(dir=self._folder)

    def add(self, pack: IO[bytes], commit: ObjectID, *, complete: bool) -> None:
        """Take in the objects of a commit; a complete pack replaces all that was there."""
        check_pack(pack)
        with self._changing, damage():
            if complete:
                self._clear()
            with self._opened() as store:
                store.add_thin_pack(pack.read, None)
            passing = self._folder / f"{_PASSING}{uuid4().hex}"
            passing.write_bytes(commit)
            passing.replace(self._note)

    def open(self) -> DiskObjectStore:
        """The objects; the caller closes them."""
        with damage():
            return DiskObjectStore(self._objects)

    def discard(self) -> None:
        """Throw everything away."""
        with self._changing, damage():
            self._clear()

    @property
    def _note(self) -> Path:
        return self._folder / "commit"

    @property
    def _objects(self) -> Path:
        return self._folder / "objects"

    @contextmanager
    def _opened(self) -> Iterator[DiskObjectStore]:
        (self._objects / "pack").mkdir(parents=True, exist_ok=True)
        store = DiskObjectStore(self._objects, fsync_object_files=True)
        try:
            yield store
        finally:
            store.close()

    def _clear(self) -> None:
        self._note.unlink(missing_ok=True)
        with suppress(FileNotFoundError):
            # Moved away first: a crash while deleting must not leave half of the objects.
            self._objects.rename(self._folder / f"{_PASSING}{uuid4().hex}")
        self._clear_leftovers()

    def _clear_leftovers(self) -> None:
        for left in [*self._folder.glob(_PASSING + "*"), *self._objects.glob("tmp_pack_*")]:
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink(missing_ok=True)
