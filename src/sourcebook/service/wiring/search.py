"""Opens what a search of the book needs, without what answers questions."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.providers.registry.registry import Registry
from sourcebook.search.books import Books
from sourcebook.search.default_book import DefaultBook
from sourcebook.search.searcher import Searcher
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import Settings, local_unless_told
from sourcebook.service.wiring.background import repair
from sourcebook.service.wiring.ingestion import BookParts, assemble_book, book_config
from sourcebook.service.wiring.models import entries_or_bundled, open_models
from sourcebook.service.wiring.storage import Storage, open_storage
from sourcebook.service.wiring.watched_parts import watched_index
from sourcebook.surfaces.use_cases import BookRules

if TYPE_CHECKING:
    from sourcebook.surfaces.use_cases import UseCases


@dataclass(frozen=True, slots=True)
class SearchParts:
    """What searches the book."""

    books: Books
    book: BookParts
    storage: Storage
    models: EmbeddingModels

    @property
    def default_book(self) -> DefaultBook:
        return self.book.default_book

    @property
    def book_rules(self) -> BookRules:
        return self.book.rules

    def use_cases(self) -> "UseCases":
        """Build the use cases that say why nothing was found; their answers are quotes."""
        # Their imports would take a tenth of a search.
        from sourcebook.service.wiring.use_cases import build_use_cases  # noqa: PLC0415

        return build_use_cases(self.storage, self.models, None, self.book)


@asynccontextmanager
async def open_to_search(settings: Settings, folder: DataFolder) -> AsyncIterator[SearchParts]:
    """Open what a search needs. Queued jobs keep waiting: a reader has no sources."""
    settings = local_unless_told(settings)
    config, registry = book_config(settings, folder), Registry()
    async with AsyncExitStack() as stack:
        entries = entries_or_bundled(settings)
        models = await open_models(settings, folder, entries, stack, registry)
        storage = await stack.enter_async_context(open_storage(settings, folder, registry))
        if not storage.shared:
            await repair(storage.ledger, storage.store)
        book = assemble_book(storage.ledger, storage.store, models, config)
        searcher = Searcher(
            storage.ledger,
            watched_index(storage.store),
            models,
            adopted=storage.adopted,
            terms=storage.terms,
            default_mode=storage.search_mode,
        )
        books = Books(storage.ledger, searcher, book.collection)
        yield SearchParts(books, book, storage, models)
