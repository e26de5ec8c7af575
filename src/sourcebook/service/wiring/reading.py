"""Opens a book that nothing is written to."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.providers.registry.registry import Registry
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import Settings
from sourcebook.service.wiring.background import repair
from sourcebook.service.wiring.ingestion import BookParts, assemble_book, book_config
from sourcebook.service.wiring.models import entries_or_bundled, open_models
from sourcebook.service.wiring.storage import Storage, open_storage


@dataclass(frozen=True, slots=True)
class BookToRead:
    """An open book that nothing is written to."""

    storage: Storage
    models: EmbeddingModels
    parts: BookParts


@asynccontextmanager
async def open_book_to_read(
    settings: Settings, folder: DataFolder, registry: Registry
) -> AsyncIterator[BookToRead]:
    """Open the book. Queued jobs keep waiting: a reader has no sources."""
    config = book_config(settings, folder)
    async with AsyncExitStack() as stack:
        entries = entries_or_bundled(settings)
        models = await open_models(settings, folder, entries, stack, registry)
        storage = await stack.enter_async_context(open_storage(settings, folder, registry))
        if not storage.shared:
            await repair(storage.ledger, storage.store)
        book = assemble_book(storage.ledger, storage.store, models, config)
        yield BookToRead(storage, models, book)
