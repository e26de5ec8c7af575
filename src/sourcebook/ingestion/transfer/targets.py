"""The collections that documents are imported into: found by name, or created."""

from dataclasses import dataclass, replace

from sourcebook.core.collections import Collection, check_name
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import (
    AlreadyExists,
    InvalidInput,
    ModelNotLoaded,
    NotFound,
    SourcebookError,
)
from sourcebook.core.indexes import fresh_index, new_collection
from sourcebook.core.metadata import check_metadata
from sourcebook.core.ports import Embedder, Ledger, VectorStore
from sourcebook.ingestion.collection_documents import with_model
from sourcebook.ingestion.transfer.records import MovedCollection


@dataclass(frozen=True, slots=True)
class ImportTarget:
    """A collection and its model; `takes_vectors` if those that come along are that model's."""

    collection: Collection
    embedder: Embedder
    takes_vectors: bool = False


class Targets:
    """Finds or creates collections.

    `model` is the alias of the model for new collections; without it, the one that the vectors
    are of, else the one that the source names, else the first. `into` is another name for the one
    collection that comes in. Without `take_vectors`, all texts are embedded.
    """

    def __init__(
        self,
        ledger: Ledger,
        store: VectorStore,
        models: EmbeddingModels,
        *,
        model: str | None = None,
        into: str | None = None,
        take_vectors: bool = True,
    ) -> None:
        self._ledger = ledger
        self._store = store
        self._models = models
        self._model = model
        self._into = into
        self._take_vectors = take_vectors
        self._described: dict[str, MovedCollection] = {}
        self._found: dict[str, ImportTarget | SourcebookError] = {}

    async def describe(self, moved: MovedCollection) -> ImportTarget:
        """Note what a collection is, and find or create the one that takes its documents."""
        self._described[moved.name] = moved
        self._found.pop(moved.name, None)
        target = await self.get(moved.name)
        for kept in moved.books:
            # What was chosen here stays.
            if await self._ledger.books.get(target.collection.name, kept.book_id) is None:
                here = replace(kept, collection=target.collection.name)
                await self._ledger.books.put(here)
        return target

    async def get(self, source: str | None) -> ImportTarget:
        """Return where the documents of a collection go; the same error again if it cannot be."""
        key = source or ""
        if key not in self._found:
            try:
                self._found[key] = await self._target(source)
            except SourcebookError as error:
                self._found[key] = error
        found = self._found[key]
        if isinstance(found, SourcebookError):
            raise found
        return found

    async def _target(self, source: str | None) -> ImportTarget:
        name = self._into or source
        if not name:
            raise InvalidInput("It names no collection: say where it goes with --as")
        others = self._found.keys() - {source or ""}
        if self._into is not None and others:
            raise InvalidInput(
                f"--as is for one collection, and besides {min(others)!r} there is {source!r}:"
                " choose one with --collection"
            )
        moved = self._described.get(source or "", MovedCollection(name))
        try:
            collection = await self._ledger.collections.get(name)
        except NotFound:
            collection = await self._create(name, moved)
        embedder = self._models.for_writing(collection)
        collection = await with_model(self._ledger, self._store, collection, embedder)
        fits = self._take_vectors and moved.model_revision == embedder.revision
        return ImportTarget(collection, embedder, takes_vectors=fits)

    async def _create(self, name: str, moved: MovedCollection) -> Collection:
        check_name(name)
        check_metadata(moved.metadata)
        fresh = new_collection(name, moved.metadata, self._chosen(moved))
        try:
            async with fresh_index(self._store, fresh.generation, fresh.metadata):
                await self._ledger.collections.create(fresh)
        except AlreadyExists:
            # Another process created it at the same time.
            return await self._ledger.collections.get(name)
        return fresh

    def _chosen(self, moved: MovedCollection) -> Embedder:
        if self._model is not None:
            return self._models.chosen(self._model)
        revision = moved.model_revision
        same = None if revision is None else self._models.of_revision(revision)
        named = None if moved.model is None else self._models.find(moved.model)
        first = next(iter(self._models), None)
        chosen = same or named or first
        if chosen is None:
            raise ModelNotLoaded("No embedding model is loaded, so nothing can be imported")
        return chosen
