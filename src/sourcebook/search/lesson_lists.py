"""Remembers the table of contents of books: for tens of thousands of files it takes seconds."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sourcebook.core.collections import Collection
from sourcebook.core.documents import DocumentHeader, chunk_count
from sourcebook.core.filters import OneOf
from sourcebook.core.ports import Ledger
from sourcebook.core.reading_order import Key, reading_order
from sourcebook.search.book_query import BookScope

# Of all books together, about 1 KB each. One book has at most half of them.
MAX_REMEMBERED_LESSONS = 100_000
# What scopes and tables of contents need to know of a lesson.
FIELDS = frozenset(
    {
        *("book_id", "hardware_tier", "source_file", "module", "chapter", "lesson"),
        *("lesson_title", "lesson_path", "lesson_description", "proficiency_level"),
    }
)


@dataclass(frozen=True, slots=True)
class _Listed:
    collection: Collection
    lessons: tuple[DocumentHeader, ...]


class LessonLists:
    """Lists the lessons of a book, once for each revision of the collection."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._listed: OrderedDict[str, _Listed] = OrderedDict()
        self._listing = asyncio.Lock()

    async def within(self, collection: Collection, scope: BookScope) -> list[DocumentHeader]:
        """The lessons within the scope that have any text, book by book, in reading order."""
        # One at a time: others wait for the same list, or would only make it slower.
        async with self._listing:
            books = [await self._of_book(collection, book_id) for book_id in scope.book_ids]
            lessons = [lesson for book in books for lesson in book]
            if scope.hardware_tier is None:
                return lessons
            return await asyncio.to_thread(_matching, lessons, scope)

    async def _of_book(self, collection: Collection, book_id: str) -> tuple[DocumentHeader, ...]:
        known = self._listed.get(book_id)
        if known is None or known.collection != collection:
            known = await self._list(collection, book_id)
            self._remember(book_id, known)
        return known.lessons

    async def _list(self, collection: Collection, book_id: str) -> _Listed:
        filter_ = OneOf("book_id", (book_id,))
        headers = await self._ledger.documents.headers(collection.id, filter_)
        return _Listed(collection, await asyncio.to_thread(_in_reading_order, headers))

    def _remember(self, book_id: str, listed: _Listed) -> None:
        self._listed[book_id] = listed
        self._listed.move_to_end(book_id)
        while sum(len(one.lessons) for one in self._listed.values()) > MAX_REMEMBERED_LESSONS:
            self._listed.popitem(last=False)


def _in_reading_order(headers: Sequence[DocumentHeader]) -> tuple[DocumentHeader, ...]:
    filled = [
        replace(header, metadata={k: v for k, v in header.metadata.items() if k in FIELDS})
        for header in headers
        if chunk_count(header.metadata)
    ]
    return tuple(sorted(filled, key=_place))


def _place(header: DocumentHeader) -> Key:
    return reading_order(str(header.metadata.get("source_file")))


def _matching(lessons: Sequence[DocumentHeader], scope: BookScope) -> list[DocumentHeader]:
    filter_ = scope.filter
    return [one for one in lessons if filter_.matches(one.metadata)]
