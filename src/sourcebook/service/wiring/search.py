"""Opens what a search of the book needs, without what answers questions."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.providers.registry.registry import Registry
from sourcebook.search.books import Books
from sourcebook.search.default_books import DefaultBooks
from sourcebook.search.searcher import Searcher
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import Settings, local_unless_told
from sourcebook.service.wiring.reading import BookToRead, open_book_to_read
from sourcebook.service.wiring.watched_parts import WatchedIndex
from sourcebook.surfaces.use_cases import BookRules

if TYPE_CHECKING:
    from sourcebook.surfaces.use_cases import UseCases


@dataclass(frozen=True, slots=True)
class SearchParts:
    """What searches the book."""

    books: Books
    book: BookToRead

    @property
    def default_books(self) -> DefaultBooks:
        return self.book.parts.default_books

    @property
    def book_rules(self) -> BookRules:
        return self.book.parts.rules

    def use_cases(self) -> "UseCases":
        """Build the use cases that say why nothing was found; their answers are quotes."""
        # Their imports would take a tenth of a search.
        from sourcebook.service.wiring.use_cases import build_use_cases  # noqa: PLC0415

        return build_use_cases(self.book.storage, self.book.models, None, self.book.parts)


@asynccontextmanager
async def open_to_search(settings: Settings, folder: DataFolder) -> AsyncIterator[SearchParts]:
    """Open what a search needs."""
    async with open_book_to_read(local_unless_told(settings), folder, Registry()) as book:
        storage = book.storage
        searcher = Searcher(
            storage.ledger,
            WatchedIndex(storage.store),
            book.models,
            adopted=storage.adopted,
            terms=storage.terms,
            default_mode=storage.search_mode,
        )
        yield SearchParts(Books(storage.ledger, searcher, book.parts.collection), book)
