"""Asking again and again how large a book is costs what asking once does."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

from sourcebook.core.collections import Collection
from sourcebook.core.documents import DocumentHeader
from sourcebook.core.filters import Filter
from sourcebook.core.indexes import new_collection
from sourcebook.core.ports import Ledger
from sourcebook.search.books import MAX_COUNTED_BOOKS, Books
from sourcebook.search.searcher import Searcher
from tests.fakes import FakeEmbedder


class CountingLedger:
    """A collection without documents, and how often they were listed."""

    def __init__(self) -> None:
        self.collection = new_collection("book", {}, FakeEmbedder())
        self.listed = 0

    async def get(self, name: str) -> Collection:
        return self.collection

    async def headers(self, collection_id: str, filter_: Filter) -> Sequence[DocumentHeader]:
        self.listed += 1
        await asyncio.sleep(0)
        return []


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
