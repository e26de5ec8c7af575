"""What a conversation is about: what a language model says, read as data, else by rules."""

import asyncio
import json
from collections.abc import AsyncGenerator

import pytest

from sourcebook.answering.topics import (
    MAX_REPLY_LENGTH,
    MAX_TEXT_LENGTH,
    MAX_TOPIC_LENGTH,
    Remark,
    Topic,
    TopicFinder,
)
from sourcebook.core.errors import AgentUnavailable, ReplyCutOff
from sourcebook.core.prompts import Prompt, SearchTool
from sourcebook.surfaces.collections.collect_schemas import MAX_MESSAGE_LENGTH
from tests.fakes import FakeLanguageModel

ASKED = "Does it integrate with OpenShift AI?"
EARLIER = [
    Remark("user", "What is InstructLab?"),
    Remark("assistant", "InstructLab tunes language models."),
]


def said(**reply: object) -> list[str]:
    return [json.dumps(reply)]


async def find(*reply: str | Exception, current: str = "instructlab") -> Topic:
    return await TopicFinder(FakeLanguageModel(list(reply))).find(EARLIER, ASKED, current)


async def test_a_topic_counts_though_the_model_was_stopped_after_it() -> None:
    topic = await find('{"topic_summary": "robot arms"} Shall', ReplyCutOff("at its limit"))

    assert (topic.text, topic.method) == ("robot arms", "llm")


async def test_the_models_topic_is_taken() -> None:
    topic = await find(
        '{"topic_status": "continuation", ', '"topic_summary": "InstructLab and AI"}'
    )

    assert topic == Topic("InstructLab and AI", "continuation", "InstructLab and AI", "llm")
    assert topic.normalised == "instructlab and ai"


@pytest.mark.parametrize(
    "reply",
    [
        '```json\n{"topic_status": "new_topic", "topic_summary": "robot arms"}\n```',
        'Sure! {"topic_status": "new_topic", "topic_summary": "robot arms"} Anything else?',
        'Of {braces}: {"topic_status": "new_topic", "topic_summary": "robot arms"}',
        '{"topic_status": "new_topic", "topic": "robot arms"}',
        '{"topic_status": "new_topic", "topic_summary": " \\"robot\\n arms\\u0000\\u202e\\" "}',
    ],
)
async def test_the_topic_is_found_in_whatever_is_around_it(reply: str) -> None:
    topic = await find(reply)

    assert (topic.text, topic.status, topic.method) == ("robot arms", "new_topic", "llm")


@pytest.mark.parametrize(
    ("current", "text"), [("instructlab", "instructlab"), ("", ASKED[:40]), (" \n", ASKED[:40])]
)
@pytest.mark.parametrize("summary", ["", "General discussion", "unknown.", "follow-up question"])
async def test_a_summary_that_says_nothing_leaves_the_topic_as_it_was(
    summary: str, current: str, text: str
) -> None:
    topic = await find(*said(topic_status="continuation", topic_summary=summary), current=current)

    assert (topic.text, topic.method) == (text, "llm")


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I cannot tell.",
        "{not json}",
        "[1, 2]",
        '{"topic_summary": 5}',
        '{"topic_status": "continuation"}',
        "{" * 4_000,
        "x" * 50_000,
        AgentUnavailable("The model is away"),
    ],
)
async def test_without_a_usable_reply_the_rules_decide(reply: str | Exception) -> None:
    topic = await find(reply)

    assert topic == Topic(
        f"{ASKED} InstructLab", "continuation", f"{ASKED} InstructLab", "deterministic"
    )


async def test_a_model_that_takes_too_long_is_given_up() -> None:
    class Silent(FakeLanguageModel):
        async def reply(
            self, prompt: Prompt, search: SearchTool | None = None, *, timeout_s: float = 25.0
        ) -> AsyncGenerator[str]:
            yield '{"topic_summary": '
            await asyncio.Event().wait()

    topic = await TopicFinder(Silent(), timeout_s=0.01).find(EARLIER, ASKED, "")

    assert topic.method == "deterministic"


async def test_what_the_model_says_is_one_line_of_bounded_length() -> None:
    topic = await find(*said(topic_summary="robot\narms " * 500))

    assert len(topic.text) <= MAX_TOPIC_LENGTH
    assert topic.text.isprintable()
    assert topic.text.startswith("robot arms robot arms")
    assert not topic.text.endswith("robo")


@pytest.mark.parametrize("status", ["continuing", None, 5, ["new_topic"]])
async def test_a_status_that_is_unknown_is_a_continuation(status: object) -> None:
    assert (await find(*said(topic_status=status, topic_summary="a b"))).status == "continuation"


async def test_a_first_message_cannot_continue_anything() -> None:
    model = FakeLanguageModel(said(topic_status="continuation", topic_summary="InstructLab basics"))

    topic = await TopicFinder(model).find([], "What is InstructLab?", "")

    assert (topic.status, topic.text) == ("new_topic", "InstructLab basics")


async def test_the_model_reads_the_last_six_remarks_and_no_long_answers() -> None:
    model = FakeLanguageModel(said(topic_summary="a b c"))
    earlier = [
        Remark("user", "too long ago"),
        Remark("user", "q1"),
        Remark("assistant", "a" * 401, topic="robot arms"),
        Remark("user", "q2"),
        Remark("assistant", "b" * 401),
        Remark("user", "q" * 1_200),
        Remark("assistant", "c" * 400),
    ]

    await TopicFinder(model).find(earlier, ASKED, "robot legs")

    (prompt,) = model.prompts
    asked = json.loads(prompt.messages[-1].content)
    texts = [remark["text"] for remark in asked["conversation"]]
    assert texts == [
        "q1",
        "(summary) provided a detailed answer about robot arms",
        "q2",
        "(summary) provided a detailed answer about robot legs",
        "q" * 1_000 + "…",
        "c" * 400,
    ]
    assert (asked["newest_message"], asked["topic_so_far"]) == (ASKED, "robot legs")
    assert (prompt.max_tokens, prompt.temperature) == (200, 0.1)


@pytest.mark.spec("000 Pronoun Resolution via Topic Context")
@pytest.mark.parametrize(
    ("earlier", "current"),
    [
        (EARLIER, ""),
        (EARLIER, "instructlab"),
        ([], "InstructLab"),
        ([Remark("user", "Hi")], "InstructLab"),
    ],
)
async def test_without_a_model_the_subject_is_carried(earlier: list[Remark], current: str) -> None:
    topic = await TopicFinder().find(earlier, ASKED, current)

    assert topic.text == f"{ASKED} InstructLab"
    assert (topic.status, topic.method) == ("continuation", "deterministic")


async def test_without_a_model_a_message_that_stands_alone_is_a_new_topic() -> None:
    topic = await TopicFinder().find(
        EARLIER, "How do I install Kubernetes\non Fedora?", "instructlab"
    )

    assert topic.text == "How do I install Kubernetes on Fedora?"
    assert topic.status == "new_topic"
    assert (await TopicFinder().find([], ASKED, "")).status == "new_topic"


async def test_a_long_message_has_a_short_summary() -> None:
    topic = await TopicFinder().find([], "robot arms " * 300, "")

    assert len(topic.text) == 300 * 11 - 1
    assert len(topic.summary) == 81


async def test_by_rules_no_topic_is_longer_than_clients_may_send() -> None:
    earlier = [Remark("user", f"What is {'Instruct' * 10_000}?")]

    topic = await TopicFinder().find(earlier, ASKED, "")

    assert topic.text.startswith(ASKED)
    assert len(topic.text) == MAX_TEXT_LENGTH == MAX_MESSAGE_LENGTH


async def test_of_a_reply_without_end_only_the_beginning_is_read() -> None:
    behind = " " * MAX_REPLY_LENGTH + '{"topic_status": "new_topic", "topic_summary": "robot arms"}'

    assert (await find(behind)).method == "deterministic"
