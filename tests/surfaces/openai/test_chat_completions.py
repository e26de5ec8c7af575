"""OpenAI's own client asks a book, whole and streamed, and reads the citations."""

from typing import Any

import httpx2
import openai
import pytest

from sourcebook.core.answers import NO_INFORMATION, NOTHING_FOUND
from sourcebook.surfaces.use_cases import UseCases
from tests.surfaces.openai.conftest import client_of
from tests.two_books import (
    COOKING,
    DOUGH,
    NODE,
    NODES_ID,
    ROBOTS,
    WEIGHT,
    keyed_app,
    streaming_client,
)

ASKED: list[Any] = [{"role": "user", "content": "What is a node of a robot?"}]
ADDRESS = f"http://localhost/#/read/{NODES_ID}"
LISTED = "\n\nSources:\n- [1] [Nodes]("


async def test_an_answer_cites_in_every_way_that_clients_read(ai: openai.AsyncOpenAI) -> None:
    reply = await ai.chat.completions.create(model="sourcebook", messages=ASKED)

    (choice,) = reply.choices
    text = choice.message.content or ""
    assert text.startswith(f"{NODE} [1]{LISTED}{ADDRESS}")
    (annotation,) = choice.message.annotations or []
    cited = annotation.url_citation
    assert cited.url.startswith(ADDRESS)
    assert text[cited.start_index : cited.end_index] == "[1]"
    beside = reply.model_extra or {}
    assert beside["citations"] == [cited.url]
    assert beside["search_results"][0]["snippet"] == NODE
    (source,) = beside["sourcebook"]["sources"]
    assert source["chunk_text"] == NODE
    assert source["char_end"] - source["char_start"] == len(NODE)
    assert choice.finish_reason == "stop"
    assert reply.usage is not None
    assert reply.usage.total_tokens > 0


async def test_a_stream_says_the_same_and_brings_the_citations_before_the_stop(
    ai: openai.AsyncOpenAI,
) -> None:
    whole = await ai.chat.completions.create(model="sourcebook", messages=ASKED)
    options: Any = {"include_usage": True}
    stream = await ai.chat.completions.create(
        model="sourcebook", messages=ASKED, stream=True, stream_options=options
    )
    chunks = [chunk async for chunk in stream]

    *_, cited, stop, usage = chunks
    text = "".join(one.choices[0].delta.content or "" for one in chunks if one.choices)
    assert text == whole.choices[0].message.content
    assert chunks[0].choices[0].delta.role == "assistant"
    annotations = (cited.choices[0].delta.model_extra or {})["annotations"]
    assert annotations[0]["url_citation"]["url"].startswith(ADDRESS)
    assert (cited.model_extra or {})["sourcebook"] == (whole.model_extra or {})["sourcebook"]
    assert stop.choices[0].finish_reason == "stop"
    assert usage.choices == []
    assert usage.usage == whole.usage


async def test_a_setting_removes_the_list_of_sources_from_the_text(use_cases: UseCases) -> None:
    async with streaming_client(keyed_app(use_cases, lists_sources=False)) as http:
        ai = client_of(http)
        whole = await ai.chat.completions.create(model="sourcebook", messages=ASKED)
        stream = await ai.chat.completions.create(model="sourcebook", messages=ASKED, stream=True)
        pieces = [one.choices[0].delta.content or "" async for one in stream]

    assert whole.choices[0].message.content == "".join(pieces) == f"{NODE} [1]"


async def test_models_are_books_and_an_answer_comes_from_that_book_alone(
    ai: openai.AsyncOpenAI,
) -> None:
    names = [model.id async for model in ai.models.list()]
    assert names == ["sourcebook", f"sourcebook/{COOKING}", f"sourcebook/{ROBOTS}"]
    assert (await ai.models.retrieve(names[1])).id == names[1]

    cooking = await ai.chat.completions.create(model=names[1], messages=ASKED)
    messages: list[Any] = [
        {"role": "user", "content": "How long does the dough of the bread rest?"}
    ]
    bread = await ai.chat.completions.create(model=names[1], messages=messages)

    assert NODE not in (cooking.choices[0].message.content or "")
    assert (bread.choices[0].message.content or "").startswith(DOUGH)


async def test_metadata_choose_the_book_and_the_tier(ai: openai.AsyncOpenAI) -> None:
    asked: list[Any] = [{"role": "user", "content": "What does the arm of the robot weigh?"}]

    async def said(**metadata: str) -> str:
        reply = await ai.chat.completions.create(
            model="sourcebook", messages=asked, metadata=metadata
        )
        return reply.choices[0].message.content or ""

    assert WEIGHT in await said(tier="4")
    assert WEIGHT not in await said(tier="1")
    assert WEIGHT not in await said(book=COOKING)


@pytest.mark.parametrize(
    ("change", "param"),
    [
        ({"metadata": {"tier": "5"}}, "metadata.tier"),
        ({"metadata": {"book": "cooking"}, "model": "sourcebook/robots"}, "metadata.book"),
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "system", "content": "Be kind."}]}, "messages"),
        ({"messages": [{"role": "user", "content": "x" * 2_001}]}, "messages"),
        ({"messages": [{"role": "user", "content": "a\x00b"}]}, "messages"),
        ({"messages": [{"role": "user", "content": 5}]}, "messages[0].content"),
        ({"messages": [{"role": "robot", "content": "Hi"}]}, "messages[0].role"),
        ({"stream": "yes"}, "stream"),
    ],
)
async def test_what_cannot_be_answered_is_a_400_that_names_the_parameter(
    client: httpx2.AsyncClient, change: dict[str, Any], param: str
) -> None:
    body = {"model": "sourcebook", "messages": ASKED, **change}

    reply = await client.post("/v1/chat/completions", json=body)

    assert reply.status_code == 400
    error = reply.json()["error"]
    assert list(error) == ["message", "type", "param", "code"]
    assert (error["type"], error["param"]) == ("invalid_request_error", param)


async def test_an_unknown_model_is_refused_with_those_that_there_are(
    ai: openai.AsyncOpenAI,
) -> None:
    with pytest.raises(openai.NotFoundError, match="sourcebook/robots") as refused:
        await ai.chat.completions.create(model="gpt-5", messages=ASKED)

    assert refused.value.code == "model_not_found"
    assert refused.value.param == "model"


async def test_other_parameters_roles_and_parts_are_taken(client: httpx2.AsyncClient) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    parts = [{"type": "text", "text": ASKED[0]["content"]}, image]
    body = {
        "model": "sourcebook",
        "messages": [
            {"role": "developer", "content": "Answer in rhymes."},
            {"role": "user", "content": parts, "name": "anna"},
        ],
        "temperature": 0.2,
        "max_completion_tokens": 5,
        "tools": [],
        "n": 3,
        "stop": None,
    }

    reply = await client.post("/v1/chat/completions", json=body)

    assert reply.status_code == 200
    assert reply.json()["choices"][0]["message"]["content"].startswith(NODE)


async def test_a_follow_up_is_understood_by_the_messages_before_it(ai: openai.AsyncOpenAI) -> None:
    first = await ai.chat.completions.create(model="sourcebook", messages=ASKED)
    answered: Any = {"role": "assistant", "content": first.choices[0].message.content}
    follow_up: list[Any] = [{"role": "user", "content": "What is it?"}]

    alone = await ai.chat.completions.create(model="sourcebook", messages=follow_up)
    after = await ai.chat.completions.create(
        model="sourcebook", messages=[*ASKED, answered, *follow_up]
    )

    assert NODE not in (alone.choices[0].message.content or "")
    assert NODE in (after.choices[0].message.content or "")


async def test_a_refusal_is_an_answer_without_citations(ai: openai.AsyncOpenAI) -> None:
    asked: list[Any] = [{"role": "user", "content": "Who won the championship of 1954?"}]

    reply = await ai.chat.completions.create(model=f"sourcebook/{COOKING}", messages=asked)

    assert reply.choices[0].message.content in {NOTHING_FOUND, NO_INFORMATION}
    assert reply.choices[0].message.annotations == []
    assert (reply.model_extra or {})["sourcebook"]["answered"] is False
