"""Keeps the catalog of a readable store in line with the ledger."""

from sourcebook.core.ports import CollectionLedger, ReadableStore, VectorStore


async def update_catalog(collections: CollectionLedger, store: VectorStore) -> None:
    """Describe the live collections in the store, if it is one that can restore them."""
    if isinstance(store, ReadableStore):
        await store.describe(await collections.all())
