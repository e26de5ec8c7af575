"""Reads the files of a book and splits them into lessons."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Never

from sourcebook.core.book_source import MARKDOWN, BookTree, FileProblem, Listing, file_kind
from sourcebook.core.documents import ConvertedDocument
from sourcebook.core.errors import BookUnreadable, InvalidInput
from sourcebook.core.ports import Embedder, FileConversion, FileFormat
from sourcebook.ingestion.book.changes import ScannedBook
from sourcebook.ingestion.book.encoding import decode
from sourcebook.ingestion.book.layout import Layout
from sourcebook.ingestion.book.lessons import (
    BookFile,
    LessonDocument,
    book_file,
    read_lesson,
)
from sourcebook.ingestion.book.place import Place
from sourcebook.ingestion.chunking.limits import ChunkLimits
from sourcebook.ingestion.job_runner import JobReport

log = logging.getLogger(__name__)

# Lessons are handed on as a group once they have as many chunks: few at first, so that whoever
# waits sees progress soon, then enough for the embedder to sort them by length, and not too many to
# hold several groups in memory.
FIRST_GROUP_CHUNKS = 16
MAX_GROUP_CHUNKS = 128
# As many files that fit no pattern are named: the others are counted, to leave room for warnings
# about lessons.
MAX_NAMED_UNMATCHED = 20


class BookReader:
    """Reads the files of one book from one source tree."""

    def __init__(
        self,
        tree: BookTree,
        layout: Layout,
        book_id: str,
        embedder: Embedder,
        *,
        limits: ChunkLimits,
        conversion: FileConversion,
        unreadable_tier: int,
    ) -> None:
        self._tree = tree
        self._layout = layout
        self._book_id = book_id
        self._embedder = embedder
        self._limits = limits
        self._conversion = conversion
        self._unreadable_tier = unreadable_tier
        self._pages = {file.path: file for file in tree.listing.files if file.url is not None}

    async def scan(self) -> ScannedBook:
        """Fingerprint every file that belongs to the book."""
        listing = self._tree.listing
        # In a thread: very many paths take long enough to keep others waiting.
        places = await asyncio.to_thread(_places, self._layout, listing)
        unmatched = [path for path, place in places.items() if place is None]
        # Of other files than markdown it is enough to say how many of each kind are not read.
        unread = Counter(file_kind(path) for path in unmatched if not _is_markdown(path))
        unmatched = [path for path in unmatched if _is_markdown(path)]
        files: list[BookFile] = []
        unreadable: dict[str, FileProblem] = {}
        for path, place in places.items():
            if place is None:
                continue
            try:
                files.append(await self._book_file(path, place, await self._tree.read(path)))
            except BookUnreadable as error:
                unreadable[path] = FileProblem(path, error.message)
        return ScannedBook(
            files=tuple(files),
            unreadable=frozenset(unreadable) | self._unseen_lessons(),
            problems=(*listing.problems, *unreadable.values(), *_unmatched_problems(unmatched)),
            listing=replace(listing, other_files=unread + Counter(listing.other_files)),
            unmatched=len(unmatched),
            unnamed=max(0, len(unmatched) - MAX_NAMED_UNMATCHED),
            excluded=len(listing.files) - len(places),
        )

    def _unseen_lessons(self) -> set[str]:
        """The files that are too large or cannot be opened: they fail like one that is no text."""
        unseen = self._tree.listing.unseen
        files = (path for path in unseen if not path.endswith("/"))
        return {
            path for path in files if self._layout.place(path) and not self._layout.excludes(path)
        }

    async def lessons(
        self, files: Sequence[BookFile], report: JobReport
    ) -> AsyncIterator[list[LessonDocument]]:
        """Yield the lessons of these files in groups; an unreadable file stays as it is indexed."""
        group: list[LessonDocument] = []
        enough = FIRST_GROUP_CHUNKS
        for file in files:
            report.at(file.path)
            # One by one: the tokens of a long file take forty times the memory of its text.
            lesson = await self._read(file, report)
            if lesson is None:
                continue
            group.append(lesson)
            if sum(len(lesson.chunks) for lesson in group) >= enough:
                yield group
                group = []
                enough = min(2 * enough, MAX_GROUP_CHUNKS)
        if group:
            yield group

    async def text(self, file: BookFile) -> str:
        """Return the text that the chunks of a file are cut from; BookUnreadable, InvalidInput."""
        return (await self._document(file, await self._tree.read(file.path))).text

    async def _read(self, file: BookFile, report: JobReport) -> LessonDocument | None:
        try:
            content = await self._tree.read(file.path)
            # Fingerprinted again: the file may have changed since it was compared.
            current = await self._book_file(file.path, file.place, content)
            document = await self._document(current, content)
        except (BookUnreadable, InvalidInput) as error:
            _warn(report, file.path, error.message)
            report.add(files_failed=1, files_skipped=1, files_left=-1)
            return None
        (tokens,) = await self._embedder.tokenize([document.text])
        lesson = await asyncio.to_thread(
            read_lesson, self._book_id, current, document, tokens, self._limits
        )
        for warning in lesson.warnings:
            _warn(report, file.path, warning)
        return lesson

    async def _document(self, file: BookFile, content: bytes) -> ConvertedDocument:
        if file.format is None:
            return ConvertedDocument(decode(content))
        return await self._conversion.convert(file.format, content)

    async def _book_file(self, path: str, place: Place, content: bytes) -> BookFile:
        # In a thread: a large file takes a while to hash and to look through.
        return await asyncio.to_thread(self._fingerprinted, path, place, content)

    def _fingerprinted(self, path: str, place: Place, content: bytes) -> BookFile:
        page = self._pages.get(path)
        is_markdown = page is not None and page.is_markdown
        return book_file(
            self._book_id,
            path,
            place,
            content,
            self._embedder.revision,
            limits=self._limits,
            file_format=None if is_markdown else self._conversion.recognize(path, content),
            url=None if page is None else page.url,
            unreadable_tier=self._unreadable_tier,
        )


class MarkdownOnly:
    """A `FileConversion` for a service that converts nothing."""

    extensions: tuple[str, ...] = ()

    def recognize(self, path: str, content: bytes) -> None:
        """Say of every file that it is markdown."""

    async def convert(self, file_format: FileFormat, content: bytes) -> Never:
        """Never called: no file has a format."""
        raise BookUnreadable(f"There is no converter {file_format}")


def _is_markdown(path: str) -> bool:
    return path.lower().endswith(MARKDOWN)


def _places(layout: Layout, listing: Listing) -> dict[str, Place | None]:
    """Return the places of all files that are not excluded; None for one that fits no pattern."""
    paths = (file.path for file in listing.files)
    return {path: layout.place(path) for path in paths if not layout.excludes(path)}


def _unmatched_problems(paths: Sequence[str]) -> list[FileProblem]:
    message = "The path fits no pattern of the book"
    return [FileProblem(path, message) for path in paths[:MAX_NAMED_UNMATCHED]]


def _warn(report: JobReport, path: str, message: str) -> None:
    """Report a problem, and log it: once for each version of a file, since only new ones are read.

    The job's own report is gone with the job.
    """
    report.warn([FileProblem(path, message)])
    log.warning("file_problem", extra={"path": path, "problem": message})
