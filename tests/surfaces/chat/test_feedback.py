"""What readers tell an author: only where it is switched on, bounded, and for the admin alone."""

from collections.abc import AsyncIterator
from dataclasses import replace

import httpx2
import pytest

from sourcebook.answering.feedback import DAY_S, FeedbackRules
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.ports import Ledger
from sourcebook.core.text import shorten
from sourcebook.service.wiring.storage import Storage
from sourcebook.service.wiring.use_cases import build_use_cases
from sourcebook.surfaces.rate_limits import MARKS_PER_MINUTE
from sourcebook.surfaces.use_cases import UseCases
from tests.conftest import open_client
from tests.memory_store import MemoryStore
from tests.surfaces.chat.chat_client import SESSION, check

KEY = "a-long-enough-admin-key"
HEADERS = {"X-Admin-API-Key": KEY}
ON = FeedbackRules(keeps_unanswered=True, takes_marks=True)
MARK = {"id": SESSION, "question": "How far?", "about": "answer", "verdict": "right"}
SELECTED = {"mode": "selected_text", "selected_text": "A node is a process."}


@pytest.fixture
def rules() -> FeedbackRules:
    return ON


@pytest.fixture
def use_cases(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels, rules: FeedbackRules
) -> UseCases:
    return build_use_cases(Storage(ledger, store), models, reranker=None, rules=rules)


@pytest.fixture
async def client(use_cases: UseCases) -> AsyncIterator[httpx2.AsyncClient]:
    async with open_client(use_cases, admin=KEY.encode()) as client:
        yield client


async def ask(client: httpx2.AsyncClient, query: str, **fields: object) -> None:
    reply = await client.post("/chat", json={"query": query} | fields)
    assert reply.json()["metadata"]["answered"] is False


async def unanswered(client: httpx2.AsyncClient) -> list[tuple[str, int]]:
    reply = await client.get("/feedback/questions", headers=HEADERS)
    return [(one["question"], one["count"]) for one in reply.json()["questions"]]


async def test_a_question_that_is_refused_is_counted_however_it_is_written(
    client: httpx2.AsyncClient,
) -> None:
    await ask(client, "Who painted Wren?", session_id=SESSION)
    await ask(client, "  who PAINTED   wren ")
    await ask(client, "Who sings?")

    assert await unanswered(client) == [("who PAINTED wren", 2), ("Who sings?", 1)]
    # Nothing says who asked.
    listed = (await client.get("/feedback/questions", headers=HEADERS)).text
    assert SESSION not in listed


async def test_a_refusal_that_says_nothing_about_the_book_is_not_kept(
    client: httpx2.AsyncClient,
) -> None:
    await ask(client, "Who painted Wren?", **SELECTED)
    await client.post("/chat", json={"query": "Who painted Wren?", "collections": ["x"]})
    await client.post("/chat", json={"query": "Hello!"})

    assert await unanswered(client) == []


async def test_a_very_long_question_is_shortened(client: httpx2.AsyncClient) -> None:
    await ask(client, "Who? " * 300)

    (question, _), *_ = await unanswered(client)
    assert question == shorten(("Who? " * 300).strip(), 500)


async def test_a_question_can_be_deleted_once_the_book_answers_it(
    client: httpx2.AsyncClient,
) -> None:
    await ask(client, "Who painted Wren?")
    await ask(client, "Who sings?")
    listed = (await client.get("/feedback/questions", headers=HEADERS)).json()["questions"]
    path = f"/feedback/questions/{listed[0]['key']}"

    assert (await client.delete(path, headers=HEADERS)).json() == {"deleted": 1}
    check(await client.delete(path, headers=HEADERS), 404, "not_found")

    assert len(await unanswered(client)) == 1
    assert (await client.delete("/feedback/questions", headers=HEADERS)).json() == {"deleted": 1}
    assert await unanswered(client) == []


async def test_a_mark_is_kept_and_can_be_changed(client: httpx2.AsyncClient) -> None:
    sources = ["a.md", "b.md", "a.md"]
    await client.post("/feedback/marks", json=MARK | {"sources": sources})

    changed = MARK | {"verdict": "wrong", "reason": " Outdated ", "sources": sources}
    reply = await client.post("/feedback/marks", json=changed)

    assert reply.json() == {"id": SESSION}
    (kept,) = (await client.get("/feedback/marks", headers=HEADERS)).json()["marks"]
    assert (kept["verdict"], kept["reason"]) == ("wrong", "Outdated")
    assert kept["sources"] == ["a.md", "b.md"]
    assert (await client.delete("/feedback/marks", headers=HEADERS)).json() == {"deleted": 1}


@pytest.mark.parametrize(
    "bad",
    [
        {"id": "1"},
        {"question": " "},
        {"question": "x" * 2001},
        {"about": "book"},
        {"verdict": True},
        {"reason": "x" * 301},
        {"reason": "\x00"},
        {"sources": ["x"] * 21},
        {"sources": [""]},
        {"sources": ["x" * 501]},
    ],
)
async def test_a_mark_that_cannot_be_used_is_refused(
    client: httpx2.AsyncClient, bad: dict[str, object]
) -> None:
    check(await client.post("/feedback/marks", json=MARK | bad), 400, "validation_error")


async def test_marks_are_rate_limited(client: httpx2.AsyncClient) -> None:
    for _ in range(MARKS_PER_MINUTE):
        assert (await client.post("/feedback/marks", json=MARK)).status_code == 200

    check(await client.post("/feedback/marks", json=MARK), 429, "rate_limited")


@pytest.mark.parametrize("rules", [FeedbackRules()])
async def test_nothing_is_kept_unless_the_operator_switches_it_on(
    client: httpx2.AsyncClient,
) -> None:
    await ask(client, "Who painted Wren?")

    check(await client.post("/feedback/marks", json=MARK), 404, "not_found")
    questions = (await client.get("/feedback/questions", headers=HEADERS)).json()
    assert questions == {"kept": False, "retention_days": 90.0, "questions": []}
    marks = (await client.get("/feedback/marks", headers=HEADERS)).json()
    assert marks == {"kept": False, "retention_days": 90.0, "marks": []}
    assert (await client.get("/room")).json()["takes_marks"] is False


async def test_what_is_too_old_is_not_shown_and_goes(
    use_cases: UseCases, client: httpx2.AsyncClient
) -> None:
    await ask(client, "Who painted Wren?")
    await client.post("/feedback/marks", json=MARK)
    assert await use_cases.feedback.purge() == 0

    use_cases.feedback.rules = replace(ON, max_age_s=-DAY_S)

    assert await unanswered(client) == []
    assert (await client.get("/feedback/marks", headers=HEADERS)).json()["marks"] == []
    assert await use_cases.feedback.purge() == 2
