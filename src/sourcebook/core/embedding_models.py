"""The embedding models that are loaded, and which of them a collection needs."""

from collections.abc import Iterable, Iterator, Mapping

from sourcebook.core.collections import MODEL_KEY, Collection
from sourcebook.core.errors import Conflict, InvalidInput, ModelNotLoaded
from sourcebook.core.ports import Embedder


class EmbeddingModels:
    """The loaded embedders by alias. Its errors list what is available.

    `how_to_load` says what to do for a model that is not loaded, by alias.
    """

    def __init__(
        self, embedders: Iterable[Embedder], how_to_load: Mapping[str, str] | None = None
    ) -> None:
        self._by_id = {embedder.id: embedder for embedder in embedders}
        self._how_to_load = how_to_load or {}

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

    def of_revision(self, revision: str) -> Embedder | None:
        """The model of that revision, under whatever alias it is loaded."""
        return next((embedder for embedder in self if embedder.revision == revision), None)

    def chosen(self, model_id: str | None) -> Embedder:
        """The model that a new collection asks for."""
        if not model_id:
            raise InvalidInput(f"{MODEL_KEY} is required. Available models: {self.ids}")
        embedder = self.find(model_id)
        if embedder is None:
            raise InvalidInput(f"Model {model_id!r} not loaded. Available: {self.ids}")
        return embedder

    def for_writing(self, collection: Collection) -> Embedder:
        """The model that embeds new documents of the collection.

        A collection without documents takes whatever model its metadata ask for.
        """
        wanted = self.wanted(collection)
        if not collection.count or wanted.revision == collection.generation.model_revision:
            return wanted
        built_with = self._built_with(collection)
        raise Conflict(
            f"Collection {collection.name!r} needs re-indexing: its documents were embedded"
            f" with {built_with.id!r} and its metadata asks for {wanted.id!r}. Until then it"
            f" takes no documents; set {MODEL_KEY} back to {built_with.id!r} to go on writing"
        )

    def for_reading(self, collection: Collection) -> Embedder:
        """The model that embeds questions: the one that embedded the collection's documents."""
        wanted = self.wanted(collection)
        return self._built_with(collection) if collection.count else wanted

    def reindex_required(self, collection: Collection) -> bool:
        """Return whether the metadata ask for a model other than the one in use."""
        if not collection.count or collection.wanted_model is None:
            return False
        wanted = self.find(collection.wanted_model)
        if wanted is None:
            return collection.wanted_model != collection.generation.model
        return wanted.revision != collection.generation.model_revision

    def wanted(self, collection: Collection) -> Embedder:
        """The model that the collection's metadata ask for."""
        wanted = collection.wanted_model
        if wanted is None:
            raise InvalidInput(
                f"Collection has no {MODEL_KEY} in metadata. Available models: {self.ids}."
                f" Update the metadata of {collection.name!r} with one of them"
            )
        return self._loaded(wanted, collection)

    def _loaded(self, model_id: str, collection: Collection) -> Embedder:
        embedder = self.find(model_id)
        if embedder is not None:
            return embedder
        name = collection.name
        was_used = collection.count and collection.generation.model == model_id
        why = "was built with it" if was_used else "asks for it"
        cure = self._how_to_load.get(model_id, "add it to the embeddings config")
        move = f", or run `sourcebook reindex {name} --model {self.ids[0]}`" if self.ids else ""
        raise ModelNotLoaded(
            f"Embedding model {model_id!r} not loaded. Available: {self.ids}."
            f" Collection {name!r} {why}: {cure}{move}"
        )

    def _built_with(self, collection: Collection) -> Embedder:
        """The model that embedded the documents, under whatever alias it is loaded now."""
        generation = collection.generation
        embedder = self.of_revision(generation.model_revision)
        if embedder is not None:
            return embedder
        self._loaded(generation.model, collection)
        raise ModelNotLoaded(
            f"Embedding model {generation.model!r} is no longer the one that embedded collection"
            f" {collection.name!r}: same alias, other weights or prompts. Load the old one"
            " under any alias, or re-index the collection"
        )
