"""The model that ships with Sourcebook, for real: what it must be able to find."""

import math
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from sourcebook.core.vectors import Embedding, Vector
from sourcebook.providers.declaration import Opening
from sourcebook.providers.embedders.local_provider import LocalEmbedderSettings
from sourcebook.providers.embedders.openvino import OpenVinoEmbedder, open_openvino_embedder

VOLCANOES = (
    "Volcanoes form where molten rock rises through the crust of the earth. Most of them stand"
    " along the edges of tectonic plates, and their lava builds mountains over many centuries. "
)
BREAD = "To bake sourdough bread, feed the starter with flour and water the evening before. "
TAXES = "The deadline for the income tax return is the last day of July, with a fine for delay. "


# Loaded once for all of them.
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def minilm(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OpenVinoEmbedder]:
    nowhere = tmp_path_factory.mktemp("none")
    settings = LocalEmbedderSettings.model_validate({"path": "bundled:all-MiniLM-L6-v2"})
    async with open_openvino_embedder(settings, Opening("minilm", nowhere, nowhere)) as embedder:
        yield embedder


def similarity(query: Vector, embedding: Embedding) -> float:
    """The similarity of a query to the best vector of a text."""
    return max(math.fsum(a * b for a, b in zip(query, vector, strict=True)) for vector in embedding)


@pytest.mark.spec("001 Model loading at startup")
async def test_its_description(minilm: OpenVinoEmbedder) -> None:
    assert (minilm.id, minilm.name) == ("minilm", "all-MiniLM-L6-v2")
    assert (minilm.dimensions, minilm.max_tokens) == (384, 256)


async def test_a_question_is_nearest_to_its_answer(minilm: OpenVinoEmbedder) -> None:
    embeddings = await minilm.embed_documents([VOLCANOES, BREAD, TAXES])
    query = await minilm.embed_query("How do I make bread at home?")
    scores = [similarity(query, embedding) for embedding in embeddings]
    assert scores[1] > 0.4 > max(scores[0], scores[2])


async def test_vectors_have_unit_length(minilm: OpenVinoEmbedder) -> None:
    embeddings = await minilm.embed_documents([VOLCANOES, BREAD * 20, ""])
    for embedding in embeddings:
        for vector in embedding:
            assert math.fsum(value * value for value in vector) == pytest.approx(1, abs=1e-5)


@pytest.mark.spec("001 Batch Embedding Generation")
async def test_fifty_texts_together_get_the_vectors_that_each_gets_alone(
    minilm: OpenVinoEmbedder,
) -> None:
    texts = [VOLCANOES[: 20 + number] + BREAD * (number % 4) for number in range(50)]
    together = await minilm.embed_documents(texts)
    assert len(together) == 50
    for text, embedding in zip(texts[:12], together, strict=False):
        ((alone,),) = await minilm.embed_documents([text])
        assert similarity(alone, embedding) > 0.9999


async def test_a_text_has_the_same_vector_as_query_and_as_document(
    minilm: OpenVinoEmbedder,
) -> None:
    (embedding,) = await minilm.embed_documents([BREAD])
    assert similarity(await minilm.embed_query(BREAD), embedding) > 0.9999


async def test_the_end_of_a_512_token_chunk_can_be_found(minilm: OpenVinoEmbedder) -> None:
    shared = VOLCANOES * 11  # about 400 tokens
    about_bread, about_taxes = await minilm.embed_documents(
        [shared + BREAD * 4, shared + TAXES * 4]
    )
    assert len(about_bread) == len(about_taxes) == 1
    bread = await minilm.embed_query("How do I bake sourdough bread?")
    taxes = await minilm.embed_query("When is the income tax return due?")
    assert similarity(bread, about_bread) > similarity(bread, about_taxes) + 0.05
    assert similarity(taxes, about_taxes) > similarity(taxes, about_bread) + 0.05


async def test_the_last_paragraph_of_a_long_text_is_found_through_one_of_its_vectors(
    minilm: OpenVinoEmbedder,
) -> None:
    (with_bread, without) = await minilm.embed_documents(
        [VOLCANOES * 75 + BREAD * 10, VOLCANOES * 80]  # about 3,000 tokens
    )
    assert len(with_bread) > 4
    query = await minilm.embed_query("How do I bake sourdough bread?")
    scores = [similarity(query, (vector,)) for vector in with_bread]
    assert max(scores) == scores[-1]
    assert scores[-1] > similarity(query, without) + 0.2


async def test_an_empty_text_still_has_a_vector(minilm: OpenVinoEmbedder) -> None:
    empty, blank = await minilm.embed_documents(["", " \n\t "])
    assert len(empty) == len(blank) == 1
    assert similarity(empty[0], blank) > 0.9999
