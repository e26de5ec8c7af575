"""What happens to a stream in OpenAI's format when its answer breaks off, and where links lead."""

import json
from collections.abc import Sequence
from dataclasses import replace

import httpx2
import openai
import pytest
from fastapi import FastAPI

from sourcebook.core.answers import Finished, SourcesUsed, TextPiece
from sourcebook.core.errors import AgentUnavailable
from sourcebook.service.http.app import create_app
from sourcebook.surfaces.admin_key import AccessRule
from sourcebook.surfaces.use_cases import UseCases
from tests.surfaces.chat.chat_client import chat_app
from tests.surfaces.chat.fake_sessions import CITATION, FACTS, FakeSessions, Step
from tests.surfaces.openai.conftest import client_of
from tests.two_books import streaming_client

HOSTILE = 'a\n\ndata: [DONE]\n\n\r\u2028b\u2029c\x85"'
ASKED: list[openai.types.chat.ChatCompletionMessageParam] = [{"role": "user", "content": "Why?"}]
BROKEN: Sequence[Step] = (TextPiece("A node "), AgentUnavailable("The model is away"))
# The same as the other tests of chats: no book is needed.
EXPECTED = "A node is one process. [1]"


@pytest.fixture
def sessions() -> FakeSessions:
    return FakeSessions()


@pytest.fixture
def app(use_cases: UseCases, sessions: FakeSessions) -> FastAPI:
    return chat_app(use_cases, sessions)


async def test_an_answer_that_breaks_off_is_an_error_of_openais_client(
    ai: openai.AsyncOpenAI, sessions: FakeSessions
) -> None:
    sessions.story = BROKEN
    stream = await ai.chat.completions.create(model="sourcebook", messages=ASKED, stream=True)
    pieces = [(await anext(stream)).choices[0].delta.content for _ in range(2)]

    with pytest.raises(openai.APIError, match="The model is away"):
        await anext(stream)

    assert pieces == ["", "A node "]


async def test_a_response_that_breaks_off_ends_as_failed(
    ai: openai.AsyncOpenAI, sessions: FakeSessions
) -> None:
    sessions.story = BROKEN

    stream = await ai.responses.create(model="sourcebook", input="Why?", stream=True)
    last = [event async for event in stream][-1]

    assert last.type == "response.failed"
    assert last.response.error is not None
    assert last.response.error.message == "The model is away"


async def test_no_text_can_forge_an_event(
    client: httpx2.AsyncClient, sessions: FakeSessions
) -> None:
    sessions.story = (TextPiece(HOSTILE), SourcesUsed(()), Finished(FACTS))
    body = {"model": "sourcebook", "messages": ASKED, "stream": True}

    reply = await client.post("/v1/chat/completions", json=body)

    frames = reply.text.removesuffix("\n\n").split("\n\n")
    assert all(len(frame.splitlines()) == 1 for frame in frames)
    assert frames[-1] == "data: [DONE]"
    chunks = [json.loads(frame.removeprefix("data: ")) for frame in frames[:-1]]
    text = "".join(one["choices"][0]["delta"].get("content", "") for one in chunks)
    assert text == HOSTILE


async def test_an_answer_that_was_cut_off_says_length(
    ai: openai.AsyncOpenAI, sessions: FakeSessions
) -> None:
    sessions.story = (TextPiece("A."), SourcesUsed(()), Finished(replace(FACTS, cut_off=True)))

    whole = await ai.chat.completions.create(model="sourcebook", messages=ASKED)
    response = await ai.responses.create(model="sourcebook", input="Why?")

    assert whole.choices[0].finish_reason == "length"
    assert response.status == "incomplete"


async def test_a_source_on_the_web_keeps_its_address(ai: openai.AsyncOpenAI) -> None:
    reply = await ai.chat.completions.create(model="sourcebook", messages=ASKED)

    assert (reply.model_extra or {})["citations"] == [CITATION.url]
    assert (reply.choices[0].message.content or "").startswith(EXPECTED)


@pytest.mark.parametrize(
    ("public_url", "base"),
    [(None, "http://localhost"), ("https://docs.example/ask", "https://docs.example/ask")],
)
async def test_a_source_without_a_website_is_linked_in_the_reading_room(
    use_cases: UseCases, sessions: FakeSessions, public_url: str | None, base: str
) -> None:
    local = replace(CITATION, url="/docs/nodes")
    sessions.story = (TextPiece("A. [1]"), SourcesUsed((local,)), Finished(FACTS))
    use_cases = replace(use_cases, sessions=sessions)  # type: ignore[arg-type]
    app = create_app(use_cases, AccessRule(None), [], public_url=public_url)

    async with streaming_client(app) as http:
        reply = await client_of(http).chat.completions.create(model="sourcebook", messages=ASKED)

    assert (reply.model_extra or {})["citations"] == [f"{base}/#/read/d1?from=120&to=142"]


async def test_the_list_of_sources_is_not_taken_for_a_part_of_the_answer_before(
    ai: openai.AsyncOpenAI, sessions: FakeSessions
) -> None:
    first = await ai.chat.completions.create(model="sourcebook", messages=ASKED)
    said: openai.types.chat.ChatCompletionMessageParam = {
        "role": "assistant",
        "content": first.choices[0].message.content,
    }

    await ai.chat.completions.create(model="sourcebook", messages=[*ASKED, said, *ASKED])

    (turn,) = sessions.asked[-1].earlier
    assert (turn.question, turn.answer) == ("Why?", EXPECTED)
