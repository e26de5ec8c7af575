"""Books as readers see them: search, context around a hit, whole lessons, statistics."""

import asyncio
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sourcebook.core.chunk_sections import section_of_part
from sourcebook.core.collections import Collection
from sourcebook.core.documents import (
    Chunk,
    DocumentHeader,
    Hit,
    WholeDocument,
    chunk_count,
)
from sourcebook.core.errors import NotFound
from sourcebook.core.filters import OneOf
from sourcebook.core.lesson_headings import LessonHeadings, headings_of
from sourcebook.core.ports import Ledger
from sourcebook.search.book_query import BookQuery, BookScope
from sourcebook.search.explanation import FoundHits
from sourcebook.search.lesson_lists import LessonLists
from sourcebook.search.searcher import Searcher

# Of so many books the statistics are remembered.
MAX_COUNTED_BOOKS = 100


@dataclass(frozen=True, slots=True)
class BookStatistics:
    """What is indexed of a book; `collection` is None as long as nothing was."""

    collection: Collection | None
    files: int
    chunks: int
    chunks_by_module: dict[str, int]


class Books:
    """Reads the collection of the books. What lies beyond a reader's scope does not exist."""

    def __init__(self, ledger: Ledger, searcher: Searcher, collection_name: str) -> None:
        self._ledger = ledger
        self._searcher = searcher
        self._name = collection_name
        self._counted: dict[str, BookStatistics] = {}
        self._counting = asyncio.Lock()
        self._named: tuple[Collection, tuple[str, ...]] | None = None
        self._lists = LessonLists(ledger)

    async def search(self, query: BookQuery) -> FoundHits:
        """The chunks that fit the question best; none if nothing is indexed yet."""
        try:
            found = await self._searcher.search(
                self._name,
                query.text,
                query.limit,
                query.filter,
                least_score=query.least_score,
                mode=query.mode,
                correct_spelling=True,
            )
        except NotFound:
            return FoundHits()
        return FoundHits(replace(found, hits=tuple(map(_at_its_section, found.hits))))

    async def lesson(self, scope: BookScope, document_id: str) -> WholeDocument:
        """A lesson with all its chunks in order."""
        collection = await self._collection()
        whole = None
        if collection is not None:
            whole = await self._ledger.documents.whole(collection.id, document_id)
        if whole is None or not whole.chunks or not _visible(scope, whole):
            raise NotFound("Lesson not found")
        return whole

    async def context(
        self, scope: BookScope, chunk_id: str, previous: int, following: int
    ) -> tuple[Chunk, ...]:
        """A chunk with so many before and after it, in reading order."""
        collection = await self._collection()
        document_id = None
        if collection is not None:
            document_id = await self._ledger.documents.document_of(collection.id, chunk_id)
        if collection is None or document_id is None:
            raise NotFound("Chunk not found")
        whole = await self._ledger.documents.whole(collection.id, document_id)
        chunks = whole.chunks if whole is not None and _visible(scope, whole) else ()
        for place, chunk in enumerate(chunks):
            if chunk.id == chunk_id:
                return chunks[max(0, place - previous) : place + following + 1]
        raise NotFound("Chunk not found")

    async def statistics(self, book_id: str) -> BookStatistics:
        """How much of a book is indexed; counted once for each revision of the collection."""
        collection = await self._collection()
        if collection is None:
            return BookStatistics(None, 0, 0, {})
        # One at a time: for fifty thousand files it takes seconds.
        async with self._counting:
            known = self._counted.get(book_id)
            if known is None or known.collection != collection:
                if len(self._counted) >= MAX_COUNTED_BOOKS:
                    self._counted.clear()
                known = self._counted[book_id] = await self._count(collection, book_id)
        return known

    async def statistics_of(self, book_ids: Sequence[str]) -> BookStatistics:
        """How much of these books together is indexed."""
        each = [await self.statistics(book_id) for book_id in book_ids]
        by_module = sum((Counter(one.chunks_by_module) for one in each), Counter[str]())
        return BookStatistics(
            collection=each[0].collection,
            files=sum(one.files for one in each),
            chunks=by_module.total(),
            chunks_by_module=dict(by_module),
        )

    async def _count(self, collection: Collection, book_id: str) -> BookStatistics:
        headers = await self._ledger.documents.headers(collection.id, OneOf("book_id", (book_id,)))
        by_module = await asyncio.to_thread(_chunks_by_module, headers)
        return BookStatistics(collection, len(headers), by_module.total(), dict(by_module))

    async def names(self) -> tuple[str, ...]:
        """The books that have something to read; listed once for each revision."""
        collection = await self._collection()
        if collection is None:
            return ()
        if self._named is None or self._named[0] != collection:
            found = await self._ledger.documents.field_values(collection.id, "book_id")
            self._named = collection, tuple(sorted(found))
        return self._named[1]

    async def state(self) -> tuple[str, int] | None:
        """The collection and its revision, which every change raises; None without a book."""
        collection = await self._collection()
        return None if collection is None else (collection.id, collection.revision)

    async def lessons(self, scope: BookScope) -> list[DocumentHeader]:
        """The lessons within the scope that have any text, book by book, in reading order.

        That is the order of their paths, but a folder's own page comes first and 10 after 9.
        """
        collection = await self._collection()
        return [] if collection is None else await self._lists.within(collection, scope)

    async def some_headings(self, book_id: str, lessons: int) -> list[LessonHeadings]:
        """The headings of so many lessons, spread evenly over the book, by path."""
        collection = await self._collection()
        if collection is None:
            return []
        filled = sorted(await self.lessons(BookScope((book_id,))), key=_path)
        step = max(1, math.ceil(len(filled) / lessons))
        chosen = [
            await self._ledger.documents.whole(collection.id, header.id)
            for header in filled[::step]
        ]
        return [headings_of(whole) for whole in chosen if whole is not None]

    async def _collection(self) -> Collection | None:
        try:
            return await self._ledger.collections.get(self._name)
        except NotFound:
            return None


def _chunks_by_module(headers: Sequence[DocumentHeader]) -> Counter[str]:
    by_module: Counter[str] = Counter()
    for header in headers:
        module = header.metadata.get("module")
        by_module[module if isinstance(module, str) else ""] += chunk_count(header.metadata)
    return by_module


def _path(header: DocumentHeader) -> str:
    return str(header.metadata.get("source_file"))


def _at_its_section(hit: Hit) -> Hit:
    """Name the section that was found, rather than the one that most of its chunk is under."""
    chunk = hit.chunk
    section = None if hit.part is None else section_of_part(chunk.metadata, hit.part)
    if section is None:
        return hit
    about = {"section_title": section.title or None, "anchor": section.anchor or None}
    return replace(hit, chunk=replace(chunk, metadata={**chunk.metadata, **about}))


def _visible(scope: BookScope, whole: WholeDocument) -> bool:
    """The document and every one of its chunks must be within the scope."""
    return scope.includes(whole.document.metadata) and all(
        scope.includes(chunk.metadata) for chunk in whole.chunks
    )
