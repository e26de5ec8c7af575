"""Builds the listing of a book's files, within limits."""

import re
from collections import Counter
from dataclasses import dataclass, replace

from sourcebook.core.book_source import (
    MARKDOWN,
    OTHER_KIND,
    FileProblem,
    Listing,
    SourceFile,
    file_kind,
)
from sourcebook.core.errors import SourceUnavailable
from sourcebook.core.ports import FileConversion

MIB = 1024 * 1024
MAX_BYTES = 2 * MIB
# A file that is converted holds more than its text.
MAX_DOCUMENT_BYTES = 50 * MIB
MAX_FILES = 50_000
MAX_DEPTH = 32
# Files of every kind, and folders: a git tree that contains itself never ends.
MAX_ENTRIES = 1_000_000
# As many kinds of other files are counted apart from each other.
MAX_KINDS = 50

_IGNORED = frozenset({"node_modules"})
# Control characters, line separators, what turns the direction of writing, and the surrogates that
# stand for bytes that are no text.
_DECEPTIVE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Limits:
    """Which files are wanted, how large one may be, and how many there may be.

    `max_bytes` is for markdown, `max_document_bytes` for files that are converted.
    """

    extensions: tuple[str, ...] = MARKDOWN
    max_bytes: int = MAX_BYTES
    max_files: int = MAX_FILES
    max_document_bytes: int = MAX_DOCUMENT_BYTES

    def with_converted(self, conversion: FileConversion | None) -> "Limits":
        """Want the files too that can be converted."""
        converted = () if conversion is None else conversion.extensions
        return replace(self, extensions=(*self.extensions, *converted))

    def wants(self, name: str) -> bool:
        return name.lower().endswith(self.extensions)

    def most_bytes(self, name: str) -> int:
        is_markdown = name.lower().endswith(MARKDOWN)
        return self.max_bytes if is_markdown else self.max_document_bytes


class ListingBuilder:
    """Collects what a walk finds. A folder's path ends in `/`; the root's is empty."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._entries = 0
        self._files: list[SourceFile] = []
        self._problems: list[FileProblem] = []
        self._unseen: list[str] = []
        self._other_files: Counter[str] = Counter()

    def accepts(self, folder: str, name: str) -> bool:
        """Return whether to visit an entry; an unusable name is recorded as a problem."""
        self._entries += 1
        if self._entries > MAX_ENTRIES:
            raise SourceUnavailable(
                f"The book's folder holds more than {MAX_ENTRIES} files and folders;"
                " point to the folder of the lessons alone"
            )
        if is_ignored(name):
            return False
        if is_deceptive(name):
            self.leave_out(folder + name, "its name is not printable text; rename it")
            return False
        return True

    @property
    def extensions(self) -> tuple[str, ...]:
        """How the names of the wanted files end."""
        return self._limits.extensions

    def wants(self, name: str) -> bool:
        return self._limits.wants(name)

    def may_enter(self, folder: str) -> bool:
        """Return whether to walk a folder; one that is too deep is recorded as unseen."""
        if folder.count("/") <= MAX_DEPTH:
            return True
        self.leave_unseen(folder, f"it lies more than {MAX_DEPTH} folders deep")
        return False

    def add(self, path: str, size: int) -> None:
        """List a file, unless it is too large: then its indexed version stays."""
        most = self._limits.most_bytes(path)
        if size > most:
            self.leave_unseen(path, f"it has {size} bytes, and {most} is the most")
            return
        if len(self._files) >= self._limits.max_files:
            raise SourceUnavailable(
                f"The book has more than {self._limits.max_files} files;"
                " point to the folder of the lessons alone, or raise the limit"
            )
        self._files.append(SourceFile(path, size))

    def pass_over(self, name: str) -> None:
        """Count a file that is of another kind."""
        kind = file_kind(name)
        known = kind in self._other_files or len(self._other_files) < MAX_KINDS
        self._other_files[kind if known else OTHER_KIND] += 1

    def leave_out(self, path: str, message: str) -> None:
        """Record why something is not part of the book."""
        self._problems.append(FileProblem(_escaped(path), message))

    def leave_link(self, path: str) -> None:
        """Record that a symbolic link is not followed, unless it is named like other files."""
        if self.wants(path) or file_kind(path) == OTHER_KIND:
            self.leave_out(path, "it is a symbolic link, and links are not followed")
        else:
            self.pass_over(path)

    def leave_unseen(self, path: str, message: str) -> None:
        """Record why something that may be part of the book could not be read."""
        self.leave_out(path, message)
        self._unseen.append(path)

    def build(
        self, source: str, commit: str | None = None, *, single_file: bool = False
    ) -> Listing:
        return Listing(
            tuple(self._files),
            tuple(self._problems),
            tuple(self._unseen),
            commit,
            dict(self._other_files),
            source,
            single_file,
        )


def is_ignored(name: str) -> bool:
    """Return whether a file or folder is never part of a book, like `.git`."""
    return name.startswith(".") or name in _IGNORED


def is_deceptive(name: str) -> bool:
    """Return whether a name could mislead a reader, a log or a URL."""
    return not name or "/" in name or _DECEPTIVE.search(name) is not None


def _escaped(path: str) -> str:
    return _DECEPTIVE.sub(lambda found: ascii(found[0])[1:-1], path)
