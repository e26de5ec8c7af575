"""Whatever goes wrong upstream is AgentUnavailable, in our words, after the calls that can help."""

import asyncio
import json
import logging
import socket
from email.utils import formatdate

import httpx2
import openai
import pytest

from sourcebook.core.errors import AgentTimeout
from sourcebook.providers.language_models.agents_model import open_agents_model
from sourcebook.providers.language_models.endpoint import Endpoint
from sourcebook.providers.language_models.failures import (
    BROKE_OFF,
    KEY_REFUSED,
    NOTHING_USABLE,
    RATE_LIMITED,
    TOO_SLOW,
    UNREACHABLE,
    explain,
    is_transient,
)
from sourcebook.providers.language_models.retrying_model import RetryTiming
from tests.llm_server import Act, Call, Drip, Drop, Fail, Hang, Raw, Say, searching
from tests.unit.providers.language_models.asking import (
    KEY,
    MODEL,
    Naps,
    Reply,
    Searches,
    ask,
    gather,
)

FAILED = "The language model's server failed (status {}): try again later"
REFUSED = (
    "The language model's server refused the request (status {}):"
    " check the key, the model's name and the address in the settings"
)
UNKNOWN = (
    f"The language model '{MODEL}' is not known to its server:"
    " check its name and address in the settings"
)
FINE = Say(["Fine."])


@pytest.mark.spec("004 FR-010")
@pytest.mark.parametrize(
    ("status", "message"),
    [
        (301, REFUSED.format(301)),
        (307, REFUSED.format(307)),
        (400, REFUSED.format(400)),
        (401, KEY_REFUSED),
        (403, KEY_REFUSED),
        (404, UNKNOWN),
        (422, REFUSED.format(422)),
        (501, FAILED.format(501)),
    ],
)
async def test_what_cannot_pass_is_asked_once(status: int, message: str) -> None:
    naps = Naps()

    reply, server = await ask(
        [Fail(status, {"Location": "/v1/models"}), FINE], timing=naps.timing()
    )

    assert (reply, len(server.requests), naps.taken_s) == (Reply([], message), 1, [])
    assert server.probes == []


@pytest.mark.parametrize("status", [500, 502, 503, 504])
async def test_what_may_pass_is_asked_three_times(status: int) -> None:
    naps = Naps()

    reply, server = await ask([*[Fail(status)] * 3, FINE], timing=naps.timing())

    assert (reply, len(server.requests)) == (Reply([], FAILED.format(status)), 3)
    assert naps.ceilings_s == [0.5, 1.0]
    assert naps.taken_s == [0.375, 0.75]


@pytest.mark.spec("004 FR-010")
async def test_a_server_that_takes_no_more_is_asked_later_and_later() -> None:
    naps = Naps()

    reply, server = await ask([Fail(429)], repeat_last=True, timing=naps.timing())

    assert (reply, len(server.requests)) == (Reply([], RATE_LIMITED), 5)
    assert naps.ceilings_s == [1.0, 2.0, 4.0, 8.0]
    assert naps.taken_s == [0.75, 1.5, 3.0, 6.0]


@pytest.mark.parametrize("failure", [Fail(500), Drop(), Raw("")], ids=str)
async def test_a_retry_that_succeeds_leaves_no_trace(failure: Act) -> None:
    reply, server = await ask([failure, Fail(503), FINE])

    assert (reply, len(server.requests)) == (Reply(["Fine."]), 3)
    assert server.requests[0].body == server.requests[2].body


async def test_retries_are_counted_over_all_turns_of_a_reply() -> None:
    script: list[Act] = [Fail(500), searching("a"), Fail(500), searching("b"), Fail(503), FINE]
    search = Searches()

    reply, server = await ask(script, search)

    assert (reply, len(server.requests)) == (Reply([], FAILED.format(503)), 5)
    assert [query for query, _, _ in search.asked] == ["a", "b"]


async def test_waits_are_random() -> None:
    naps = Naps()
    for _ in range(5):
        await ask([Fail(500), FINE], timing=RetryTiming(sleep=naps.sleep))

    assert len(set(naps.taken_s)) > 1
    assert all(0.25 <= wait_s <= 0.5 for wait_s in naps.taken_s)


@pytest.mark.parametrize("value", ["3", " 3.0 "])
async def test_the_server_may_say_how_long_to_wait(value: str) -> None:
    naps = Naps()

    reply, _ = await ask([Fail(429, {"Retry-After": value}), FINE], timing=naps.timing())

    assert (reply, naps.taken_s) == (Reply(["Fine."]), [3.75])


@pytest.mark.parametrize("value", ["0", "-1", formatdate(0, usegmt=True)])
async def test_a_server_that_asks_for_no_wait_still_gets_one(value: str) -> None:
    naps = Naps()

    reply, _ = await ask([Fail(429, {"Retry-After": value}), FINE], timing=naps.timing())

    assert (reply, naps.taken_s) == (Reply(["Fine."]), [0.75])


async def test_the_wait_that_gemini_asks_for_is_in_the_body() -> None:
    naps = Naps()
    info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "3.5s"}
    said = json.dumps([{"error": {"code": 429, "message": "quota", "details": [info]}}])

    reply, _ = await ask([Fail(429, text=said), FINE], timing=naps.timing())

    assert (reply, naps.taken_s) == (Reply(["Fine."]), [4.25])


@pytest.mark.parametrize("value", ["soon", "nan", "inf", "Mon, 99 Foo 2026", ""])
async def test_a_wait_that_cannot_be_read_is_ours_to_choose(value: str) -> None:
    naps = Naps()

    reply, _ = await ask([Fail(429, {"Retry-After": value}), FINE], timing=naps.timing())

    assert (reply, naps.taken_s) == (Reply(["Fine."]), [0.75])


@pytest.mark.parametrize(("value", "told_s"), [("60", 60.0), ("1e300", 86_400.0)])
async def test_nobody_waits_for_longer_than_there_is_time_and_callers_learn_how_long(
    value: str, told_s: float
) -> None:
    naps = Naps()

    reply, server = await ask([Fail(429, {"Retry-After": value}), FINE], timing=naps.timing())

    assert (reply, len(server.requests)) == (Reply([], RATE_LIMITED, told_s), 1)
    assert naps.taken_s == []


async def test_a_server_that_is_not_there_is_tried_three_times() -> None:
    naps = Naps()
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unheard.getsockname()[1]}/v1/"
        async with open_agents_model(Endpoint(url, MODEL, KEY), naps.timing()) as model:
            reply = await gather(model)

    assert (reply, len(naps.taken_s)) == (Reply([], UNREACHABLE), 2)


def test_a_slow_model_is_not_asked_again_but_one_that_cannot_be_reached_is() -> None:
    request = httpx2.Request("POST", "http://127.0.0.1/v1/chat/completions")
    slow, deaf = openai.APITimeoutError(request), openai.APITimeoutError(request)
    slow.__cause__, deaf.__cause__ = httpx2.ReadTimeout(""), httpx2.ConnectTimeout("")

    assert [is_transient(error) for error in (TimeoutError(), slow, deaf)] == [False, False, True]
    assert [type(explain(error, MODEL)) for error in (TimeoutError(), slow)] == [AgentTimeout] * 2
    assert explain(deaf, MODEL).message == UNREACHABLE


async def test_the_deadline_ends_a_server_that_hangs() -> None:
    reply, server = await ask([Hang()], timeout_s=1.0)

    assert (reply, len(server.requests)) == (Reply([], TOO_SLOW), 1)


async def test_the_deadline_ends_a_server_that_drips() -> None:
    reply, server = await ask([Drip(every_s=0.01)], timeout_s=1.0)

    assert (reply, len(server.requests)) == (Reply([], TOO_SLOW), 1)
    assert server.requests[0].gone.is_set()


async def test_the_deadline_ends_a_reply_that_goes_on_for_ever() -> None:
    reply, server = await ask([Say(["a"] * 1_000, pause_s=0.02)], timeout_s=1.0)

    assert reply.error == TOO_SLOW
    assert 0 < len(reply.pieces) < 1_000
    assert server.requests[0].gone.is_set()


async def test_the_deadline_ends_the_wait_for_another_attempt_and_says_why_there_was_one() -> None:
    async def for_ever(_: float) -> None:
        await asyncio.Event().wait()

    reply, server = await ask([Fail(500), FINE], timeout_s=1.0, timing=RetryTiming(for_ever, min))

    assert (reply, len(server.requests)) == (Reply([], FAILED.format(500)), 1)


async def test_the_deadline_of_a_later_attempt_is_its_own_failure() -> None:
    reply, server = await ask([Fail(500), Hang()], timeout_s=3.0)

    assert (reply, len(server.requests)) == (Reply([], TOO_SLOW), 2)


async def test_text_that_was_given_out_is_never_asked_for_again() -> None:
    reply, server = await ask([Drop(["ROS 2 ", "is"]), FINE])

    assert (reply, len(server.requests)) == (Reply(["ROS 2 ", "is"], BROKE_OFF), 1)


async def test_nothing_is_retried_once_text_was_given_out_in_an_earlier_turn() -> None:
    told = Call([("search_documentation", '{"query": "a"}')], after="Let me see.")

    reply, server = await ask([told, Fail(500), FINE], Searches())

    assert reply == Reply(["Let me see."], FAILED.format(500))
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "rest",
    [
        "",
        'data: {"error": {"code": 500}}\n\n',
        'data: {"error": {"message": "canary-far-side"}}\n\n',
        'data: {"choi\n\n',
        "data: 5\n\n",
    ],
)
async def test_half_an_answer_does_not_pass_for_a_whole(rest: str) -> None:
    half = 'data: {"choices": [{"index": 0, "delta": {"content": "half"}}]}\n\n'

    reply, server = await ask([Raw(half + rest), FINE])

    assert (reply, len(server.requests)) == (Reply(["half"], BROKE_OFF), 1)


async def test_an_error_in_place_of_a_reply_is_not_repeated() -> None:
    reply, server = await ask([Raw('data: {"error": {"message": "canary-far-side"}}\n\n'), FINE])

    assert (reply, len(server.requests)) == (Reply([], BROKE_OFF), 1)


async def test_no_log_holds_the_key_or_what_the_far_side_said(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("httpx2", "httpcore2"):
        caplog.set_level(logging.WARNING, name)

    for act in (Fail(401), Fail(500), Raw("data: canary-far-side\n\n"), Drop(["a"])):
        await ask([act], repeat_last=True)

    failures = [r for r in caplog.records if r.getMessage() == "language_model_failed"]
    assert [vars(record)["status"] for record in failures] == [401, 500, 500, 500, None, None]
    ours = [str(vars(r)) for r in caplog.records if r.name.startswith("sourcebook")]
    assert not [text for text in ours if "canary" in text]
    assert KEY not in caplog.text


def test_messages_are_sentences_that_say_what_to_do() -> None:
    for message in (BROKE_OFF, KEY_REFUSED, NOTHING_USABLE, RATE_LIMITED, TOO_SLOW, UNREACHABLE):
        assert message.startswith("The language model ")
        assert ": " in message
