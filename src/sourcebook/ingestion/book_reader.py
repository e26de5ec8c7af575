"""Reads the files of a book: finds them, tells what changed, and cuts them into lessons."""

import asyncio
from collections.abc import AsyncIterator, Sequence

from sourcebook.core.books import BookTree, BookUnreadable, FileProblem
from sourcebook.core.errors import InvalidInput
from sourcebook.core.ports import Embedder
from sourcebook.ingestion.changes import Found
from sourcebook.ingestion.layout import Layout
from sourcebook.ingestion.lessons import BookFile, Lesson, book_file, decode, read_lesson
from sourcebook.ingestion.reporting import Report

# Lessons are handed on together when they have so many chunks: enough for the embedder to sort
# them by length, few enough to be held in memory many times over.
GROUP_CHUNKS = 128


class BookReader:
    """Reads one tree for one book."""

    def __init__(self, tree: BookTree, layout: Layout, book_id: str, embedder: Embedder) -> None:
        self._tree = tree
        self._layout = layout
        self._book_id = book_id
        self._embedder = embedder

    async def find(self) -> Found:
        """Hash every file that belongs to the book."""
        listing = self._tree.listing
        files: list[BookFile] = []
        problems = list(listing.problems)
        unreadable: set[str] = set()
        for entry in listing.files:
            place = self._layout.place(entry.path)
            if place is None:
                problems.append(FileProblem(entry.path, "The path fits no pattern of the book"))
                continue
            try:
                content = await self._tree.read(entry.path)
            except BookUnreadable as error:
                unreadable.add(entry.path)
                problems.append(FileProblem(entry.path, error.message))
                continue
            revision = self._embedder.revision
            files.append(book_file(self._book_id, entry.path, place, content, revision))
        return Found(tuple(files), frozenset(unreadable), tuple(problems), listing)

    async def lessons(
        self, files: Sequence[BookFile], report: Report
    ) -> AsyncIterator[list[Lesson]]:
        """The lessons of these files, in groups. A file that cannot be read is left as it was."""
        group: list[Lesson] = []
        for file in files:
            report.at(file.path)
            # One by one: the tokens of a long file take forty times the room of its text.
            lesson = await self._read(file, report)
            if lesson is None:
                continue
            group.append(lesson)
            if sum(len(lesson.chunks) for lesson in group) >= GROUP_CHUNKS:
                yield group
                group = []
        if group:
            yield group

    async def _read(self, file: BookFile, report: Report) -> Lesson | None:
        try:
            content = await self._tree.read(file.path)
            # As it is now: it may have changed since it was compared.
            current = book_file(
                self._book_id, file.path, file.place, content, self._embedder.revision
            )
            source = decode(content)
        except (BookUnreadable, InvalidInput) as error:
            report.warn([FileProblem(file.path, error.message)])
            report.add(files_failed=1, files_skipped=1, files_left=-1)
            return None
        (tokens,) = await self._embedder.tokenize([source])
        lesson = await asyncio.to_thread(read_lesson, self._book_id, current, source, tokens)
        report.warn(FileProblem(file.path, warning) for warning in lesson.warnings)
        return lesson
