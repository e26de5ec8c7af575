import asyncio
from collections.abc import Sequence

import pytest

from sourcebook.core.documents import TokenSpans
from sourcebook.core.errors import EmbeddingFailed
from sourcebook.core.health import ServiceHealth
from sourcebook.core.vectors import Embedding, Vector
from sourcebook.providers.embedders.caching import CachingEmbedder


class CountingEmbedder:
    """Gives each text a vector of its length, when its gate is open, and notes each query."""

    id = "counting"
    name = "counting"
    dimensions = 1
    max_tokens = 10
    revision = "1"

    def __init__(self) -> None:
        self.queries: list[str] = []
        self.failing = False
        self.gate = asyncio.Event()
        self.gate.set()

    async def embed_documents(self, texts: Sequence[str]) -> list[Embedding]:
        return [([float(len(text))],) for text in texts]

    async def embed_query(self, text: str) -> Vector:
        self.queries.append(text)
        await self.gate.wait()
        if self.failing:
            raise EmbeddingFailed("out of order")
        return [float(len(text))]

    async def tokenize(self, texts: Sequence[str]) -> list[TokenSpans]:
        return [[(0, len(text))] for text in texts]

    async def check(self) -> ServiceHealth:
        return ServiceHealth("degraded")


async def test_it_passes_for_the_embedder_that_it_wraps() -> None:
    cached = CachingEmbedder(CountingEmbedder())
    assert (cached.id, cached.name, cached.revision) == ("counting", "counting", "1")
    assert (cached.dimensions, cached.max_tokens) == (1, 10)
    assert (await cached.check()).status == "degraded"
    assert await cached.embed_documents(["abc"]) == [([3.0],)]


async def test_a_query_is_embedded_once() -> None:
    inner = CountingEmbedder()
    cached = CachingEmbedder(inner)
    assert await cached.embed_query("abc") == await cached.embed_query("abc") == [3.0]
    assert inner.queries == ["abc"]


async def test_the_query_that_was_not_asked_longest_is_forgotten() -> None:
    inner = CountingEmbedder()
    cached = CachingEmbedder(inner, size=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        await cached.embed_query(text)
    assert inner.queries == ["a", "b", "c", "b"]


async def test_equal_queries_at_the_same_time_share_one_call() -> None:
    inner = CountingEmbedder()
    inner.gate.clear()
    cached = CachingEmbedder(inner)
    tasks = [asyncio.create_task(cached.embed_query("abc")) for _ in range(5)]
    await asyncio.sleep(0)
    inner.gate.set()
    assert await asyncio.gather(*tasks) == [[3.0]] * 5
    assert inner.queries == ["abc"]


async def test_a_caller_who_gives_up_does_not_spoil_it_for_the_others() -> None:
    inner = CountingEmbedder()
    inner.gate.clear()
    cached = CachingEmbedder(inner)
    first, second = (asyncio.create_task(cached.embed_query("abc")) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    inner.gate.set()
    assert await second == [3.0]


async def test_a_failure_is_not_remembered() -> None:
    inner = CountingEmbedder()
    inner.failing = True
    cached = CachingEmbedder(inner)
    with pytest.raises(EmbeddingFailed):
        await cached.embed_query("abc")
    inner.failing = False
    assert await cached.embed_query("abc") == [3.0]
