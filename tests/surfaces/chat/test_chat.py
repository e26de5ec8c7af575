"""A question in, an answer with its sources out."""

from dataclasses import replace

import httpx2
import pytest

from sourcebook.core.answers import Finished, Question, SourcesUsed, TextPiece
from tests.surfaces.chat.chat_client import ASKED, SESSION, check, events_of
from tests.surfaces.chat.fake_sessions import CITATION, FACTS, FakeSessions

SOURCE = {
    "number": 1,
    "source_url": "https://book.example/nodes#what-is-a-node",
    "page_title": "Nodes",
    "section_heading": "What is a node?",
    "chunk_text": "A node is one process.",
    "relevance_score": 0.87,
    "char_start": 120,
    "char_end": 142,
    "line_start": 7,
    "line_end": 7,
    "source_file": "module-1/nodes.md",
    "chunk_id": "c1",
    "document_id": "d1",
    "lesson_url": "https://book.example/nodes#what-is-a-node",
    "collection": "book",
    "book_id": None,
    "plain_text": "",
    "statement_start": None,
    "statement_end": None,
    "statement_text": "",
    "page": None,
    "boxes": None,
    "anchor": None,
    "slide": None,
    "row": None,
    "cell": None,
}
METADATA = {
    "query_time_ms": 12.5,
    "chunks_retrieved": 5,
    "model": "extractive",
    "query_strategy": "raw message",
    "history": "none",
    "cut_off": False,
    "answered": True,
    "collections": ["book"],
    "fallback": None,
    "warning": None,
    "search_mode": None,
    "sentences": {"proven": 0, "quoted": 0, "dropped": 0, "unproven": 0, "cited": 0, "judged": 0},
    "answer_probability": None,
    "closest": [],
    "further": [],
    "corrected_question": None,
}


@pytest.mark.spec("004 FR-001")
@pytest.mark.spec("004 FR-005")
@pytest.mark.spec("004 US3.3")
async def test_an_answer_comes_whole_with_its_sources(client: httpx2.AsyncClient) -> None:
    reply = await client.post("/chat", json=ASKED)

    assert reply.status_code == 200
    assert reply.json() == {
        "answer": "A node is one process. [1]",
        "sources": [SOURCE],
        "mode": "general",
        "metadata": METADATA,
    }


async def test_an_answer_that_is_cut_off_is_marked_whole_and_streamed(
    client: httpx2.AsyncClient, sessions: FakeSessions
) -> None:
    facts = replace(FACTS, cut_off=True)
    sessions.story = (TextPiece("A node. [1]"), SourcesUsed((CITATION,)), Finished(facts))

    whole = (await client.post("/chat", json=ASKED)).json()
    *_, done = events_of((await client.post("/chat/stream", json=ASKED)).text)

    assert whole["metadata"] == done["metadata"] == METADATA | {"cut_off": True}
    assert [source["number"] for source in whole["sources"]] == [1]


async def test_an_answer_without_the_model_says_so_whole_and_streamed(
    client: httpx2.AsyncClient, sessions: FakeSessions
) -> None:
    facts = replace(FACTS, fallback="extractive", warning="The model is away.")
    sessions.story = (TextPiece("A node. [1]"), SourcesUsed((CITATION,)), Finished(facts))

    whole = (await client.post("/chat", json=ASKED)).json()
    *_, done = events_of((await client.post("/chat/stream", json=ASKED)).text)

    marked = {"fallback": "extractive", "warning": "The model is away."}
    assert whole["metadata"] == done["metadata"] == METADATA | marked


async def test_a_question_has_the_defaults_of_the_contract(
    client: httpx2.AsyncClient, sessions: FakeSessions
) -> None:
    await client.post("/chat", json=ASKED)

    assert sessions.asked == [Question("What is a node?", top_k=5)]


@pytest.mark.spec("004 FR-008")
@pytest.mark.spec("004 FR-015")
async def test_everything_that_a_request_asks_for_arrives(
    client: httpx2.AsyncClient, sessions: FakeSessions
) -> None:
    body = {
        **ASKED,
        "session_id": SESSION,
        "top_k": 20,
        "score_threshold": 1,
        "filters": {"source_url": "https://a.example", "page_title": ["Nodes", "Topics"]},
        "book_id": "other",
        "hardware_tier": 2,
        "collections": ["book", "robotics"],
        "something_else": {"ignored": True},
    }

    reply = await client.post("/chat", json=body)

    assert reply.json()["session_id"] == SESSION
    assert sessions.asked == [
        Question(
            "What is a node?",
            session_id=SESSION,
            top_k=20,
            least_score=1.0,
            sources={"source_url": ("https://a.example",), "page_title": ("Nodes", "Topics")},
            book_ids=("other",),
            hardware_tier=2,
            collections=("book", "robotics"),
        )
    ]


@pytest.mark.spec("004 FR-006")
async def test_a_selection_is_cited_as_one(
    client: httpx2.AsyncClient, sessions: FakeSessions
) -> None:
    citation = replace(CITATION, url="selected_text", title="User Selection", file=None)
    facts = replace(FACTS, mode="selected_text", chunks_retrieved=0)
    sessions.story = [TextPiece("One. [1]"), SourcesUsed((citation,)), Finished(facts)]

    reply = await client.post(
        "/chat", json={**ASKED, "mode": "selected_text", "selected_text": "A node\r\nis one. 🤖"}
    )

    assert [question.selection for question in sessions.asked] == ["A node\r\nis one. 🤖"]
    assert reply.json()["mode"] == "selected_text"
    (source,) = reply.json()["sources"]
    assert (source["source_url"], source["lesson_url"]) == ("selected_text", None)
    assert (source["char_start"], source["char_end"]) == (120, 142)


@pytest.mark.parametrize("selection", ["something", "", "x" * 10_001, None])
async def test_a_selection_is_ignored_in_general_mode(
    client: httpx2.AsyncClient, sessions: FakeSessions, selection: str | None
) -> None:
    reply = await client.post("/chat", json={**ASKED, "selected_text": selection})

    assert reply.status_code == 200
    assert sessions.asked[0].selection is None


async def test_a_session_id_means_the_same_in_capitals(
    client: httpx2.AsyncClient, sessions: FakeSessions
) -> None:
    reply = await client.post("/chat", json={**ASKED, "session_id": SESSION.upper()})

    assert reply.json()["session_id"] == SESSION
    assert sessions.asked[0].session_id == SESSION


async def test_an_answer_can_have_no_sources(
    client: httpx2.AsyncClient, sessions: FakeSessions
) -> None:
    sessions.story = [TextPiece("Hello!"), SourcesUsed(()), Finished(FACTS)]

    assert (await client.post("/chat", json=ASKED)).json()["sources"] == []


async def test_the_chat_streams_when_asked_to(client: httpx2.AsyncClient) -> None:
    reply = await client.post("/chat", json={**ASKED, "stream": True})

    assert reply.headers["content-type"].startswith("text/event-stream")
    assert [event["type"] for event in events_of(reply.text)] == [
        "chunk",
        "chunk",
        "sources",
        "done",
    ]


async def test_an_answer_that_does_not_end_is_an_internal_error(
    client: httpx2.AsyncClient, sessions: FakeSessions
) -> None:
    sessions.story = [TextPiece("A node is")]

    check(await client.post("/chat", json=ASKED), 500, "internal_error")


async def test_every_reply_names_its_trace(client: httpx2.AsyncClient) -> None:
    traces = {(await client.post("/chat", json=ASKED)).headers["x-trace-id"] for _ in range(3)}

    assert len(traces) == 3
    assert {len(trace) for trace in traces} == {8}


async def test_pages_may_read_when_to_come_again(client: httpx2.AsyncClient) -> None:
    reply = await client.post("/chat", json=ASKED, headers={"Origin": "http://localhost:3000"})

    exposed = reply.headers["access-control-expose-headers"].split(", ")
    assert set(exposed) == {"Retry-After", "retry_after", "X-Trace-Id"}
