"""The embedding models that are loaded, and which of them a collection needs."""

from collections.abc import Iterable, Iterator

from sourcebook.core.collections import MODEL_KEY, Collection
from sourcebook.core.errors import Conflict, InvalidInput, ModelNotLoaded
from sourcebook.core.ports import Embedder


class EmbeddingModels:
    """The loaded embedders by alias. Its errors list what is available."""

    def __init__(self, embedders: Iterable[Embedder]) -> None:
        self._by_id = {embedder.id: embedder for embedder in embedders}

    def __iter__(self) -> Iterator[Embedder]:
        return iter(self._by_id.values())

    def __len__(self) -> int:
        return len(self._by_id)

    @property
    def ids(self) -> list[str]:
        """The aliases, in the order of the configuration."""
        return list(self._by_id)

    def find(self, model_id: str) -> Embedder | None:
        """The embedder of that alias, if it is loaded."""
        return self._by_id.get(model_id)

    def chosen(self, model_id: str | None) -> Embedder:
        """The model that a new collection asks for."""
        if not model_id:
            raise InvalidInput(f"{MODEL_KEY} is required. Available models: {self.ids}")
        embedder = self.find(model_id)
        if embedder is None:
            raise InvalidInput(f"Model {model_id!r} not loaded. Available: {self.ids}")
        return embedder

    def for_writing(self, collection: Collection) -> Embedder:
        """The model that embeds new documents of the collection."""
        wanted = self._wanted(collection)
        built_with = collection.generation.model
        if wanted.id != built_with:
            raise Conflict(
                f"Collection {collection.name!r} needs re-indexing: its documents were embedded"
                f" with {built_with!r} and its metadata asks for {wanted.id!r}. Until then it"
                f" takes no documents; set {MODEL_KEY} back to {built_with!r} to go on writing"
            )
        return self._unchanged(wanted, collection)

    def for_reading(self, collection: Collection) -> Embedder:
        """The model that embeds questions: the one that embedded the collection's documents."""
        self._wanted(collection)
        built_with = self._loaded(collection.generation.model)
        return self._unchanged(built_with, collection)

    def reindex_required(self, collection: Collection) -> bool:
        """Tell whether the metadata ask for a model other than the one in use."""
        wanted = collection.wanted_model
        return wanted is not None and wanted != collection.generation.model

    def _wanted(self, collection: Collection) -> Embedder:
        wanted = collection.wanted_model
        if wanted is None:
            raise InvalidInput(
                f"Collection has no {MODEL_KEY} in metadata. Available models: {self.ids}."
                f" Update the metadata of {collection.name!r} with one of them"
            )
        return self._loaded(wanted)

    def _loaded(self, model_id: str) -> Embedder:
        embedder = self.find(model_id)
        if embedder is None:
            raise ModelNotLoaded(
                f"Embedding model {model_id!r} not loaded. Available: {self.ids}."
                " Add it to the embeddings config, or change the collection's metadata"
            )
        return embedder

    @staticmethod
    def _unchanged(embedder: Embedder, collection: Collection) -> Embedder:
        if embedder.revision != collection.generation.model_revision:
            raise ModelNotLoaded(
                f"Embedding model {embedder.id!r} is no longer the one that embedded collection"
                f" {collection.name!r}: same alias, other weights or prompts. Load the old one"
                " under this alias, or re-index the collection"
            )
        return embedder
