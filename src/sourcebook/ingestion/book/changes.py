"""Compares the files of a book with what is indexed of them. It reads no disk."""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from sourcebook.core.book_source import FileProblem, Listing
from sourcebook.core.documents import DocumentHeader
from sourcebook.ingestion.book.lessons import BookFile

# Deleting more than this share of the documents, and more than this many, looks like an accident.
MAX_DELETED_SHARE = 0.2
MAX_DELETED = 5


@dataclass(frozen=True, slots=True)
class ScannedBook:
    """The files of a book, the paths that could not be read, and the problems to warn about.

    `unmatched` files fit no pattern, of which `unnamed` are not among the problems; `excluded`
    ones somebody chose to leave out.
    """

    files: tuple[BookFile, ...]
    unreadable: frozenset[str]
    problems: tuple[FileProblem, ...]
    listing: Listing
    unmatched: int = 0
    unnamed: int = 0
    excluded: int = 0


@dataclass(frozen=True, slots=True)
class Changes:
    """The files to add, update, keep and delete; `known` is how many documents are indexed.

    `other_source` if the files come from elsewhere than those that are indexed; `single_file` if
    somebody named one file, not a folder.
    """

    new: tuple[BookFile, ...]
    modified: tuple[BookFile, ...]
    unchanged: tuple[BookFile, ...]
    deleted: tuple[DocumentHeader, ...]
    unreadable: frozenset[str]
    known: int
    other_source: bool = False
    single_file: bool = False

    @property
    def files(self) -> int:

        return len(self.new) + len(self.modified) + len(self.unchanged) + len(self.unreadable)

    @property
    def lost(self) -> int:
        """How many documents would be gone for good, not counting those whose file moved."""
        moved = {file.file_hash for file in self.new}
        return sum(header.metadata.get("source_file_hash") not in moved for header in self.deleted)

    @property
    def alarming(self) -> bool:
        """True if so much would be deleted that a run needs `force`."""
        if self.lost and not self.files:
            return True  # not one file is left: no edit does that, however small the book was
        if self.lost and (self.single_file or (self.other_source and not self._in_common)):
            return True  # another book was named by the id of this one
        return self.lost > MAX_DELETED and self.lost > MAX_DELETED_SHARE * self.known

    @property
    def _in_common(self) -> int:
        return len(self.unchanged) + len(self.modified) + len(self.unreadable)


def compare(
    found: ScannedBook, known: Sequence[DocumentHeader], *, other_source: bool = False
) -> Changes:
    """Compare the files with the documents of the same book."""
    by_id = {header.id: header for header in known}
    listed = {file.path for file in found.listing.files}
    new: list[BookFile] = []
    modified: list[BookFile] = []
    unchanged: list[BookFile] = []
    for file in found.files:
        header = by_id.pop(file.document_id, None)
        if header is None:
            new.append(file)
        elif header.metadata.get("fingerprint") == file.fingerprint:
            unchanged.append(file)
        else:
            modified.append(file)
    return Changes(
        new=tuple(new),
        modified=tuple(modified),
        unchanged=tuple(unchanged),
        deleted=tuple(header for header in by_id.values() if _is_gone(header, found, listed)),
        unreadable=found.unreadable,
        known=len(known),
        other_source=other_source,
        single_file=found.listing.single_file,
    )


def _is_gone(header: DocumentHeader, found: ScannedBook, listed: Set[str]) -> bool:
    """A file that could not be read, or may be in a folder that could not be listed, is not gone.

    One that exists but no longer belongs to the book is: the patterns may have changed.
    """
    path = header.metadata.get("source_file")
    if "fingerprint" not in header.metadata or not isinstance(path, str):
        return False  # a client posted it into the collection
    if path in found.unreadable:
        return False
    return path in listed or not found.listing.may_exist(path)
