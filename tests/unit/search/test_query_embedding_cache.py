"""One request embeds its question once for each model."""

import asyncio
import logging

import pytest

from sourcebook.core.errors import EmbeddingFailed
from sourcebook.core.vectors import Vector
from sourcebook.search.query_embedding_cache import QueryEmbeddingCache
from tests.fakes import FakeEmbedder


class SilentEmbedder(FakeEmbedder):
    """Never answers a query."""

    async def embed_query(self, text: str) -> Vector:
        self.queries.append(text)
        await asyncio.Event().wait()
        return []


async def test_each_model_is_called_once_however_many_ask(
    caplog: pytest.LogCaptureFixture,
) -> None:
    small, large = FakeEmbedder("minilm"), FakeEmbedder("large", dimensions=96)

    with caplog.at_level(logging.INFO):
        async with QueryEmbeddingCache() as embedded:
            vectors = await asyncio.gather(
                *(embedded.vector(model, "robot") for model in (small, large, small, small))
            )

    assert (small.queries, large.queries) == (["robot"], ["robot"])
    assert [len(vector) for vector in vectors] == [64, 96, 64, 64]
    assert caplog.messages == ["Reusing cached embedding for minilm:fakes/minilm"] * 2


async def test_a_failing_model_is_called_once_and_fails_all() -> None:
    model = FakeEmbedder("minilm")
    model.failing = True

    async with QueryEmbeddingCache() as embedded:
        results = await asyncio.gather(
            *(embedded.vector(model, "robot") for _ in range(3)), return_exceptions=True
        )

    assert [type(result) for result in results] == [EmbeddingFailed] * 3
    assert model.queries == ["robot"]


async def test_who_gives_up_does_not_end_the_call_for_others() -> None:
    model = FakeEmbedder("minilm")

    async with QueryEmbeddingCache() as embedded:
        first = asyncio.create_task(embedded.vector(model, "robot"))
        second = asyncio.create_task(embedded.vector(model, "robot"))
        await asyncio.sleep(0)
        first.cancel()

        assert len(await second) == 64


async def test_nothing_goes_on_after_the_request() -> None:
    model = SilentEmbedder("minilm")

    async with QueryEmbeddingCache() as embedded:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(embedded.vector(model, "robot"), 0.01)

    assert model.queries == ["robot"]
    assert asyncio.all_tasks() == {asyncio.current_task()}
