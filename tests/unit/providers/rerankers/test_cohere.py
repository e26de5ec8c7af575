import asyncio
import json
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from sourcebook.core.errors import EmbeddingFailed, Unavailable
from sourcebook.providers.declaration import Opening
from sourcebook.providers.rerankers.cohere import CohereReranker, open_cohere_reranker
from sourcebook.providers.rerankers.cohere_provider import CohereRerankerSettings
from tests.embedding_server import (
    CANARY,
    Act,
    Drip,
    EmbeddingServer,
    Fail,
    Hang,
    Raw,
    Truncate,
    Work,
)

KEY = "co-canary-key"


def opened(server: EmbeddingServer, **more: object) -> AbstractAsyncContextManager[CohereReranker]:
    config = {"api_key": KEY, "base_url": server.url, **more}
    return open_cohere_reranker(
        CohereRerankerSettings.model_validate(config),
        Opening("cohere", Path("data"), Path("models")),
    )


async def test_scores_come_in_the_order_of_the_texts() -> None:
    async with EmbeddingServer() as server, opened(server) as reranker:
        scores = await reranker.score("red apples", ["blue", "red apples", "red"])
    assert scores == [0.0, 1.0, 0.5]


async def test_a_request_is_what_cohere_expects() -> None:
    async with EmbeddingServer() as server, opened(server) as reranker:
        await reranker.score("Why?", ["Because."])
    [request] = server.requests
    assert (request.method, request.path) == ("POST", "/v2/rerank")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "rerank-v3.5",
        "query": "Why?",
        "documents": ["Because."],
        "max_tokens_per_doc": 4096,
    }


async def test_nothing_to_score_asks_nothing() -> None:
    async with EmbeddingServer() as server, opened(server) as reranker:
        assert await reranker.score("Why?", []) == []
    assert server.requests == []


async def test_more_texts_than_a_request_may_hold_go_in_several() -> None:
    texts = [f"number {number}" for number in range(2_500)]
    async with EmbeddingServer() as server, opened(server, timeout_s=30) as reranker:
        scores = await reranker.score("number 2499", texts)
    assert sorted(len(request.texts) for request in server.requests) == [500, 1000, 1000]
    assert scores[2499] == 1.0
    assert len(scores) == 2_500


async def test_a_long_text_is_read_to_its_end_and_its_best_part_counts() -> None:
    text = "filler " * 400 + "red apples"
    async with EmbeddingServer() as server, opened(server, max_tokens=128) as reranker:
        long, short = await reranker.score("red apples", [text, "red"])
    assert (long, short) == (1.0, 0.5)
    assert "".join(server.requests[0].texts[:-1]) == text


async def test_a_question_longer_than_the_model_reads_is_asked_all_the_same() -> None:
    async with EmbeddingServer() as server, opened(server, max_tokens=64) as reranker:
        assert len(await reranker.score("why " * 500, ["Because."])) == 1


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (Fail(401), "COHERE_API_KEY"),
        (Fail(404), "check path"),
        (Fail(429), "takes no more"),
        (Fail(500), "status 500"),
        (Hang(), "longer than"),
        (Drip(), "longer than"),
        (Truncate(), "broke off"),
        (Raw("<html>"), "no JSON"),
        (Raw("{}"), "another form"),
        (Work(most=1), "1 scores for 2 texts"),
        (Raw(json.dumps({"results": [{"index": 5, "relevance_score": 1}]})), "wrong index"),
        (Raw(json.dumps({"results": [{"index": 0, "relevance_score": "1"}]})), "no number"),
    ],
)
async def test_a_failure_is_told_in_our_words_and_not_tried_again(act: Act, says: str) -> None:
    async with EmbeddingServer([act]) as server, opened(server, timeout_s=0.5) as reranker:
        with pytest.raises(Unavailable, match=says) as caught:
            await reranker.score("Why?", ["one", "two"])
        assert (await reranker.check()).status == "degraded"
    assert len(server.requests) == 1
    assert not isinstance(caught.value, EmbeddingFailed)
    assert CANARY not in caught.value.message
    assert KEY not in caught.value.message


async def test_who_is_cancelled_leaves_no_request_behind() -> None:
    async with EmbeddingServer([Hang()]) as server, opened(server) as reranker:
        scoring = asyncio.create_task(reranker.score("Why?", ["one"]))
        await server.arrived(1)
        scoring.cancel()
        await asyncio.wait([scoring])
        async with asyncio.timeout(5):
            await server.requests[0].gone.wait()
        # A search gives up sooner than the reranker does: health must know all the same.
        health = await reranker.check()
    assert (health.status, "given up" in (health.message or "")) == ("degraded", True)


async def test_health_costs_nothing_and_forgets_a_failure_after_a_success() -> None:
    async with EmbeddingServer([Fail(500)]) as server, opened(server) as reranker:
        assert (await reranker.check()).status == "up"
        assert server.requests == []
        with pytest.raises(Unavailable):
            await reranker.score("Why?", ["one"])
        await reranker.score("Why?", ["one"])
        assert (await reranker.check()).status == "up"
        server.probe_status = 401
        health = await reranker.check()
        assert health.status == "down"
        assert CANARY not in (health.message or "")


async def test_a_closed_reranker_says_so() -> None:
    async with EmbeddingServer() as server:
        async with opened(server) as reranker:
            pass
        with pytest.raises(Unavailable, match="is closed"):
            await reranker.score("Why?", ["one"])
        assert (await reranker.check()).status == "down"
