"""Files that administrators upload into a book, and the port of what keeps them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file that was uploaded; its path is relative to the book's root."""

    path: str
    size: int


@dataclass(frozen=True, slots=True)
class IncomingFile:
    """A file that arrives, under the name that its sender gives it."""

    name: str
    content: BinaryIO


class UploadStore(Protocol):
    """Keeps the uploaded files of each book."""

    def source(self, book_id: str) -> str | None:
        """Return the name of a book's folder, as administrators see it; None if it has none."""
        ...

    async def add(self, book_id: str, files: Sequence[IncomingFile]) -> list[StoredFile]:
        """Keep all files, or none; one of the same path is replaced, an archive is unpacked.

        InvalidInput names what cannot be kept.
        """
        ...

    async def file(self, book_id: str, path: str) -> Path | None:
        """Return where an uploaded file is; None if there is no such file."""
        ...

    async def remove(self, book_id: str, path: str) -> None:
        """Delete a file; NotFound."""
        ...

    async def remove_all(self, book_id: str) -> None:
        """Delete all files of a book, if it has any."""
        ...


class PagePictures(Protocol):
    """Draws pages of files that have pages."""

    async def picture(self, file: Path, page: int) -> bytes:
        """Return a page as PNG; BookUnreadable if it cannot be drawn, Overloaded."""
        ...
