"""Keeps uploaded files in a folder for each book; archives are unpacked, safely."""

import asyncio
import re
import shutil
import uuid
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from sourcebook.core.errors import InvalidInput, NotFound
from sourcebook.core.text import shorten
from sourcebook.core.uploads import IncomingFile, StoredFile
from sourcebook.providers.sources.archives import (
    MAX_UNPACKED_BYTES,
    DamagedArchive,
    Readable,
    archive_members,
    is_archive,
)
from sourcebook.providers.sources.listing import (
    MAX_DEPTH,
    MAX_DOCUMENT_BYTES,
    MIB,
    is_deceptive,
    is_ignored,
)

MAX_UNPACKED_FILES = 10_000
MAX_NAME_BYTES = 200
# Systems allow 4,096 with the folder that it lies in.
MAX_PATH_BYTES = 2_000
_BOOK_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
_PIECE = MIB


class UploadFolder:
    """Implements `UploadStore` below one folder.

    Files are written beside the book's folder and moved into it: a run never sees half of one.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def folder(self, book_id: str) -> Path | None:
        """Return the folder of a book; None if nothing was uploaded into it."""
        if not _BOOK_ID.fullmatch(book_id):
            return None
        folder = self._root / book_id
        return folder if folder.is_dir() else None

    def source(self, book_id: str) -> str | None:
        """Return the name of a book's folder as administrators see it.

        Not its path: a backup may be restored into another data folder.
        """
        return None if self.folder(book_id) is None else f"uploads/{book_id}"

    async def add(self, book_id: str, files: Sequence[IncomingFile]) -> list[StoredFile]:
        """Keep all files, or none; InvalidInput."""
        if not _BOOK_ID.fullmatch(book_id):
            raise InvalidInput(
                f"book_id {shorten(book_id, 60)!r} is not valid: use letters, digits, dots, dashes"
                " and underscores"
            )
        return await asyncio.to_thread(self._add, book_id, files)

    async def file(self, book_id: str, path: str) -> Path | None:
        """Return where an uploaded file is; None if there is no such file."""
        try:
            checked = _checked_path(path)
        except InvalidInput:
            return None
        return await asyncio.to_thread(self._file, book_id, checked)

    async def remove(self, book_id: str, path: str) -> None:
        """Delete a file; NotFound."""
        await asyncio.to_thread(self._remove, book_id, path)

    async def remove_all(self, book_id: str) -> None:
        """Delete all files of a book, if it has any."""
        folder = self.folder(book_id)
        if folder is not None:
            await asyncio.to_thread(shutil.rmtree, folder)

    def _add(self, book_id: str, files: Sequence[IncomingFile]) -> list[StoredFile]:
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        incoming = self._root / f".incoming-{uuid.uuid4().hex}"
        incoming.mkdir(mode=0o700)
        try:
            receiver = _Receiver(incoming)
            for file in files:
                receiver.take(file)
            if not receiver.stored:
                raise InvalidInput("There is no file in it that could be kept")
            self._move(incoming, self._root / book_id, receiver.stored)
        finally:
            shutil.rmtree(incoming, ignore_errors=True)
        return list(receiver.stored.values())

    @staticmethod
    def _move(incoming: Path, folder: Path, stored: dict[str, StoredFile]) -> None:
        for path in stored:
            target = folder / path
            try:
                target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                (incoming / path).replace(target)
            except (NotADirectoryError, FileExistsError, IsADirectoryError):
                raise InvalidInput(
                    f"{path!r} cannot be kept: a folder and a file would have the same name"
                ) from None

    def _file(self, book_id: str, path: str) -> Path | None:
        folder = self.folder(book_id)
        found = None if folder is None else folder / path
        # Uploads hold no links; one that somebody put there must not lead out of the folder.
        if folder is None or found is None or not found.is_file():
            return None
        return found if found.resolve().is_relative_to(folder.resolve()) else None

    def _remove(self, book_id: str, path: str) -> None:
        folder = self.folder(book_id)
        target = None if folder is None else folder / _checked_path(path)
        if folder is None or target is None or not target.is_file():
            raise NotFound(f"Book {shorten(book_id, 60)!r} has no uploaded file {path[:200]!r}")
        target.unlink()
        for parent in target.parents:
            if parent == folder:
                break
            with suppress(OSError):
                parent.rmdir()  # only if it is empty


class _Receiver:
    """Writes the files of one upload into a folder, within limits."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._bytes_left = MAX_UNPACKED_BYTES
        self.stored: dict[str, StoredFile] = {}

    def take(self, file: IncomingFile) -> None:
        if is_archive(file.name):
            self._unpack(file)
        else:
            self._write(_checked_path(file.name), file.content)

    def _unpack(self, file: IncomingFile) -> None:
        try:
            for name, content in archive_members(file.name, file.content):
                # What an archive holds beside its documents, like `.git`, is left out.
                if not any(part.startswith(".") and part.strip(".") for part in name.split("/")):
                    self._write(_checked_path(name), content)
        except DamagedArchive:
            raise InvalidInput(
                f"{file.name[:200]!r} cannot be unpacked: it is damaged, or locked with a password"
            ) from None

    def _write(self, path: str, content: Readable) -> None:
        if len(self.stored) >= MAX_UNPACKED_FILES:
            raise InvalidInput(f"There are more than {MAX_UNPACKED_FILES:,} files; send fewer")
        target = self._folder / path
        size = 0
        try:
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with target.open("wb") as written:
                while piece := content.read(_PIECE):
                    size += len(piece)
                    self._bytes_left -= len(piece)
                    self._check(path, size)
                    written.write(piece)
        except (NotADirectoryError, IsADirectoryError, FileExistsError):
            raise InvalidInput(
                f"{path!r} cannot be kept: a folder and a file would have the same name"
            ) from None
        self.stored[path] = StoredFile(path, size)

    def _check(self, path: str, size: int) -> None:
        if size > MAX_DOCUMENT_BYTES:
            raise InvalidInput(f"{path!r} is larger than {MAX_DOCUMENT_BYTES // MIB} MiB")
        if self._bytes_left < 0:
            raise InvalidInput(
                f"Unpacked, the files have more than {MAX_UNPACKED_BYTES // MIB} MiB; send fewer"
            )


def _checked_path(name: str) -> str:
    """Return the path of a file below the book's root; InvalidInput if it leads elsewhere."""
    parts = name.replace("\\", "/").removeprefix("./").split("/")
    short = len(parts) <= MAX_DEPTH and len(name.encode("utf-8", "replace")) <= MAX_PATH_BYTES
    usable = short and all(map(_is_usable, parts))
    if not usable:
        raise InvalidInput(
            f"{shorten(ascii(name), 200)} cannot be the name of a file here: use a relative path"
            " of plain names that do not begin with a dot"
        )
    return "/".join(parts)


def _is_usable(part: str) -> bool:
    if is_deceptive(part) or is_ignored(part) or part.strip() != part:
        return False
    return len(part.encode("utf-8", "replace")) <= MAX_NAME_BYTES
