"""Asking for the topic of a conversation over HTTP."""

import json
from dataclasses import replace

import httpx2
import pytest

from sourcebook.answering.topics import TopicFinder
from sourcebook.core.errors import AgentUnavailable
from sourcebook.service.http.app import create_app
from sourcebook.surfaces.admin_key import AccessRule
from sourcebook.surfaces.rate_limits import RateLimit, RateLimits
from sourcebook.surfaces.use_cases import UseCases
from tests.conftest import open_client
from tests.fakes import FakeLanguageModel

ASKED = "Does it integrate with OpenShift AI?"
SAID = [json.dumps({"topic_status": "continuation", "topic_summary": "InstructLab and  AI"})]


@pytest.mark.spec("000 Pronoun Resolution via Topic Context")
@pytest.mark.parametrize(
    "body",
    [
        {"userMessage": ASKED, "messages": [{"type": "user", "text": "What is InstructLab?"}]},
        {
            "message": ASKED,
            "previousMessages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "What is InstructLab?"},
                {"type": "bot", "text": "A tool.", "topic": "InstructLab"},
                {"role": "assistant", "content": ""},
            ],
        },
    ],
)
async def test_without_a_model_the_rules_find_the_topic(
    client: httpx2.AsyncClient, body: dict[str, object]
) -> None:
    reply = await client.post("/topic", json=body)

    assert (reply.status_code, reply.json()) == (
        200,
        {
            "topic": f"{ASKED} InstructLab",
            "topic_status": "continuation",
            "topic_summary": f"{ASKED} InstructLab",
            "normalized": f"{ASKED} InstructLab".lower(),
            "strategy": "first message (raw query)",
            "method": "deterministic",
        },
    )


async def test_a_model_finds_the_topic_if_there_is_one(use_cases: UseCases) -> None:
    topics = TopicFinder(FakeLanguageModel(SAID, [AgentUnavailable("away")]))
    body = {"userMessage": ASKED, "currentTopic": "instructlab"}

    async with open_client(replace(use_cases, topics=topics)) as client:
        found = (await client.post("/topic", json=body)).json()
        without = await client.post("/topic", json=body)

    assert found == {
        "topic": "InstructLab and AI",
        "topic_status": "continuation",
        "topic_summary": "InstructLab and AI",
        "normalized": "instructlab and ai",
        "strategy": "follow-up (contextualized topic)",
        "method": "llm",
    }
    assert (without.status_code, without.json()["method"]) == (200, "deterministic")


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({}, "'userMessage' is required"),
        ({"userMessage": ""}, "'userMessage' must not be empty"),
        ({"userMessage": "\u200b"}, "must not be blank"),
        ({"userMessage": 5}, "'userMessage' must be a string, got 5"),
        ({"userMessage": "x" * 8_001}, "8000 characters at most"),
        ({"userMessage": "a\u0000"}, "NUL"),
        ({"userMessage": "a", "currentTopic": ["a"]}, "'currentTopic' must be a string"),
        ({"userMessage": "a", "messages": {}}, "'messages' must be an array"),
        ({"userMessage": "a", "messages": [5]}, "'messages[0]' must be an object"),
        ({"userMessage": "a", "messages": [{"type": "user"}]}, "'messages[0].text' is required"),
        ({"userMessage": "a", "messages": [{"text": "a"}]}, "'messages[0].type' is required"),
        ({"userMessage": "a", "messages": [{"type": "dog", "text": "a"}]}, "'messages[0].type'"),
        ([], "must be an object"),
    ],
)
async def test_bad_requests_get_a_helpful_400(
    client: httpx2.AsyncClient, body: object, says: str
) -> None:
    reply = await client.post("/topic", json=body)

    assert reply.status_code == 400
    assert says in reply.json()["detail"]


@pytest.mark.parametrize("with_model", [True, False])
async def test_a_topic_of_a_model_counts_as_a_chat_else_as_a_search(
    use_cases: UseCases, with_model: bool
) -> None:
    model = FakeLanguageModel(SAID, SAID) if with_model else None
    rate_limits = RateLimits(
        chats=RateLimit(1 if with_model else 0), searches=RateLimit(0 if with_model else 1)
    )
    use = replace(use_cases, topics=TopicFinder(model))
    app = create_app(use, AccessRule(None), origins=[], rate_limits=rate_limits)
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        replies = [await client.post("/topic", json={"userMessage": ASKED}) for _ in range(2)]

    assert [reply.status_code for reply in replies] == [200, 429]
    assert rate_limits.chat_slots.taken == 0
