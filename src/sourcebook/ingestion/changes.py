"""What differs between a book's files and what is indexed of them. It reads no disk."""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from sourcebook.core.books import FileProblem, Listing
from sourcebook.core.documents import DocumentHeader
from sourcebook.ingestion.lessons import BookFile

# Losing more than this share of the documents, and more than this many, is taken for an accident.
MAX_DELETED_SHARE = 0.2
MAX_DELETED = 5


@dataclass(frozen=True, slots=True)
class Found:
    """The files of a book, the paths that could not be read, and what there is to warn of."""

    files: tuple[BookFile, ...]
    unreadable: frozenset[str]
    problems: tuple[FileProblem, ...]
    listing: Listing


@dataclass(frozen=True, slots=True)
class Changes:
    """What a run would do."""

    new: tuple[BookFile, ...]
    modified: tuple[BookFile, ...]
    unchanged: tuple[BookFile, ...]
    deleted: tuple[DocumentHeader, ...]
    unreadable: frozenset[str]
    known: int

    @property
    def files(self) -> int:
        """How many files the book has."""
        return len(self.new) + len(self.modified) + len(self.unchanged) + len(self.unreadable)

    @property
    def lost(self) -> int:
        """How many documents would be gone for good: a file that was moved is not lost."""
        moved = {file.file_hash for file in self.new}
        return sum(header.metadata.get("source_file_hash") not in moved for header in self.deleted)

    @property
    def alarming(self) -> bool:
        """Tell whether so much would be deleted that somebody should be asked first."""
        if self.lost and not self.files:
            return True  # not one file is left: that is no edit, however small the book was
        return self.lost > MAX_DELETED and self.lost > MAX_DELETED_SHARE * self.known


def compare(found: Found, known: Sequence[DocumentHeader]) -> Changes:
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
    )


def _is_gone(header: DocumentHeader, found: Found, listed: Set[str]) -> bool:
    """A file that could not be read, or may lie where we could not look, is not gone.

    One that is there and belongs to the book no longer is: the patterns may have changed.
    """
    path = header.metadata.get("source_file")
    if "fingerprint" not in header.metadata or not isinstance(path, str):
        return False  # somebody else posted it into the collection
    if path in found.unreadable:
        return False
    return path in listed or not found.listing.may_exist(path)
