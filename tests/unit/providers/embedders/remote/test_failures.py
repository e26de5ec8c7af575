"""What every embedder over HTTP does when its service fails, whichever it is."""

import asyncio
import logging
import time
from email.utils import formatdate

import pytest

from sourcebook.core.errors import EmbeddingFailed, EmbeddingRefused, PoisonText, RateLimited
from tests.embedding_server import (
    CANARY,
    Drip,
    EmbeddingServer,
    Fail,
    Hang,
    Truncate,
    Work,
)
from tests.unit.providers.embedders.remote.fake_services import (
    EVERY,
    KEY,
    Open,
    cohere,
    ollama,
    openai,
)


@EVERY
@pytest.mark.parametrize(
    ("status", "kind", "says"),
    [
        (401, EmbeddingRefused, "refused the key"),
        (403, EmbeddingRefused, "refused the key"),
        (402, EmbeddingRefused, "no credit"),
        (418, EmbeddingRefused, "status 418"),
        (302, EmbeddingRefused, "sends us elsewhere"),
        (408, EmbeddingFailed, "status 408"),
        (500, EmbeddingFailed, "status 500"),
        (503, EmbeddingFailed, "status 503"),
    ],
)
async def test_a_status_is_told_once_in_our_words_and_not_tried_again(
    opened: Open, status: int, kind: type[EmbeddingFailed], says: str
) -> None:
    async with EmbeddingServer() as server, opened(server) as embedder:
        server.script = [Fail(status)]
        with pytest.raises(kind, match=says) as caught:
            await embedder.embed_documents(["one", "two"])
    assert type(caught.value) is kind
    assert CANARY not in caught.value.message
    assert KEY not in caught.value.message
    assert len(server.requests) == 1


@pytest.mark.parametrize(("opened", "variable"), [(openai, "OPENAI"), (cohere, "COHERE")])
async def test_a_refused_key_says_where_it_is_set(opened: Open, variable: str) -> None:
    async with EmbeddingServer([Fail(401)]) as server, opened(server) as embedder:
        with pytest.raises(EmbeddingRefused, match=f"{variable}_API_KEY"):
            await embedder.embed_query("Why?")


async def test_an_unknown_model_says_what_to_check() -> None:
    async with EmbeddingServer([Fail(404)]) as server, openai(server) as embedder:
        with pytest.raises(EmbeddingRefused, match=r"'text-embedding-3-small'.*base_url"):
            await embedder.embed_query("Why?")


@EVERY
@pytest.mark.parametrize(
    ("value", "seconds"),
    [("7", 7), ("0.5", 0.5), ("3600", 3600), ("1e300", 86_400), ("-1", 0), ("soon", None)],
)
async def test_a_rate_limit_says_how_long_to_wait(
    opened: Open, value: str, seconds: float | None
) -> None:
    async with EmbeddingServer() as server, opened(server) as embedder:
        server.script = [Fail(429, {"Retry-After": value})]
        with pytest.raises(RateLimited) as caught:
            await embedder.embed_query("Why?")
    assert caught.value.retry_after_s == seconds


async def test_a_rate_limit_may_name_a_date() -> None:
    date = formatdate(time.time() + 60, usegmt=True)
    act = Fail(429, {"Retry-After": date})
    async with EmbeddingServer([act]) as server, openai(server) as embedder:
        with pytest.raises(RateLimited) as caught:
            await embedder.embed_query("Why?")
    assert caught.value.retry_after_s is not None
    assert 0 < caught.value.retry_after_s <= 60


async def test_an_account_without_credit_is_not_worth_waiting_for() -> None:
    act = Fail(429, text='{"error": {"code": "insufficient_quota"}}')
    async with EmbeddingServer([act]) as server, openai(server) as embedder:
        with pytest.raises(EmbeddingRefused, match="no credit left"):
            await embedder.embed_query("Why?")


@EVERY
async def test_wrong_dimensions_are_told_with_both_numbers(opened: Open) -> None:
    async with EmbeddingServer() as server, opened(server) as embedder:
        server.script = [Work(vector=[1.0] * 9)]
        # No text has another length: there is nothing to try again.
        with pytest.raises(EmbeddingRefused, match="9 dimensions, not 8"):
            await embedder.embed_documents(["one"])


@EVERY
@pytest.mark.parametrize("act", [Hang(), Drip()])
async def test_a_service_that_is_too_slow_is_left(opened: Open, act: Hang | Drip) -> None:
    limits = {"timeout_s": 0.2, "query_timeout_s": 0.2}
    async with EmbeddingServer() as server, opened(server, **limits) as embedder:
        server.script = [act, act]
        with pytest.raises(EmbeddingFailed, match=r"longer than 0\.2 s"):
            await embedder.embed_documents(["one"])
        with pytest.raises(EmbeddingFailed, match=r"longer than 0\.2 s"):
            await embedder.embed_query("Why?")
        for request in server.requests:
            async with asyncio.timeout(5):
                await request.gone.wait()


@EVERY
async def test_half_a_reply_is_a_failure(opened: Open) -> None:
    async with EmbeddingServer() as server, opened(server) as embedder:
        server.script = [Truncate()]
        with pytest.raises(EmbeddingFailed, match="broke off"):
            await embedder.embed_documents(["one"])


async def test_a_service_that_is_away_is_a_failure() -> None:
    async with EmbeddingServer() as server, openai(server) as embedder:
        server._server.close()
        with pytest.raises(EmbeddingFailed, match="cannot be reached"):
            await embedder.embed_documents(["one"])


@EVERY
async def test_who_is_cancelled_leaves_no_request_behind(opened: Open) -> None:
    async with EmbeddingServer() as server, opened(server) as embedder:
        server.script = [Hang(), Hang()]
        for number, call in enumerate(
            [embedder.embed_documents(["one"]), embedder.embed_query("Why?")], start=1
        ):
            asking = asyncio.ensure_future(call)
            await server.arrived(number)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            async with asyncio.timeout(5):
                await server.requests[-1].gone.wait()


@EVERY
@pytest.mark.parametrize("count", [1, 2, 20, 53])
async def test_a_poison_text_is_found_and_named_by_its_place_alone(
    opened: Open, count: int
) -> None:
    texts = [f"Good text {number}." for number in range(count)]
    texts[count // 2] = "This text is poison."
    async with EmbeddingServer() as server, opened(server) as embedder:
        with pytest.raises(PoisonText) as caught:
            await embedder.embed_documents(texts)
    assert caught.value.positions == (count // 2,)
    assert f"refused 1 of {count} texts: number {count // 2} (20 ch" in caught.value.message
    assert "poison" not in caught.value.message
    assert CANARY not in caught.value.message


async def test_several_poison_texts_are_all_found() -> None:
    texts = ["poison" if number in {0, 7, 8, 19, 40} else "fine" for number in range(60)]
    async with EmbeddingServer() as server, openai(server) as embedder:
        with pytest.raises(PoisonText) as caught:
            await embedder.embed_documents(texts)
    assert caught.value.positions == (0, 7, 8, 19, 40)


async def test_a_poison_text_is_found_in_few_requests() -> None:
    texts = ["poison", *(f"Text {number}." for number in range(19))]
    async with EmbeddingServer() as server, openai(server) as embedder:
        await embedder.embed_query("Why?")
        server.requests.clear()
        with pytest.raises(PoisonText):
            await embedder.embed_documents(texts)
    # 20, a harmless one, the halves 10 and 10, then 5 and 5, 2 and 3, 1 and 1.
    assert len(server.requests) == 10


async def test_a_poison_question_does_not_harm_others_in_its_request() -> None:
    async with EmbeddingServer() as server, openai(server) as embedder:
        good, bad = await asyncio.gather(
            embedder.embed_query("Why?"),
            embedder.embed_query("A poison question"),
            return_exceptions=True,
        )
    assert isinstance(good, list)
    assert isinstance(bad, PoisonText)
    assert len(server.requests[0].texts) == 2


async def test_when_every_request_is_refused_no_text_is_blamed() -> None:
    async with EmbeddingServer([Fail(400)] * 100) as server, openai(server) as embedder:
        with pytest.raises(
            EmbeddingRefused, match=r"refuses every request \(status 400\)"
        ) as caught:
            await embedder.embed_documents([f"Text {number}." for number in range(20)])
    assert not isinstance(caught.value, PoisonText)
    assert len(server.requests) == 2


async def test_a_service_that_worked_and_now_refuses_everything_is_not_taken_for_poison() -> None:
    async with EmbeddingServer() as server, openai(server) as embedder:
        await embedder.embed_documents(["one"])
        server.script = [Fail(400)] * 100
        for call in (embedder.embed_documents(["two", "three"]), embedder.embed_query("Why?")):
            with pytest.raises(EmbeddingRefused, match="refuses every request") as caught:
                await call
            assert not isinstance(caught.value, PoisonText)
        health = await embedder.check()
    assert (health.status, len(server.requests)) == ("degraded", 1 + 2 + 2)


@EVERY
async def test_a_text_that_the_service_finds_too_long_is_sent_in_smaller_parts(
    opened: Open,
) -> None:
    long = " ".join(f"w{number}" for number in range(100))
    async with EmbeddingServer(longest=150) as server, opened(server) as embedder:
        short_alone, long_alone = await embedder.embed_documents(["Short.", long])
    assert len(short_alone) == len(long_alone) == 1
    taken = [text for request in server.requests for text in request.texts if len(text) <= 150]
    prompt = "search_document: " if opened is ollama else ""
    parts = [text.removeprefix(prompt) for text in taken if "Short." not in text]
    assert "".join(parts) == long


async def test_a_short_text_that_is_called_too_long_is_poison() -> None:
    async with EmbeddingServer(longest=3) as server, openai(server) as embedder:
        with pytest.raises(PoisonText):
            await embedder.embed_documents(["A short text."])


async def test_what_was_embedded_before_a_rate_limit_is_not_asked_for_again() -> None:
    texts = [f"Text number {number}." for number in range(60)]
    async with EmbeddingServer([Work(), Fail(429)]) as server, openai(server) as embedder:
        with pytest.raises(RateLimited):
            await embedder.embed_documents(texts)
        assert len(await embedder.embed_documents(texts)) == 60
    answered = server.embedded
    assert len(answered) == 60 + 20
    assert set(answered) == set(texts)


async def test_good_texts_beside_a_poison_one_are_not_asked_for_again() -> None:
    texts = [*(f"Text number {number}." for number in range(30)), "poison"]
    async with EmbeddingServer() as server, openai(server) as embedder:
        with pytest.raises(PoisonText):
            await embedder.embed_documents(texts)
        server.requests.clear()
        assert len(await embedder.embed_documents(texts[:-1])) == 30
    assert server.requests == []


async def test_what_was_embedded_is_kept_for_one_more_call_only() -> None:
    async with EmbeddingServer() as server, openai(server) as embedder:
        with pytest.raises(PoisonText):
            await embedder.embed_documents(["fine", "poison"])
        await embedder.embed_documents(["fine"])
        server.requests.clear()
        await embedder.embed_documents(["fine"])
    assert server.embedded == ["fine"]


async def test_after_a_failure_no_other_batch_is_begun() -> None:
    texts = [f"Text number {number}." for number in range(400)]
    async with EmbeddingServer([Fail(500)]) as server, openai(server) as embedder:
        with pytest.raises(EmbeddingFailed, match="status 500"):
            await embedder.embed_documents(texts)
    assert len(server.requests) <= 4 + 3


async def test_a_closed_embedder_says_so() -> None:
    async with EmbeddingServer() as server:
        async with openai(server) as embedder:
            pass
        for call in (embedder.embed_query("Why?"), embedder.embed_documents(["one"])):
            with pytest.raises(EmbeddingFailed, match="'mine' is closed"):
                await call
        assert (await embedder.check()).status == "down"


@EVERY
async def test_neither_keys_nor_texts_nor_the_far_side_are_logged(
    opened: Open, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with EmbeddingServer() as server, opened(server, api_key=KEY) as embedder:
        for act in (Fail(401), Fail(429), Fail(500), Truncate(), Work()):
            server.script = [act]
            try:
                await embedder.embed_documents(["A secret text"])
            except EmbeddingFailed:
                await embedder.check()
    logged = "\n".join(f"{record.getMessage()} {record.__dict__}" for record in caplog.records)
    assert KEY not in logged
    assert "A secret text" not in logged
    assert CANARY not in logged
