"""Opens the ledger and the vector store that the settings name."""

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import cast

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.ports import AdoptedCollection, Ledger, TermEncoder, VectorStore
from sourcebook.core.search_modes import SearchMode
from sourcebook.providers.declaration import Opening
from sourcebook.providers.lexical.bm25 import Bm25Encoder
from sourcebook.providers.lexical.term_indexing import TermIndexingStore
from sourcebook.providers.registry.registry import Registry
from sourcebook.service.config.data_folder import DataFolder, use_data_folder
from sourcebook.service.config.settings import Settings
from sourcebook.service.wiring.adopted_collections import adoptions, open_adopted
from sourcebook.service.wiring.process_sharing import can_share
from sourcebook.service.wiring.provider_choices import (
    EMBEDDED_STORE,
    Choice,
    chosen_card,
    open_chosen,
    store_choice,
)
from sourcebook.service.wiring.roles import check_local, database_role, storage_roles

NAMESPACE_PREFIX = "sourcebook-"
# Enough to tell installations apart, and short enough for the names that servers allow.
NAMESPACE_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Storage:
    """The ledger, its index, adopted collections; `shared` if other processes may use them.

    `terms` reads what searches by keywords look for, in the language of the settings.
    """

    ledger: Ledger
    store: VectorStore
    provider: str = EMBEDDED_STORE
    adopted: Mapping[str, AdoptedCollection] = field(default_factory=dict)
    shared: bool = False
    terms: TermEncoder | None = None
    search_mode: SearchMode = "hybrid"


@asynccontextmanager
async def open_storage(
    settings: Settings,
    folder: DataFolder,
    registry: Registry | None = None,
    *,
    alone: bool = False,
) -> AsyncIterator[Storage]:
    """Open the ledger, the vector store and the adopted collections.

    `alone` keeps other processes away from what they could share; the caller owns the folder.
    """
    registry = registry or Registry()
    choice = store_choice(settings)
    check_local(settings, storage_roles(settings, registry))
    card = chosen_card(registry, choice)
    shared = not alone and can_share(settings, registry)
    _check_names(settings)
    terms = Bm25Encoder(settings.language)
    async with open_ledger(settings, folder, shared=shared, alone=alone) as ledger:
        namespace = await namespace_of(ledger)
        opening = Opening(card.id, folder.root, folder.models, namespace)
        async with (
            _open_store(registry, choice, opening, ledger, terms) as indexing,
            open_adopted(settings, namespace, os.environ) as adopted,
        ):
            yield Storage(ledger, indexing, card.id, adopted, shared, terms, settings.search_mode)


@asynccontextmanager
async def _open_store(
    registry: Registry, choice: Choice, opening: Opening, ledger: Ledger, terms: TermEncoder
) -> AsyncIterator[VectorStore]:
    """Open the store of the settings, or the index that mirrors the ledger."""
    if opening.id != EMBEDDED_STORE:
        async with open_chosen(registry, choice, opening) as store:
            yield TermIndexingStore(cast("VectorStore", store), terms)
        return
    # NumPy takes a while to import, and not every command searches.
    from sourcebook.providers.vector_stores.mirror.store import MirrorStore  # noqa: PLC0415

    mirror = MirrorStore(ledger.mirrors, terms)
    try:
        yield mirror
    finally:
        mirror.close()


async def namespace_of(ledger: Ledger) -> str:
    """Return the name that marks what this installation has on shared servers."""
    return NAMESPACE_PREFIX + (await ledger.installation())[:NAMESPACE_DIGITS]


@asynccontextmanager
async def open_ledger(
    settings: Settings, folder: DataFolder, *, shared: bool, alone: bool = False
) -> AsyncIterator[Ledger]:
    """Open the ledger; in Postgres, `shared` with other processes or not.

    In the data folder, other processes may use it, too, unless the caller owns that `alone`.
    """
    # It imports an SDK, and not every command needs it.
    from sourcebook.providers.storage.ledger.sql_ledger import (  # noqa: PLC0415
        open_postgres_ledger,
        open_sqlite_ledger,
    )

    url = settings.ledger_url
    check_local(settings, database_role("Ledger", url, "SOURCEBOOK_LEDGER_URL"))
    if url is not None:
        async with open_postgres_ledger(url.get_secret_value(), shared=shared) as ledger:
            yield ledger
        return
    async with AsyncExitStack() as stack:
        use = None if alone else await stack.enter_async_context(use_data_folder(folder))
        ledger = await stack.enter_async_context(open_sqlite_ledger(folder.ledger))
        if use is None or use.alone:
            # Whoever held a lease has ended.
            await ledger.jobs.let_all_go()
        if use is not None:
            use.share()
        yield ledger


def _check_names(settings: Settings) -> None:
    """Refuse to adopt a collection under the name of a built-in one."""
    ours = {settings.book_collection, settings.documents_collection}
    for adoption in adoptions(settings):
        if adoption.name in ours:
            raise ConfigurationError(
                f"A collection of another tool would be called {adoption.name!r}, like one of"
                " ours: give it another name in SOURCEBOOK_ADOPTED_CONFIG, or change"
                " SOURCEBOOK_BOOK_COLLECTION or SOURCEBOOK_DOCUMENTS_COLLECTION"
            )
