import asyncio

import pytest

from sourcebook.core.errors import EmbeddingFailed
from tests.embedding_server import EmbeddingServer, Fail, Hang, embed, unit
from tests.unit.providers.embedders.remote.fake_services import openai


async def test_questions_asked_at_once_share_a_request_and_get_their_own_vectors() -> None:
    texts = [f"Question number {number}?" for number in range(16)]
    async with EmbeddingServer() as server, openai(server) as embedder:
        vectors = await asyncio.gather(*map(embedder.embed_query, texts))
    assert len(server.requests) == 1
    for text, vector in zip(texts, vectors, strict=True):
        assert vector == pytest.approx(unit(embed(text, 8)))


async def test_a_request_of_questions_is_no_larger_than_a_batch() -> None:
    texts = [f"Question number {number}?" for number in range(50)]
    async with EmbeddingServer() as server, openai(server) as embedder:
        await asyncio.gather(*map(embedder.embed_query, texts))
    # They are sent side by side, so the last may arrive before the second.
    assert sorted(len(request.texts) for request in server.requests) == [10, 20, 20]


async def test_a_question_does_not_wait_behind_documents() -> None:
    async with EmbeddingServer([Hang()] * 4) as server, openai(server) as embedder:
        texts = [f"Text number {number}." for number in range(200)]
        bulk = asyncio.create_task(embedder.embed_documents(texts))
        await server.arrived(4)
        assert len(await embedder.embed_query("Why?")) == 8
        assert len(server.requests) == 5
        bulk.cancel()
        await asyncio.wait([bulk])


async def test_documents_take_four_requests_at_once() -> None:
    async with EmbeddingServer() as server, openai(server) as embedder:
        server.gate.clear()
        texts = [f"Text number {number}." for number in range(200)]
        bulk = asyncio.gather(
            embedder.embed_documents(texts[:100]), embedder.embed_documents(texts[100:])
        )
        await server.arrived(4)
        server.gate.set()
        await bulk
    assert server.most_at_once == 4
    assert len(server.requests) == 10


async def test_who_stops_waiting_does_not_take_the_answer_from_others() -> None:
    async with EmbeddingServer() as server, openai(server) as embedder:
        server.gate.clear()
        leaving = asyncio.create_task(embedder.embed_query("Why?"))
        staying = asyncio.create_task(embedder.embed_query("When?"))
        await server.arrived(1)
        leaving.cancel()
        await asyncio.wait([leaving])
        server.gate.set()
        assert await staying == pytest.approx(unit(embed("When?", 8)))
    assert server.requests[0].texts == ["Why?", "When?"]


async def test_questions_in_one_request_fail_together() -> None:
    async with EmbeddingServer([Fail(500)]) as server, openai(server) as embedder:
        failures = await asyncio.gather(
            *map(embedder.embed_query, ["Why?", "When?"]), return_exceptions=True
        )
        assert all(isinstance(failure, EmbeddingFailed) for failure in failures)
        assert len(await embedder.embed_query("Why?")) == 8


async def test_a_question_as_long_as_a_book_waits_with_the_books() -> None:
    async with EmbeddingServer() as server, openai(server, max_tokens=64) as embedder:
        vector = await embedder.embed_query("river " * 2_000)
    assert len(vector) == 8
    assert len(server.requests) > 1
    assert "".join(sorted(server.embedded)).replace(" ", "") == "river" * 2_000


async def test_closing_ends_questions_that_are_under_way() -> None:
    async with EmbeddingServer([Hang()]) as server:
        async with openai(server) as embedder:
            asking = asyncio.create_task(embedder.embed_query("Why?"))
            await server.arrived(1)
        with pytest.raises(EmbeddingFailed, match="closed"):
            await asking
        async with asyncio.timeout(5):
            await server.requests[0].gone.wait()
