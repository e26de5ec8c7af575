"""A mention is answered from the book, with its sources in Slack's markup."""

import json
import uuid
from typing import Any

import httpx
from sourcebook_slack import answer, question_of, session_of

SOURCE = {
    "number": 1,
    "page_title": "Nodes & <topics>",
    "section_heading": "",
    "source_url": "/docs/nodes",
    "document_id": "d1",
}
EVENT = {"text": "<@U1> What is a node?", "channel": "C1", "ts": "1.0", "thread_ts": "0.5"}


def service(asked: list[dict[str, Any]], status: int = 200) -> httpx.AsyncClient:
    def reply(request: httpx.Request) -> httpx.Response:
        asked.append(json.loads(request.content))
        if status != 200:
            return httpx.Response(status, json={"message": "Too many requests"})
        return httpx.Response(200, json={"answer": "A node <is> one. [1]", "sources": [SOURCE]})

    return httpx.AsyncClient(base_url="http://book.example", transport=httpx.MockTransport(reply))


async def test_an_answer_names_its_sources_and_escapes_what_slack_would_read() -> None:
    asked: list[dict[str, Any]] = []

    said = await answer(service(asked), EVENT, "secret")

    assert said == (
        "A node &lt;is&gt; one. [1]\n[1] <http://book.example/#/read/d1|Nodes &amp; &lt;topics&gt;>"
    )
    assert asked[0]["query"] == question_of(EVENT["text"]) == "What is a node?"


async def test_a_thread_is_a_conversation_that_others_cannot_guess() -> None:
    one = session_of("secret", "C1", "0.5")

    assert uuid.UUID(one).version == 4
    assert one == session_of("secret", "C1", "0.5")
    assert len({one, session_of("other", "C1", "0.5"), session_of("secret", "C1", "0.6")}) == 3


async def test_an_error_is_said_in_the_thread() -> None:
    assert await answer(service([], status=429), EVENT, "secret") == "Too many requests"
