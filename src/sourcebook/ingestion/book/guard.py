"""Refuses a run that looks like an accident: it would delete much, or it finds nothing."""

from sourcebook.core.book_source import MARKDOWN, describe_kinds
from sourcebook.core.errors import Conflict, NotFound
from sourcebook.core.jobs import JobRequest
from sourcebook.ingestion.book.changes import Changes, ScannedBook
from sourcebook.ingestion.book.layout import FOLDERS, LESSONS, Layout

_WORDS = {
    LESSONS: "'module-N-name/chapter-N-name/NN-lesson.md'",
    FOLDERS: f"any {', '.join(MARKDOWN)} file, and other documents",
}


def refuse_accident(
    request: JobRequest, changes: Changes, found: ScannedBook, layout: Layout
) -> None:
    """Raise Conflict or NotFound, with what to do, unless the run makes sense or is forced."""
    if changes.alarming and not request.force:
        raise Conflict(_would_delete(request, changes, found, layout))
    # Forced, the last file of a book may go; but where nothing was, nothing is no success.
    if not changes.files and not changes.deleted:
        raise NotFound(_nothing_found(found, layout))


def _would_delete(request: JobRequest, changes: Changes, found: ScannedBook, layout: Layout) -> str:
    stopped = (
        f"The run would delete {changes.lost} of {changes.known} documents, so it stopped and"
        " deleted nothing."
    )
    if found.listing.single_file or changes.other_source:
        return (
            f"{stopped} Book {request.book_id!r} was indexed from other files than"
            f" {_place(found)}. Give these another book id (--book), or replace the book with"
            " --force"
        )
    if found.unmatched or found.excluded:
        return (
            f"{stopped} {_there(found)}; the patterns are {_patterns(layout)}. If they are right,"
            " run it again with --force; else say with --pattern which files are lessons"
        )
    return (
        f"{stopped} If the files are really gone, run it again with force; else check"
        " that the docs folder is complete"
    )


def _nothing_found(found: ScannedBook, layout: Layout) -> str:
    kinds = describe_kinds(found.listing.other_files)
    not_read = f" ({kinds} not read)" if kinds else ""
    choose = ", or say with --pattern or SOURCEBOOK_BOOK_PATTERNS which files are lessons"
    return (
        f"No lesson was found in {_place(found)}: {_there(found)}{not_read}. Looked for"
        f" {_patterns(layout)}. Check the path{choose if found.listing.files else ''}"
    )


def _place(found: ScannedBook) -> str:
    return repr(found.listing.source) if found.listing.source else "the book's files"


def _there(found: ScannedBook) -> str:
    listed, excluded = len(found.listing.files), found.excluded
    if not listed:
        return "there is no file that can be read"
    if listed == excluded:
        return f"all of its {listed} files are excluded"
    fits = f"{listed - excluded - len(found.files)} of its {listed} files fit no pattern"
    return f"{fits}, {excluded} are excluded" if excluded else fits


def _patterns(layout: Layout) -> str:
    return ", ".join(_WORDS.get(pattern) or repr(pattern) for pattern in layout.patterns)
