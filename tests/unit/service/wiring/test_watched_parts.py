"""Models and stores pass everything through, and their health tells how their calls ended."""

from collections.abc import Sequence
from contextlib import aclosing

import pytest

from sourcebook.core.claims import ClaimPair
from sourcebook.core.errors import AgentUnavailable, EmbeddingFailed, ReplyCutOff, Unavailable
from sourcebook.core.health import ServiceHealth
from sourcebook.core.prompts import Message, Prompt
from sourcebook.providers.embedders.caching import CachingEmbedder
from sourcebook.service.wiring.watched_parts import (
    WatchedEmbedder,
    WatchedJudge,
    WatchedLanguageModel,
    WatchedReranker,
)
from tests.fakes import FakeEmbedder, FakeJudge, FakeLanguageModel, FakeReranker

PROMPT = Prompt("Answer.", (Message("user", "What is a node?"),))


async def said(model: WatchedLanguageModel) -> str:
    return "".join([piece async for piece in model.reply(PROMPT)])


@pytest.mark.spec("004 FR-009")
async def test_a_language_model_that_fails_every_reply_is_not_up() -> None:
    refused = AgentUnavailable("The language model refused the key")
    model = WatchedLanguageModel(FakeLanguageModel([refused], ["A node", refused], ["A node."]))

    before = await model.check()
    for _ in range(2):
        with pytest.raises(AgentUnavailable):
            await said(model)
    failing = await model.check()
    assert await said(model) == "A node."

    assert before.status == (await model.check()).status == "up"
    assert (failing.status, failing.message) == (
        "degraded",
        "the last call failed. The language model refused the key",
    )


async def test_a_language_model_that_was_stopped_at_its_limit_is_up() -> None:
    model = WatchedLanguageModel(FakeLanguageModel(["A node", ReplyCutOff("at its limit")]))

    with pytest.raises(ReplyCutOff):
        await said(model)

    assert (await model.check()).status == "up"


async def test_a_language_model_that_has_just_replied_is_up_whatever_its_list_of_models() -> None:
    class Unlisted(FakeLanguageModel):
        async def check(self) -> ServiceHealth:
            return ServiceHealth("degraded", message="refused")

    model = WatchedLanguageModel(Unlisted(["A node."]))
    before = await model.check()
    await said(model)

    assert (before.status, await model.check()) == ("degraded", ServiceHealth("up"))


async def test_a_judge_that_fails_is_not_up_and_keeps_the_threshold_that_was_set() -> None:
    class Moody(FakeJudge):
        away = True

        async def judge(self, pairs: Sequence[ClaimPair]) -> list[float]:
            if self.away:
                raise Unavailable("Judging failed")
            return await super().judge(pairs)

    inner = Moody(threshold=0.9)
    judge, pair = WatchedJudge(inner, 0.7), ClaimPair("a b", "a")

    with pytest.raises(Unavailable):
        await judge.judge([pair])
    failing = await judge.check()
    inner.away = False

    assert (failing.status, judge.threshold, judge.name) == ("degraded", 0.7, inner.name)
    assert await judge.judge([pair]) == [1.0]
    assert (await judge.check()).status == "up"


async def test_a_reply_that_nobody_listens_to_any_more_ends_the_model_and_says_nothing() -> None:
    inner = FakeLanguageModel(["A", "node"])
    model = WatchedLanguageModel(inner)

    async with aclosing(model.reply(PROMPT)) as pieces:
        assert await anext(pieces) == "A"

    assert inner.open == 0
    assert (await model.check()).status == "up"


async def test_an_embedder_that_fails_is_not_up_and_its_cache_does_not_hide_it() -> None:
    inner = FakeEmbedder()
    watched = CachingEmbedder(WatchedEmbedder(inner))
    vector = await watched.embed_query("node")

    inner.failing = True
    with pytest.raises(EmbeddingFailed):
        await watched.embed_documents(["A node is a process."])
    cached = await watched.embed_query("node")
    failing = await watched.check()
    inner.failing = False
    await watched.embed_query("topic")

    assert cached == vector
    assert (failing.status, (await watched.check()).status) == ("degraded", "up")
    assert (watched.id, watched.name, watched.dimensions) == (inner.id, inner.name, 64)


async def test_a_reranker_that_fails_is_not_up() -> None:
    class Broken(FakeReranker):
        async def score(self, query: str, texts: object) -> list[float]:
            raise Unavailable("The reranker is away")

    assert (await WatchedReranker(FakeReranker()).score("a", ["a b"])) == [-1.5]
    reranker = WatchedReranker(Broken())
    with pytest.raises(Unavailable):
        await reranker.score("a", ["a b"])

    assert await reranker.check() == ServiceHealth(
        "degraded", message="the last call failed. The reranker is away"
    )
