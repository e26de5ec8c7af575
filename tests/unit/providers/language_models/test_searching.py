"""The model may search, a few times, with arguments that are checked; what fails, fails plainly."""

import asyncio
import json
from collections.abc import Mapping

import pytest

from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.providers.language_models.agents_model import open_agents_model
from sourcebook.providers.language_models.endpoint import Endpoint
from sourcebook.providers.language_models.failures import NOTHING_USABLE, TOO_SLOW
from sourcebook.providers.language_models.search_tool import NO_MORE
from tests.llm_server import Call, Events, Json, Request, Say, ScriptedModel, delta, searching
from tests.unit.providers.language_models.asking import (
    PROMPT,
    Reply,
    Searches,
    ask,
    client_tasks,
    gather,
    open_model,
)

TOOL = "search_documentation"
FINE = Say(["Fine."])


def tool_results(request: Request) -> list[object]:
    return [message["content"] for message in request.messages if message["role"] == "tool"]


@pytest.mark.spec("004 FR-004")
async def test_the_model_reads_what_its_search_found() -> None:
    search = Searches("[3] ROS 2 is middleware.")
    call = searching("ROS 2", top_k=3, filters={"page_title": ["Intro", "Nodes"]})

    reply, server = await ask([call, Say(["Middleware ", "[3]."])], search)

    assert reply == Reply(["Middleware ", "[3]."])
    assert search.asked == [("ROS 2", 3, {"page_title": ["Intro", "Nodes"]})]
    assert tool_results(server.requests[1]) == ["[3] ROS 2 is middleware."]


async def test_the_tool_is_named_and_described() -> None:
    _, server = await ask([FINE], Searches())

    (tool,) = server.requests[0].functions
    assert tool["name"] == TOOL
    assert tool["description"].startswith("Search the documentation")
    assert set(tool["parameters"]["properties"]) == {"query", "top_k", "filters"}
    assert tool["parameters"]["required"] == ["query"]


async def test_without_a_search_there_is_no_tool() -> None:
    reply, server = await ask([searching("ROS 2"), FINE])

    assert reply == Reply(["Fine."])
    assert [request.tools for request in server.requests] == [[], []]


async def test_a_model_that_only_searches_is_made_to_answer_and_then_given_up() -> None:
    search = Searches()

    reply, server = await ask([searching("again")], search, repeat_last=True)

    assert reply == Reply([], NOTHING_USABLE)
    assert [request.tools for request in server.requests] == [[TOOL], [TOOL], [TOOL], []]
    assert len(search.asked) == 3


async def test_a_model_that_has_to_answer_can() -> None:
    reply, server = await ask([searching("a"), searching("b"), searching("c"), FINE], Searches())

    assert (reply, len(server.requests)) == (Reply(["Fine."]), 4)


async def test_what_a_restless_model_said_is_not_lost() -> None:
    call = Call([(TOOL, '{"query": "more"}')], after="One moment.")

    reply, server = await ask([call], Searches(), repeat_last=True)

    assert reply == Reply(["One moment.", *["\n\nOne moment."] * 3])
    assert len(server.requests) == 4


async def test_searches_at_the_same_time_count_each() -> None:
    search = Searches("found")
    calls = Call([(TOOL, json.dumps({"query": str(number)})) for number in range(6)])

    reply, server = await ask([calls, FINE], search)

    assert reply == Reply(["Fine."])
    assert sorted(query for query, _, _ in search.asked) == ["0", "1", "2", "3"]
    assert tool_results(server.requests[1]) == ["found"] * 4 + [NO_MORE] * 2
    assert server.requests[1].tools == []


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        ('{"query": "x", "top_k": 1000000000}', ("x", 20, None)),
        ('{"query": "x", "top_k": -5}', ("x", 1, None)),
        ('{"query": "x", "top_k": 4.0}', ("x", 4, None)),
        ('{"query": "x", "top_k": null, "filters": {}}', ("x", None, None)),
        ('{"query": " x "}{"query": "y"}', ("x", None, None)),
        ('{"query": "\\ud800x"}', ("?x", None, None)),
        (json.dumps({"query": "x" * 5_000}), ("x" * 2_000, None, None)),
        (
            '{"query": "x", "filters": {"source_url": "/a", "page_title": null}}',
            ("x", None, {"source_url": "/a"}),
        ),
    ],
)
async def test_arguments_are_cut_to_what_is_allowed(
    arguments: str, asked: tuple[str, int | None, Mapping[str, object] | None]
) -> None:
    search = Searches()

    reply, _ = await ask([Call([(TOOL, arguments)]), FINE], search)

    assert (reply, search.asked) == (Reply(["Fine."]), [asked])


NO_QUERY = "query must be a text that is not empty. Nothing was searched."
NO_NUMBER = "top_k must be a whole number. Nothing was searched."
NO_FILTER = (
    "filters must be an object with: source_url, page_title, section_heading. Nothing was searched."
)
NO_VALUES = "The filter page_title must be a text or a list of 1 to 20. Nothing was searched."


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("", NO_QUERY),
        ("{", NO_QUERY),
        ('{"query": "x"', NO_QUERY),
        ('["x"]', NO_QUERY),
        ("[" * 100_000, NO_QUERY),
        ('{"query": "x", "top_k": NaN}', NO_QUERY),
        ('{"query": 5}', NO_QUERY),
        ('{"query": " "}', NO_QUERY),
        ('{"query": "x", "top_k": "many"}', NO_NUMBER),
        ('{"query": "x", "top_k": true}', NO_NUMBER),
        ('{"query": "x", "top_k": 2.5}', NO_NUMBER),
        ('{"query": "x", "filters": {"book_id": "other"}}', NO_FILTER),
        ('{"query": "x", "filters": {"$or": []}}', NO_FILTER),
        ('{"query": "x", "filters": ["page_title"]}', NO_FILTER),
        ('{"query": "x", "filters": {"page_title": 5}}', NO_VALUES),
        ('{"query": "x", "filters": {"page_title": []}}', NO_VALUES),
        ('{"query": "x", "filters": {"page_title": ["a", 5]}}', NO_VALUES),
        (json.dumps({"query": "x", "filters": {"page_title": ["a"] * 21}}), NO_VALUES),
        (
            '{"query": "x", "hardware_tier": 4}',
            "Unknown arguments: hardware_tier. Nothing was searched.",
        ),
    ],
)
async def test_arguments_that_make_no_sense_are_explained_to_the_model(
    arguments: str, told: str
) -> None:
    search = Searches()

    reply, server = await ask([Call([(TOOL, arguments)]), FINE], search)

    assert (reply, search.asked) == (Reply(["Fine."]), [])
    assert tool_results(server.requests[1]) == [told]


async def test_an_unknown_tool_is_explained_to_the_model() -> None:
    reply, server = await ask([Call([("delete_everything", "{}")]), FINE], Searches())

    assert reply == Reply(["Fine."])
    (told,) = tool_results(server.requests[1])
    assert "delete_everything" in str(told)


def call_event(*calls: Json) -> Events:
    function = {"name": TOOL, "arguments": '{"query": "x"}'}
    made = [{"index": 0, "type": "function", "function": function, **call} for call in calls]
    return Events([delta({"tool_calls": made}), delta({}, "tool_calls")])


@pytest.mark.parametrize("call_id", ["", None, "same"])
async def test_calls_without_an_id_of_their_own_get_one(call_id: str | None) -> None:
    search = Searches()

    reply, server = await ask([call_event({"id": call_id})] * 2 + [FINE], search)

    assert (reply, len(search.asked)) == (Reply(["Fine."]), 2)
    ids = [m["tool_call_id"] for m in server.requests[2].messages if m["role"] == "tool"]
    assert len(set(ids)) == 2
    assert all(ids)


async def test_gemini_gets_the_signature_of_its_thought_back() -> None:
    signed: Json = {"id": "a", "extra_content": {"google": {"thought_signature": "signature-1"}}}
    async with (
        ScriptedModel([call_event(signed), FINE]) as server,
        open_agents_model(Endpoint(f"{server.url}/", "gemini-2.5-flash")) as model,
    ):
        assert await gather(model, Searches()) == Reply(["Fine."])

    assert "signature-1" in json.dumps(server.requests[1].messages)


async def test_a_call_without_a_number_is_a_call() -> None:
    search = Searches()

    reply, _ = await ask([call_event({"id": "a", "index": None}), FINE], search)

    assert (reply, len(search.asked)) == (Reply(["Fine."]), 1)


@pytest.mark.parametrize("error", [RetrievalUnavailable("The store is away."), KeyError("a bug")])
async def test_what_the_search_raises_is_raised_as_it_is(error: Exception) -> None:
    async def failing(*_: object) -> str:
        raise error

    async with ScriptedModel([searching("x"), FINE]) as server, open_model(server) as model:
        before = client_tasks()
        with pytest.raises(type(error)) as caught:
            await anext(model.reply(PROMPT, failing))
        assert client_tasks() == before

    assert caught.value is error
    assert len(server.requests) == 1


async def test_a_search_that_fails_ends_the_others() -> None:
    ended = asyncio.Event()

    async def search(query: str, *_: object) -> str:
        if query == "bad":
            raise RetrievalUnavailable("The store is away.")
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return ""

    calls = Call([(TOOL, '{"query": "good"}'), (TOOL, '{"query": "bad"}')])

    reply, _ = await ask([calls, FINE], search)

    assert reply == Reply([], "The store is away.")
    assert ended.is_set()


async def test_the_deadline_ends_a_search() -> None:
    ended = asyncio.Event()

    async def endless(*_: object) -> str:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return ""

    reply, server = await ask([searching("x"), FINE], endless, timeout_s=1.0)

    assert (reply, len(server.requests)) == (Reply([], TOO_SLOW), 1)
    assert ended.is_set()
