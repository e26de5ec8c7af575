"""A collection that comes into being with its first document, with the first model."""

from sourcebook.core.collections import Collection
from sourcebook.core.errors import AlreadyExists, ModelNotLoaded, NotFound
from sourcebook.core.fresh_index import fresh_index, new_collection
from sourcebook.core.metadata import Metadata
from sourcebook.core.models import EmbeddingModels
from sourcebook.core.ports import Embedder, Ledger, VectorStore
from sourcebook.ingestion.ingestor import with_model


class LazyCollection:
    """Knows a collection by its name, and what it should say of itself once it exists."""

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
        """The collection, if there is one yet."""
        try:
            return await self._ledger.collections.get(self.name)
        except NotFound:
            return None

    async def look(self) -> tuple[Collection | None, Embedder]:
        """The collection, if there is one yet, and the model that documents are embedded with."""
        collection = await self.find()
        if collection is None:
            return None, self._first_model()
        return collection, self._models.for_writing(collection)

    async def ready(self) -> tuple[Collection, Embedder]:
        """The collection to write to, created if need be, and its model."""
        collection, embedder = await self.look()
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
            # Somebody else was quicker.
            return await self._ledger.collections.get(self.name)
        return fresh

    def _first_model(self) -> Embedder:
        for embedder in self._models:
            return embedder
        raise ModelNotLoaded(
            f"No embedding model is loaded, so nothing can be put into {self.name!r}"
        )
