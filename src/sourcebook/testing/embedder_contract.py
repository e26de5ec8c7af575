"""Contract of the Embedder port: an embedder inherits the tests and supplies one fixture.

    class TestMyEmbedder(EmbedderContract):
        @pytest.fixture
        async def embedder(self) -> AsyncIterator[Embedder]:
            async with open_my_embedder(...) as embedder:
                yield embedder

Tests run with pytest-asyncio in auto mode. They ask nothing of the quality of the vectors.
"""

import asyncio
import math

import pytest

from sourcebook.core.ports import Embedder
from sourcebook.core.vectors import Embedding, Vector, check_vector

TEXTS = (
    "Volcanoes form where molten rock rises through the crust of the earth.",
    "To bake bread, feed the starter with flour and water.",
    "The deadline for the tax return is the last day of July.",
    "Bees dance to tell where the flowers are.",
)
ODD_TEXTS = (
    "x",
    "Größe, naïve, Ελληνικά, кириллица",
    "日本語の文章です。",
    "👩‍🚀 to the moon 🚀",
    "a\u0301 tab\tand\r\nnew lines\n\n",
    "word" * 500,
)
# Batches, machines with matrix units and servers may round differently, but not by more.
LEAST_COSINE = 0.999


class DescriptionContract:
    """An embedder identifies itself and never changes."""

    async def test_it_says_what_it_is(self, embedder: Embedder) -> None:
        assert embedder.id
        assert embedder.name
        assert embedder.revision
        assert embedder.dimensions > 0
        assert embedder.max_tokens > 0

    async def test_using_it_changes_nothing_of_that(self, embedder: Embedder) -> None:
        before = _description(embedder)
        await embedder.embed_documents(TEXTS)
        await embedder.embed_query(TEXTS[0])
        assert _description(embedder) == before

    async def test_an_open_embedder_is_up(self, embedder: Embedder) -> None:
        assert (await embedder.check()).status == "up"


class VectorContract:
    """Every text gets usable vectors, in order, whatever else is in its batch."""

    async def test_every_text_of_a_batch_gets_usable_vectors(self, embedder: Embedder) -> None:
        embeddings = await embedder.embed_documents([*TEXTS, *ODD_TEXTS])
        assert len(embeddings) == len(TEXTS) + len(ODD_TEXTS)
        for embedding in embeddings:
            _check(embedding, embedder)

    async def test_nothing_embedded_gives_nothing(self, embedder: Embedder) -> None:
        assert await embedder.embed_documents([]) == []

    async def test_other_texts_get_other_vectors(self, embedder: Embedder) -> None:
        one, *others = await embedder.embed_documents(TEXTS)
        assert not any(_same(one, other) for other in others)

    async def test_the_vectors_are_in_the_order_of_the_texts(self, embedder: Embedder) -> None:
        forth = await embedder.embed_documents(TEXTS)
        back = await embedder.embed_documents(TEXTS[::-1])
        assert all(map(_same, forth, back[::-1]))

    async def test_a_text_has_the_same_vectors_alone_and_in_a_batch(
        self, embedder: Embedder
    ) -> None:
        long = " ".join(TEXTS) * 5
        together = await embedder.embed_documents([*TEXTS, long, TEXTS[0]])
        for text, embedding in zip([*TEXTS, long, TEXTS[0]], together, strict=True):
            [alone] = await embedder.embed_documents([text])
            assert _same(alone, embedding)

    async def test_a_large_batch_comes_back_whole(self, embedder: Embedder) -> None:
        texts = [f"Page {number} of the book." for number in range(300)]
        embeddings = await embedder.embed_documents(texts)
        [last] = await embedder.embed_documents(texts[-1:])
        assert len(embeddings) == 300
        assert _same(embeddings[-1], last)

    async def test_the_end_of_a_long_text_is_not_cut_off(self, embedder: Embedder) -> None:
        one, other = await embedder.embed_documents(
            [f"{_too_long(embedder)} volcanoes", f"{_too_long(embedder)} bread and butter"]
        )
        _check(one, embedder)
        _check(other, embedder)
        # The end is a small part of one vector where windows are averaged.
        assert not _same(one, other, least_cosine=1 - 1e-9)


class QueryContract:
    """A question has one vector, however many callers there are at once."""

    @pytest.mark.parametrize("text", [*TEXTS[:1], *ODD_TEXTS])
    async def test_a_question_gets_one_usable_vector(self, embedder: Embedder, text: str) -> None:
        check_vector(await embedder.embed_query(text), embedder.dimensions)

    async def test_a_question_longer_than_the_model_reads_gets_one_too(
        self, embedder: Embedder
    ) -> None:
        vector = await embedder.embed_query(_too_long(embedder))
        check_vector(vector, embedder.dimensions)

    async def test_the_same_question_has_the_same_vector(self, embedder: Embedder) -> None:
        first, second = [await embedder.embed_query(TEXTS[0]) for _ in range(2)]
        assert _cosine(first, second) >= LEAST_COSINE

    async def test_a_question_in_the_words_of_a_text_finds_it(self, embedder: Embedder) -> None:
        embeddings = await embedder.embed_documents(TEXTS)
        for number, text in enumerate(TEXTS):
            query = await embedder.embed_query(text)
            scores = [max(_cosine(query, vector) for vector in found) for found in embeddings]
            assert scores.index(max(scores)) == number

    async def test_questions_asked_at_once_get_their_own_vectors(self, embedder: Embedder) -> None:
        alone = [await embedder.embed_query(text) for text in TEXTS]
        at_once = await asyncio.gather(*(embedder.embed_query(text) for text in TEXTS * 5))
        for number, vector in enumerate(at_once):
            assert _cosine(vector, alone[number % len(TEXTS)]) >= LEAST_COSINE


class TokenContract:
    """Tokens are given by their offsets in the text."""

    async def test_tokens_only_grow_and_stay_inside_the_text(self, embedder: Embedder) -> None:
        texts = [*TEXTS, *ODD_TEXTS]
        for text, spans in zip(texts, await embedder.tokenize(texts), strict=True):
            assert spans
            assert all(0 <= begin <= end <= len(text) for begin, end in spans)
            begins, ends = [begin for begin, _ in spans], [end for _, end in spans]
            assert begins == sorted(begins)
            assert ends == sorted(ends)

    async def test_a_long_text_is_tokenized_to_its_end(self, embedder: Embedder) -> None:
        text = _too_long(embedder)
        [spans] = await embedder.tokenize([text])
        assert len(spans) > embedder.max_tokens
        assert spans[-1][1] == len(text)

    async def test_nothing_tokenized_gives_nothing(self, embedder: Embedder) -> None:
        assert await embedder.tokenize([]) == []


class EmbedderContract(DescriptionContract, VectorContract, QueryContract, TokenContract):
    """Everything that Sourcebook expects of an embedder."""


def _too_long(embedder: Embedder) -> str:
    """Return a text of three times as many words as the model reads tokens."""
    return " ".join(["river"] * (3 * embedder.max_tokens))


def _description(embedder: Embedder) -> tuple[object, ...]:
    return (
        embedder.id,
        embedder.name,
        embedder.revision,
        embedder.dimensions,
        embedder.max_tokens,
    )


def _check(embedding: Embedding, embedder: Embedder) -> None:
    assert embedding
    for vector in embedding:
        check_vector(vector, embedder.dimensions)


def _same(one: Embedding, other: Embedding, least_cosine: float = LEAST_COSINE) -> bool:
    return len(one) == len(other) and all(
        _cosine(a, b) >= least_cosine for a, b in zip(one, other, strict=True)
    )


def _cosine(one: Vector, other: Vector) -> float:
    product = math.fsum(a * b for a, b in zip(one, other, strict=True))
    return product / (math.hypot(*one) * math.hypot(*other))
