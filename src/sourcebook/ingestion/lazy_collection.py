"""A collection that is created with its first document, for the first embedding model."""

from sourcebook.core.collections import Collection
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import AlreadyExists, ModelNotLoaded, NotFound
from sourcebook.core.indexes import fresh_index, new_collection
from sourcebook.core.metadata import Metadata
from sourcebook.core.ports import Embedder, Ledger, VectorStore
from sourcebook.ingestion.collection_documents import with_model


class LazyCollection:
    """Finds a collection by name or creates it with the given metadata."""

    def __init__(
        self,
        ledger: Ledger,
        store: VectorStore,
        models: EmbeddingModels,
        name: str,
        about: Metadata,
    ) -> None:
        self.name = name
        self._ledger = ledger
        self._store = store
        self._models = models
        self._about = about

    async def find(self) -> Collection | None:
        """Return the collection, or None if it does not exist yet."""
        try:
            return await self._ledger.collections.get(self.name)
        except NotFound:
            return None

    async def find_with_model(self) -> tuple[Collection | None, Embedder]:
        """Return the collection, if it exists, and the model that embeds its documents."""
        collection = await self.find()
        if collection is None:
            return None, self._first_model()
        return collection, self._models.for_writing(collection)

    async def get_or_create(self) -> tuple[Collection, Embedder]:
        """Return the collection to write to and its model."""
        collection, embedder = await self.find_with_model()
        if collection is None:
            collection = await self._create(embedder)
            embedder = self._models.for_writing(collection)
        return await with_model(self._ledger, self._store, collection, embedder), embedder

    async def _create(self, embedder: Embedder) -> Collection:
        fresh = new_collection(self.name, self._about, embedder)
        try:
            async with fresh_index(self._store, fresh.generation, fresh.metadata):
                await self._ledger.collections.create(fresh)
        except AlreadyExists:
            # Another process created it at the same time.
            return await self._ledger.collections.get(self.name)
        return fresh

    def _first_model(self) -> Embedder:
        for embedder in self._models:
            return embedder
        raise ModelNotLoaded(
            f"No embedding model is loaded, so nothing can be put into {self.name!r}"
        )
