"""The text that is searched for: the first message as it is, later the topic."""

import logging

import pytest

from sourcebook.core.documents import Document
from sourcebook.search.query_text import QueryText, choose_query_text
from sourcebook.surfaces.use_cases import UseCases
from tests.fakes import FakeEmbedder


@pytest.mark.spec("001 First Message Query Strategy")
@pytest.mark.spec("001 Query Text Selection Logic")
@pytest.mark.spec("000 First Message Query Strategy")
@pytest.mark.spec("000 Query Text Selection Logic")
@pytest.mark.parametrize("current_topic", ["", "  \n\t"])
def test_without_a_topic_the_raw_message_is_searched(
    current_topic: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        chosen = choose_query_text("What is  InstructLab?", current_topic, "instructlab")

    assert chosen == QueryText("What is  InstructLab?", "first message (raw query)")
    assert caplog.messages == ["Query strategy: first message (raw query)"]


@pytest.mark.spec("001 Follow-up Message Query Strategy")
@pytest.mark.spec("000 Follow-up Message Query Strategy")
def test_with_a_topic_the_normalised_topic_is_searched(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        chosen = choose_query_text(
            "Does it integrate?", "InstructLab", "  InstructLab and\nOpenShift AI "
        )

    assert chosen == QueryText("instructlab and openshift ai", "follow-up (contextualized topic)")
    assert caplog.messages == ["Query strategy: follow-up (contextualized topic)"]


def test_the_current_topic_stands_while_no_new_one_is_found() -> None:
    assert choose_query_text("And how?", "InstructLab", " ").text == "instructlab"


@pytest.mark.parametrize(
    ("message", "topic", "previous"),
    [
        ("Which ports are open?", "which ports  are open?", "What is a node?"),
        ("Which ports does it open?", "which ports does it open? node", ""),
        ("Which ports are open?", "the ports of a node", ""),
        ("And?", "", ""),
    ],
)
def test_what_was_asked_before_counts_by_its_words_or_by_what_it_finds_never_by_both(
    message: str, topic: str, previous: str
) -> None:
    assert choose_query_text(message, "What is a node?", topic).previous == previous
    assert choose_query_text(message, "", topic).previous == ""


def test_a_message_that_is_its_own_topic_is_searched_as_it_was_typed() -> None:
    chosen = choose_query_text("What sets HTTP_PROXY?", "Nodes", "what sets http_proxy?")

    assert chosen.text == "What sets HTTP_PROXY?"


@pytest.mark.spec("001 Pronoun Resolution via Topic Context")
@pytest.mark.spec("000 Pronoun Resolution via Topic Context")
async def test_a_pronoun_finds_its_subject_through_the_topic(
    use_cases: UseCases, embedder: FakeEmbedder
) -> None:
    await use_cases.catalog.create("docs", {}, "minilm")
    documents = [
        Document("right", "InstructLab integration with OpenShift AI", {}),
        Document("wrong", "does it integrate with it", {}),
    ]
    await use_cases.ingestor.add("docs", documents)
    chosen = choose_query_text(
        "Does it integrate with OpenShift AI?",
        "InstructLab",
        "InstructLab and OpenShift AI integration",
    )

    found = await use_cases.searcher.search("docs", chosen.text, limit=1)

    assert [hit.chunk.document_id for hit in found.hits] == ["right"]
    assert embedder.queries == ["instructlab and openshift ai integration"]
