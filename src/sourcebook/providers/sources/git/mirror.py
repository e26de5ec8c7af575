"""Caches the fetched objects of a repository on disk between fetches. Blocking.

A mirror is objects and the id of the last commit, which is written after all of its objects. It is
only a copy: when it is damaged, or has collected many packs, it is thrown away.
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

from sourcebook.providers.sources.git.pack import check_pack

MAX_PACKS = 32
_COMMIT_HEX = 40
_TEMPORARY = ".passing-"
_DAMAGE_ERRORS = (
    OSError, ValueError, LookupError, TypeError, AssertionError, EOFError, struct.error, zlib.error,
    ApplyDeltaError, ChecksumMismatch, FileFormatException, WrongObjectException,
)  # fmt: skip


class MirrorDamaged(Exception):
    """The mirror cannot be used; discard it and fetch again."""


@contextmanager
def translated_damage() -> Iterator[None]:
    """Translate the errors that dulwich raises for damaged files."""
    try:
        yield
    except _DAMAGE_ERRORS as error:
        raise MirrorDamaged(type(error).__name__) from error


class GitMirror:
    """A folder with the objects of one branch."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()

    def commit(self) -> ObjectID | None:
        """Return the last commit that was fetched, if it is still usable."""
        with self._lock, translated_damage():
            self._folder.mkdir(parents=True, exist_ok=True)
            self._clear_leftovers()
            commit = self._commit_file.read_bytes() if self._commit_file.exists() else b""
            if len(commit) != _COMMIT_HEX:
                return None
            with self._opened() as store:
                usable = store.count_pack_files() < MAX_PACKS and ObjectID(commit) in store
            return ObjectID(commit) if usable else None

    def incoming(self) -> IO[bytes]:
        """Open an unnamed temporary file for a pack being received."""
        with translated_damage():
            return tempfile.TemporaryFile(dir=self._folder)

    def add(self, pack: IO[bytes], commit: ObjectID, *, complete: bool) -> None:
        """Add the objects of a commit; a complete pack replaces everything."""
        check_pack(pack)
        with self._lock, translated_damage():
            if complete:
                self._clear()
            with self._opened() as store:
                store.add_thin_pack(pack.read, None)
            temporary = self._folder / f"{_TEMPORARY}{uuid4().hex}"
            temporary.write_bytes(commit)
            temporary.replace(self._commit_file)

    def open(self) -> DiskObjectStore:
        """Open the objects; the caller closes them."""
        with translated_damage():
            return DiskObjectStore(self._objects)

    def discard(self) -> None:
        """Delete everything."""
        with self._lock, translated_damage():
            self._clear()

    @property
    def _commit_file(self) -> Path:
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
        self._commit_file.unlink(missing_ok=True)
        with suppress(FileNotFoundError):
            # Moved away first: a crash while deleting must not leave half of the objects.
            self._objects.rename(self._folder / f"{_TEMPORARY}{uuid4().hex}")
        self._clear_leftovers()

    def _clear_leftovers(self) -> None:
        for left in [*self._folder.glob(_TEMPORARY + "*"), *self._objects.glob("tmp_pack_*")]:
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink(missing_ok=True)
