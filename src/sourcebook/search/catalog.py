"""The catalog of collections: create, describe, change and remove them."""

from collections.abc import Mapping

from sourcebook.core.collections import MODEL_KEY, Collection, check_name
from sourcebook.core.documents import Page
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import InvalidInput, NotFound
from sourcebook.core.filters import Filter
from sourcebook.core.indexes import DISTANCE, fresh_index, new_collection
from sourcebook.core.metadata import JsonValue, Metadata, check_metadata
from sourcebook.core.ports import AdoptedCollection, Ledger, VectorStore
from sourcebook.search.adopted import (
    NO_COLLECTIONS,
    describe,
    describe_reachable,
    not_listable_error,
    read_only_error,
)


class Catalog:
    """Knows the collections and which model each of them uses.

    Adopted ones are described beside ours and cannot be changed. Of two with the same name, ours
    is meant.
    """

    def __init__(
        self,
        ledger: Ledger,
        store: VectorStore,
        models: EmbeddingModels,
        *,
        adopted: Mapping[str, AdoptedCollection] = NO_COLLECTIONS,
    ) -> None:
        self._ledger = ledger
        self._store = store
        self._models = models
        self._adopted = adopted

    async def create(self, name: str, metadata: Metadata, model_id: str | None) -> Collection:
        """Create an empty collection that embeds with a loaded model."""
        check_name(name)
        await self.check_writable(name)
        check_metadata(metadata)
        collection = new_collection(name, metadata, self._models.chosen(model_id))
        async with fresh_index(self._store, collection.generation, metadata):
            await self._ledger.collections.create(collection)
        return collection

    async def get(self, name: str) -> Collection:
        """The collection of that name; NotFound if there is none."""
        adopted = await self._adopted_by(name)
        if adopted is None:
            return await self._ledger.collections.get(name)
        return describe(adopted, self._models, await adopted.count())

    async def all(self) -> list[Collection]:
        """Every collection, by name; of the adopted ones those whose store answers."""
        ours = await self._ledger.collections.all()
        if not self._adopted:
            return ours
        names = {collection.name for collection in ours}
        others = [one for name, one in self._adopted.items() if name not in names]
        found = [*ours, *await describe_reachable(others, self._models)]
        return sorted(found, key=lambda collection: collection.name)

    async def check_writable(self, name: str) -> None:
        """Refuse the name of an adopted collection; any other name is for others to check."""
        if await self._adopted_by(name) is not None:
            raise read_only_error(name)

    async def delete(self, name: str) -> None:
        """Remove a collection with all its documents."""
        await self.check_writable(name)
        await self._ledger.collections.delete(name)

    async def set_metadata(self, name: str, metadata: Metadata, *, merge: bool) -> Collection:
        """Merge into the metadata, or replace them. The model stays unless it is named.

        Another loaded model takes over with the first document of an empty collection. Elsewhere
        the collection goes on answering with the old one until it is re-indexed.
        """
        check_metadata(metadata)
        _check_model(metadata)
        await self.check_writable(name)
        return await self._ledger.collections.change_metadata(
            name, lambda old: _changed(old, metadata, merge=merge)
        )

    async def documents(self, name: str, filter_: Filter, limit: int, offset: int) -> Page:
        """The documents whose metadata match."""
        collection = await self._ours(name)
        return await self._ledger.documents.find(collection.id, filter_, limit, offset)

    async def field_values(self, name: str, field: str) -> list[str]:
        """The distinct values of a metadata field, as sorted text."""
        collection = await self._ours(name)
        return sorted(await self._ledger.documents.field_values(collection.id, field))

    async def _ours(self, name: str) -> Collection:
        if await self._adopted_by(name) is not None:
            raise not_listable_error(name)
        return await self._ledger.collections.get(name)

    async def _adopted_by(self, name: str) -> AdoptedCollection | None:
        """The adopted collection that a name means. The ledger is asked only if there is one."""
        adopted = self._adopted.get(name)
        if adopted is None:
            return None
        try:
            await self._ledger.collections.get(name)
        except NotFound:
            return adopted
        return None


def _changed(old: Metadata, given: Metadata, *, merge: bool) -> Metadata:
    metadata = {**old, **given} if merge else dict(given)
    wanted = given.get(MODEL_KEY) if MODEL_KEY in given else old.get(MODEL_KEY)
    metadata.pop(MODEL_KEY, None)
    if wanted is not None:
        metadata[MODEL_KEY] = wanted
    return {**metadata, **DISTANCE}


def _check_model(metadata: Metadata) -> None:
    model: JsonValue = metadata.get(MODEL_KEY)
    if model is not None and (not isinstance(model, str) or not model):
        raise InvalidInput(f"{MODEL_KEY} must be the id of a model, got {model!r}")
