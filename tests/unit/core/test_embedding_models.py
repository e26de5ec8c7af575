"""A collection whose model is not loaded says which model that is, and what to do."""

from dataclasses import replace

import pytest

from sourcebook.core.collections import Collection, Generation
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import ModelNotLoaded
from tests.fakes import FakeEmbedder

BUILT = Collection(
    "c1", "book", {"embedding_model": "cohere"}, Generation("i1", "cohere", "rev-9", 8), count=3
)


def message_for(models: EmbeddingModels, collection: Collection) -> str:
    with pytest.raises(ModelNotLoaded) as caught:
        models.for_reading(collection)
    return caught.value.message


def test_the_model_that_built_a_collection_is_named_with_both_ways_out() -> None:
    models = EmbeddingModels([FakeEmbedder("minilm")], {"cohere": "list it in embeddings.yml"})

    said = message_for(models, BUILT)

    assert said.startswith("Embedding model 'cohere' not loaded. Available: ['minilm'].")
    assert "Collection 'book' was built with it: list it in embeddings.yml, or run" in said
    assert said.endswith("`sourcebook reindex book --model minilm`")


def test_an_empty_collection_only_asks_for_its_model() -> None:
    said = message_for(EmbeddingModels([]), replace(BUILT, count=0))

    assert said == (
        "Embedding model 'cohere' not loaded. Available: []. Collection 'book' asks for it: add it"
        " to the embeddings config"
    )
