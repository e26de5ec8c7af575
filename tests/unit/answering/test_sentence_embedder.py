"""Sentences become vectors, a few at a time."""

import asyncio

import pytest

from sourcebook.answering.sentence_embedder import MAX_CONCURRENT, SentenceEmbedder
from sourcebook.core.errors import EmbeddingFailed
from sourcebook.core.vectors import Vector
from tests.fakes import FakeEmbedder


class CountingEmbedder(FakeEmbedder):
    """Knows how many questions were waiting for it at once."""

    waiting = 0
    most = 0

    async def embed_query(self, text: str) -> Vector:
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        try:
            await asyncio.sleep(0)
            return await super().embed_query(text)
        finally:
            self.waiting -= 1


async def test_every_text_gets_its_own_vector_in_order() -> None:
    embedder = FakeEmbedder()
    texts = [f"word{n}" for n in range(100)]

    assert await SentenceEmbedder(embedder).embed(texts) == [
        await embedder.embed_query(one) for one in texts
    ]


async def test_many_texts_do_not_fill_the_queue_of_the_model() -> None:
    embedder = CountingEmbedder()

    await SentenceEmbedder(embedder).embed([f"word{n}" for n in range(200)])

    assert embedder.most == MAX_CONCURRENT


async def test_a_failure_is_told_and_leaves_nothing_behind() -> None:
    embedder = CountingEmbedder()
    embedder.failing = True

    with pytest.raises(EmbeddingFailed):
        await SentenceEmbedder(embedder).embed(["one", "two"])

    assert embedder.waiting == 0
