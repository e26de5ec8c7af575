"""Asking again and again how large a book is costs what asking once does."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from sourcebook.core.collections import Collection
from sourcebook.core.documents import DocumentHeader
from sourcebook.core.filters import Filter
from sourcebook.core.indexes import new_collection
from sourcebook.core.ports import Ledger
from sourcebook.search import lesson_lists
from sourcebook.search.book_query import BookScope
from sourcebook.search.books import MAX_COUNTED_BOOKS, Books
from sourcebook.search.searcher import Searcher
from tests.fakes import FakeEmbedder


class CountingLedger:
    """A collection of a few documents for each book, and how often they were listed."""

    def __init__(self, lessons: int = 0) -> None:
        self.lessons = lessons
        self.collection = new_collection("book", {}, FakeEmbedder())
        self.listed = 0

    async def get(self, name: str) -> Collection:
        return self.collection

    async def headers(self, collection_id: str, filter_: Filter) -> Sequence[DocumentHeader]:
        self.listed += 1
        await asyncio.sleep(0)
        return [DocumentHeader(str(n), "v", {"total_chunks": 1}) for n in range(self.lessons)]


async def test_a_book_is_counted_once_for_each_revision() -> None:
    counting = CountingLedger()
    ledger = cast(Ledger, SimpleNamespace(collections=counting, documents=counting))
    books = Books(ledger, cast(Searcher, None), "book")

    await asyncio.gather(*[books.statistics("a") for _ in range(50)])
    assert counting.listed == 1

    counting.collection = replace(counting.collection, revision=1)
    assert (await books.statistics("a")).collection == counting.collection
    assert counting.listed == 2


async def test_no_more_books_are_remembered_than_the_limit() -> None:
    counting = CountingLedger()
    ledger = cast(Ledger, SimpleNamespace(collections=counting, documents=counting))
    books = Books(ledger, cast(Searcher, None), "book")

    for number in range(3 * MAX_COUNTED_BOOKS):
        await books.statistics(str(number))

    assert len(books._counted) <= MAX_COUNTED_BOOKS


async def test_the_lessons_of_a_book_are_listed_once_for_each_revision() -> None:
    counting = CountingLedger()
    ledger = cast(Ledger, SimpleNamespace(collections=counting, documents=counting))
    books = Books(ledger, cast(Searcher, None), "book")

    await asyncio.gather(*[books.lessons(BookScope(("a",), tier)) for tier in (None, 1, 2, 3, 4)])
    assert counting.listed == 1

    counting.collection = replace(counting.collection, revision=1)
    await books.lessons(BookScope(("a",)))
    assert counting.listed == 2


async def test_no_more_lessons_are_remembered_than_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lesson_lists, "MAX_REMEMBERED_LESSONS", 5)
    counting = CountingLedger(lessons=2)
    ledger = cast(Ledger, SimpleNamespace(collections=counting, documents=counting))
    lists = lesson_lists.LessonLists(ledger)

    for book in "abc":
        await lists.within(counting.collection, BookScope((book,)))

    assert list(lists._listed) == ["b", "c"]
