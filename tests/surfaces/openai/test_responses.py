"""OpenAI's own client asks by the Responses API: a search, a message, and their citations."""

from typing import Any

import openai
import pytest

from tests.two_books import NODE, NODES, NODES_ID

ASKED = "What is a node of a robot?"
ADDRESS = f"http://localhost/#/read/{NODES_ID}"


async def test_a_response_has_what_was_looked_up_and_the_cited_answer(
    ai: openai.AsyncOpenAI,
) -> None:
    reply = await ai.responses.create(model="sourcebook", input=ASKED)

    search, message = reply.output
    assert search.type == "file_search_call"
    assert search.queries == [ASKED]
    (found,) = search.results or []
    assert (found.file_id, found.filename, found.text) == (NODES_ID, NODES, NODE)
    assert message.type == "message"
    (part,) = message.content
    assert part.type == "output_text"
    assert reply.output_text.startswith(f"{NODE} [1]\n\nSources:\n")
    (annotation,) = part.annotations
    assert annotation.type == "url_citation"
    assert annotation.url.startswith(ADDRESS)
    assert part.text[annotation.start_index : annotation.end_index] == "[1]"
    assert (reply.status, reply.error) == ("completed", None)


async def test_a_streamed_response_ends_with_the_whole_one(ai: openai.AsyncOpenAI) -> None:
    whole = await ai.responses.create(model="sourcebook", input=ASKED)
    stream = await ai.responses.create(model="sourcebook", input=ASKED, stream=True)
    events = [event async for event in stream]

    assert [event.sequence_number for event in events] == list(range(len(events)))
    pieces = [event.delta for event in events if event.type == "response.output_text.delta"]
    assert "".join(pieces) == whole.output_text
    annotations = [one for one in events if one.type == "response.output_text.annotation.added"]
    assert len(annotations) == 1
    last = events[-1]
    assert last.type == "response.completed"
    assert last.response.output_text == whole.output_text
    done = [one.item.type for one in events if one.type == "response.output_item.done"]
    assert done == ["file_search_call", "message"]


async def test_a_conversation_can_be_the_input(ai: openai.AsyncOpenAI) -> None:
    conversation: Any = [
        {"role": "user", "content": [{"type": "input_text", "text": ASKED}]},
        {"type": "reasoning", "id": "r1", "summary": []},
        {"role": "assistant", "content": [{"type": "output_text", "text": NODE}]},
        {"role": "user", "content": "What is it?"},
    ]

    reply = await ai.responses.create(
        model="sourcebook", input=conversation, instructions="Sing.", metadata={"tier": "1"}
    )

    assert NODE in reply.output_text


async def test_a_response_that_was_not_stored_cannot_be_gone_on_with(
    ai: openai.AsyncOpenAI,
) -> None:
    with pytest.raises(openai.BadRequestError, match="not stored") as refused:
        await ai.responses.create(model="sourcebook", input=ASKED, previous_response_id="resp_1")

    assert refused.value.param == "previous_response_id"
