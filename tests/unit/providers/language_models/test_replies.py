"""A reply comes in pieces, from the server that was configured, and nothing else leaves."""

import asyncio
import subprocess
import sys
from dataclasses import replace

import pytest

from sourcebook.core.prompts import Message, Sampling
from sourcebook.providers.language_models.agents_model import open_agents_model, settings_for
from sourcebook.providers.language_models.endpoint import Endpoint
from sourcebook.providers.language_models.failures import NOTHING_USABLE, STOPPED
from tests.llm_server import Call, Events, Raw, Say, ScriptedModel, delta
from tests.unit.providers.language_models.asking import (
    KEY,
    MODEL,
    PROMPT,
    Reply,
    Searches,
    ask,
    gather,
    open_model,
)

NOTHING = Reply([], NOTHING_USABLE)


@pytest.mark.spec("004 FR-003")
async def test_pieces_come_as_the_model_writes_them() -> None:
    reply, server = await ask([Say(["ROS 2 ", "is ", "middleware [1]."])])

    assert reply == Reply(["ROS 2 ", "is ", "middleware [1]."])
    assert [request.path for request in server.requests] == ["/v1/chat/completions"]


async def test_the_model_reads_the_instructions_and_the_conversation() -> None:
    conversation = (Message("user", "Hi"), Message("assistant", "Hello."), *PROMPT.messages)
    prompt = replace(PROMPT, messages=conversation, temperature=0.2, max_tokens=100)

    async with ScriptedModel([Say(["x"])]) as server, open_model(server) as model:
        await gather(model, prompt=prompt)

    assert server.requests[0].messages == [
        {"role": "system", "content": "Answer from the evidence."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "What is ROS 2?"},
    ]
    body = {name: value for name, value in server.requests[0].body.items() if name != "messages"}
    assert body == {"model": MODEL, "temperature": 0.2, "max_tokens": 100, "stream": True}


def test_openai_is_asked_in_its_newer_words_and_keeps_nothing() -> None:
    prompt = replace(PROMPT, temperature=0.2, max_tokens=100, sampling=Sampling(0.9, seed=3))

    def asked(model: str, named: str | None = None) -> tuple[object, ...]:
        endpoint = Endpoint("https://api.openai.com/v1/", model)
        found = settings_for(endpoint, replace(prompt, model=named))
        return found.temperature, found.top_p, found.max_tokens, found.extra_args, found.store

    newer = (None, None, None, {"max_completion_tokens": 100}, False)
    older = (0.2, 0.9, None, {"max_completion_tokens": 100, "seed": 3}, False)
    assert (asked("gpt-5.4-mini"), asked("gpt-4.1", "o9")) == (newer, newer)
    assert (asked("gpt-4.1"), asked("gpt-5.4-mini", "gpt-4.1")) == (older, older)


async def test_a_prompt_may_name_another_model_and_how_it_samples() -> None:
    sampling = Sampling(0.9, 1.0, -1.0, 3, ("END", "\n\n"))
    prompt = replace(PROMPT, model="other-1", sampling=sampling)

    async with ScriptedModel([Say(["x"]), Say(["y"])]) as server, open_model(server) as model:
        await gather(model, prompt=prompt)
        await gather(model)

    first, second = (
        {name: value for name, value in request.body.items() if name != "messages"}
        for request in server.requests
    )
    assert first == {
        "model": "other-1",
        "max_tokens": 4096,
        "top_p": 0.9,
        "presence_penalty": 1.0,
        "frequency_penalty": -1.0,
        "seed": 3,
        "stop": ["END", "\n\n"],
        "stream": True,
    }
    assert second == {"model": MODEL, "max_tokens": 4096, "stream": True}


async def test_only_our_own_headers_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary-other-key")
    monkeypatch.setenv("OPENAI_ORG_ID", "canary-organization")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "canary-project")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Other: canary-header")

    _, server = await ask([Say(["x"])])

    headers = server.requests[0].headers
    assert headers["authorization"] == f"Bearer {KEY}"
    assert "canary" not in str({**headers, "authorization": ""})


async def test_without_a_key_none_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary-other-key")
    async with (
        ScriptedModel([Say(["x"])]) as server,
        open_agents_model(Endpoint(f"{server.url}/", MODEL)) as model,
    ):
        assert await gather(model) == Reply(["x"])

    assert "authorization" not in server.requests[0].headers


async def test_a_connection_serves_several_replies() -> None:
    async with ScriptedModel([Say(["a"]), Say(["b"])]) as server, open_model(server) as model:
        assert await gather(model) == Reply(["a"])
        assert await gather(model) == Reply(["b"])
        assert server.open_connections == 1


TALK = """
import asyncio, sys
connected = []
sys.addaudithook(lambda name, found: connected.append(found[1]) if name == "socket.connect" else 0)

async def talk(url):
    from sourcebook.core.prompts import Message, Prompt
    from sourcebook.providers.language_models.agents_model import open_agents_model
    from sourcebook.providers.language_models.endpoint import Endpoint
    async with open_agents_model(Endpoint(url, "any")) as model:
        async for piece in model.reply(Prompt("", (Message("user", "Hi"),))):
            pass

asyncio.run(talk(sys.argv[1]))
import atexit
atexit._run_exitfuncs()
print(connected)
"""


async def test_nothing_connects_anywhere_else_not_even_at_exit() -> None:
    async with ScriptedModel([Say(["Hello."])]) as server:
        talking = await _run(TALK, f"{server.url}/", OPENAI_API_KEY="canary-other-key")

    assert talking == f"[('127.0.0.1', {server.port})]"


@pytest.mark.parametrize(
    "act",
    [
        Say([]),
        Say([], finish="length"),
        Say([], finish="content_filter"),
        Events([delta({"role": "assistant", "content": None}), delta({}, "stop")]),
        Events([delta({"reasoning_content": "Let me think."}), delta({}, "stop")]),
        Events([delta({"refusal": "I cannot."}), delta({}, "stop")]),
        Events([delta({"content": 5}), delta({}, "stop")]),
        Events([delta({"content": [{"text": "x"}]}), delta({}, "stop")]),
        Events([{"choices": None}]),
        Events([{"choices": [{"index": 0, "delta": None, "finish_reason": "stop"}]}]),
        Raw("data: garbage\n\n"),
        Raw("data: 5\n\n"),
        Raw("<html>Welcome</html>", "text/html"),
        Raw('{"choices": "a whole reply, though a stream was wanted"}', "application/json"),
    ],
    ids=str,
)
async def test_a_reply_without_text_is_unusable(act: Say | Events | Raw) -> None:
    reply, server = await ask([act])

    assert (reply, len(server.requests)) == (NOTHING, 1)


async def test_a_blank_reply_is_unusable() -> None:
    reply, _ = await ask([Say([" ", "\n"])])

    assert reply == Reply([" ", "\n"], NOTHING_USABLE)


@pytest.mark.parametrize("finish", ["length", "content_filter"])
async def test_a_reply_that_was_cut_is_what_there_is_of_it_and_says_so(finish: str) -> None:
    reply, server = await ask([Say(["ROS 2 ", "is"], finish=finish)])

    assert (reply, len(server.requests)) == (Reply(["ROS 2 ", "is"], STOPPED), 1)


async def test_only_the_end_of_the_last_turn_tells_whether_a_reply_was_cut() -> None:
    named = {"name": "search_documentation", "arguments": '{"query": "ROS 2"}'}
    call = {"index": 0, "id": "call_1", "type": "function", "function": named}
    cut = [
        delta({"content": "Let me search. "}),
        delta({"tool_calls": [call]}),
        delta({}, "length"),
    ]

    reply, _ = await ask([Events(cut), Say(["ROS 2 is middleware."])], Searches())

    assert reply == Reply(["Let me search. ", "\n\nROS 2 is middleware."])


async def test_why_else_a_model_ends_does_not_matter() -> None:
    reply, _ = await ask([Say(["ROS 2 ", "is"], finish="anything")])

    assert reply == Reply(["ROS 2 ", "is"])


@pytest.mark.parametrize(
    "usage",
    [None, {}, {"prompt_tokens": None, "completion_tokens": None, "total_tokens": None}],
    ids=str,
)
async def test_counts_of_tokens_may_be_missing(usage: dict[str, object] | None) -> None:
    last = {**delta({}, "stop"), "usage": usage}

    reply, _ = await ask([Events([delta({"content": "x"}), last])])

    assert reply == Reply(["x"])


async def test_halves_of_characters_do_not_get_through() -> None:
    reply, _ = await ask([Say(["a\ud83d", "\ude00b"])])

    assert reply == Reply(["a?", "?b"])


async def test_what_is_said_before_and_after_a_search_stays_apart() -> None:
    call = Call([("unknown_tool", "{}")], after="Let me see.")

    reply, _ = await ask([call, Say(["ROS 2 ", "is middleware."])])

    assert reply == Reply(["Let me see.", "\n\nROS 2 ", "is middleware."])


async def _run(code: str, argument: str, **environment: str) -> str:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, argument, stdout=subprocess.PIPE, env=environment
    )
    out, _ = await process.communicate()
    assert process.returncode == 0
    return out.decode().strip()
