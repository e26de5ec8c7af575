"""The role of converters: they turn files of other formats into markdown."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from sourcebook.core.documents import ConvertedDocument


class Certainty(IntEnum):
    """How surely a file is of a format, by its content."""

    NONE = 0
    # It may be, like any text: only the file's name can tell.
    POSSIBLE = 1
    STRUCTURE = 2
    MAGIC_BYTES = 3


@dataclass(frozen=True, slots=True)
class FileFormat:
    """The converter that reads a file. It is part of the fingerprint of what it makes."""

    id: str
    version: int

    def __str__(self) -> str:
        return f"{self.id} {self.version}"


class Converter(Protocol):
    """Turns files of one format into markdown. It runs in a process of its own, with limits."""

    @property
    def version(self) -> int:
        """Raised whenever the same file would give another text or other locations."""
        ...

    @property
    def extensions(self) -> tuple[str, ...]:
        """How the names of such files usually end, in small letters, with the dot."""
        ...

    def recognize(self, content: bytes) -> Certainty:
        """Say how surely this is a file of the format. Quick: it parses nothing."""
        ...

    def convert(self, content: bytes) -> ConvertedDocument:
        """Convert a file; BookUnreadable if it is damaged or locked. Blocking."""
        ...


class FileConversion(Protocol):
    """Chooses the converter of a file by its content, and runs it."""

    @property
    def extensions(self) -> tuple[str, ...]:
        """How the names of all files end that can be converted. Markdown is not among them."""
        ...

    def recognize(self, path: str, content: bytes) -> FileFormat | None:
        """Return the format of a file; None for markdown, which is read as it is.

        BookUnreadable if its content is of no format that can be read. Blocking.
        """
        ...

    async def convert(self, file_format: FileFormat, content: bytes) -> ConvertedDocument:
        """Convert a file; BookUnreadable, with what is wrong with it."""
        ...
