"""An answer is what passes the check, or one of the sentences that refuse."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.answering.composer import AnswerComposer, AnswerContext, GreetingComposer
from sourcebook.answering.evidence import Passage, Source, selection_evidence
from sourcebook.answering.evidence_judge import EvidenceJudge
from sourcebook.answering.extractive import ExtractiveWriter
from sourcebook.answering.sentence_embedder import SentenceEmbedder
from sourcebook.answering.writers import Writer
from sourcebook.core.answers import (
    NO_INFORMATION,
    NOTHING_FOUND,
    SELECTION_HEADING,
    SELECTION_TITLE,
    SELECTION_URL,
    ClosestPlace,
    Question,
)
from tests.fakes import FakeEmbedder
from tests.fuzz.profile import trying
from tests.unit.answering.passages import GAZEBO, ROS, passage
from tests.unit.answering.writers import SayingWriter
from tests.unit.ingestion.chunking.texts import line_of

NODE = "What is a node?"
NODE_SAID = "A node is a process that performs computation."
CHEESE = "Which cheese do Swiss farmers eat?"


def case(text: str, *passages: Passage) -> AnswerContext:
    return AnswerContext(Question(text), text, passages)


def selected(text: str, selection: str) -> AnswerContext:
    return AnswerContext(Question(text, selection=selection), text, selection_evidence(selection))


def composition(about: AnswerContext, writer: Writer | None = None) -> AnswerComposer:
    judge = EvidenceJudge(SentenceEmbedder(FakeEmbedder()))
    return AnswerComposer(about, writer or ExtractiveWriter(), judge)


async def text_of(composed: AnswerComposer) -> str:
    return "".join([piece async for piece in composed.pieces()])


@pytest.mark.spec("004 US1.1")
@pytest.mark.spec("004 US1.3")
async def test_an_answer_from_the_evidence_cites_what_it_used_and_nothing_else() -> None:
    composed = composition(case(NODE, passage(1, GAZEBO), passage(2, ROS, start=100)))

    assert await text_of(composed) == f"{ROS} [1]"
    [citation] = composed.citations
    assert composed.answered
    assert (citation.quote, citation.statement_text) == (ROS, NODE_SAID)
    assert (citation.number, citation.chunk_id) == (1, "chunk-2")
    assert citation.start == 100


@pytest.mark.spec("004 SC-006")
async def test_nothing_retrieved_is_said_in_the_words_of_the_edge_case() -> None:
    composed = composition(case(NODE))

    assert await text_of(composed) == NOTHING_FOUND
    assert (composed.answered, composed.citations) == (False, ())


@pytest.mark.spec("004 US1.4")
@pytest.mark.spec("004 SC-006")
async def test_too_little_evidence_is_refused_without_asking_the_writer() -> None:
    writer = SayingWriter(NODE_SAID)
    composed = composition(case(CHEESE, passage(1, ROS, score=0.05)), writer)

    assert await text_of(composed) == NO_INFORMATION
    assert (composed.answered, composed.citations) == (False, ())
    assert writer.briefs == []


async def test_a_refusal_names_the_closest_places_once_each_and_an_answer_none() -> None:
    about = Source("/arms", "Arms", "Turning")
    passages = [
        replace(passage(number, ROS, score=score), source=source)
        for number, (score, source) in enumerate(
            [
                (0.40, about),
                (0.39, about),
                (0.38, Source("/legs", "Legs", "")),
                (0.37, Source("/eyes", "Eyes", "")),
                (0.36, Source("/ears", "Ears", "")),
            ],
            1,
        )
    ]
    refused, answered = (
        composition(case(CHEESE, *passages)),
        composition(case(NODE, passage(1, ROS))),
    )

    await text_of(refused)
    await text_of(answered)

    assert [one.url for one in refused.closest] == ["/arms", "/legs", "/eyes"]
    assert refused.closest[0] == ClosestPlace("Arms", "Turning", "/arms")
    assert (refused.citations, answered.closest) == ((), ())


async def test_a_question_about_something_else_is_close_to_nothing() -> None:
    composed = composition(case(CHEESE, passage(1, ROS, score=0.2)))

    await text_of(composed)

    assert (composed.answered, composed.closest) == (False, ())


async def test_beside_a_selection_nothing_is_close() -> None:
    composed = composition(selected(CHEESE, ROS))

    await text_of(composed)

    assert (composed.answered, composed.closest) == (False, ())


@pytest.mark.spec("004 US1.4")
@pytest.mark.spec("004 SC-006")
@pytest.mark.parametrize(
    "pieces", [(), ("",), ("Cheese is yellow [1].",), ("Farmers eat nodes. [1] [99]",), ("[1]",)]
)
async def test_an_answer_of_which_nothing_holds_is_a_refusal(pieces: Sequence[str]) -> None:
    composed = composition(case(NODE, passage(1, ROS)), SayingWriter(*pieces))

    assert await text_of(composed) == NO_INFORMATION
    assert (composed.answered, composed.citations) == (False, ())


@pytest.mark.spec("004 SC-003")
async def test_whatever_a_writer_cites_only_evidence_becomes_a_source() -> None:
    said = f"{NODE_SAID[:-1]} [99]. Gazebo simulates worlds with physics [1]. Cats fly [2]."
    composed = composition(case(NODE, passage(1, ROS), passage(2, GAZEBO)), SayingWriter(said))

    assert await text_of(composed) == (f"{NODE_SAID} [1] Gazebo simulates worlds with physics. [2]")
    assert [one.chunk_id for one in composed.citations] == ["chunk-1", "chunk-2"]


async def test_the_writer_gets_the_question_as_it_is_understood() -> None:
    writer = SayingWriter(NODE_SAID)
    about = AnswerContext(Question("What about it?"), "what is a node", (passage(1, ROS),))

    await text_of(composition(about, writer))

    [brief] = writer.briefs
    assert (brief.question, brief.mode) == ("what is a node", "general")
    assert brief.passages == about.passages
    assert len(brief.ranks) == len(brief.quotable)


@pytest.mark.spec("004 US2.1")
@pytest.mark.spec("004 FR-006")
async def test_an_answer_from_a_selection_cites_the_selection() -> None:
    selection = f"👩‍🚀 Intro.\r\n\r\n{ROS}"
    composed = composition(selected(NODE, selection))

    assert await text_of(composed) == f"{ROS} [1]"
    [citation] = composed.citations
    assert selection[citation.start : citation.end] == citation.quote == ROS
    assert (citation.first_line, citation.last_line) == (3, 3)
    assert (citation.url, citation.title) == (SELECTION_URL, SELECTION_TITLE)
    assert (citation.heading, citation.score) == (SELECTION_HEADING, 1.0)


@pytest.mark.spec("004 US2.2")
@pytest.mark.spec("004 FR-007")
@pytest.mark.parametrize(
    ("question", "selection", "topic"),
    [
        ("What is a quaternion?", GAZEBO, "a quaternion"),
        (CHEESE, GAZEBO, '"Which cheese do Swiss farmers eat"'),
        ("What is a node?", " \r\n ", "a node"),
        ("What is a node?", "🤖", "a node"),
    ],
)
async def test_what_is_not_in_the_selection_is_offered_to_be_searched_for(
    question: str, selection: str, topic: str
) -> None:
    composed = composition(selected(question, selection))

    assert await text_of(composed) == (
        f"The provided selection does not contain information about {topic}."
        " Would you like me to search the full documentation?"
    )
    assert (composed.answered, composed.citations) == (False, ())


@pytest.mark.spec("004 US2.2")
async def test_what_a_writer_knows_besides_the_selection_is_not_said() -> None:
    writer = SayingWriter("A node is a process that performs computation [1].")
    composed = composition(selected("What is a Gazebo node?", GAZEBO), writer)

    assert "does not contain information about a Gazebo node." in await text_of(composed)


LINES = st.lists(
    st.sampled_from(
        [
            "A node computes.",
            "👩‍🚀 fly nodes.",
            "> Quoted node.",
            "- A node item",
            "",
            "# Node",
            "```",
            "x",
        ]
    ),
    min_size=1,
    max_size=12,
)


@pytest.mark.spec("004 SC-005")
@trying(short=80, long=4_000)
@given(LINES, st.sampled_from(["\n", "\r\n", "\r", " "]))
async def test_whatever_is_selected_every_citation_is_a_part_of_it(
    lines: Sequence[str], newline: str
) -> None:
    selection = newline.join(lines)
    composed = composition(selected("What does a node do?", selection))

    await text_of(composed)

    for citation in composed.citations:
        assert citation.start is not None
        assert citation.end is not None
        assert selection[citation.start : citation.end] == citation.quote != ""
        assert citation.first_line == line_of(selection, citation.start)
        assert citation.last_line == line_of(selection, citation.end - 1)
        assert citation.url == SELECTION_URL


async def test_who_stops_listening_ends_the_writer() -> None:
    writer = SayingWriter(f"{NODE_SAID} Nodes exchange messages over topics. ", "More.")
    pieces = composition(case(NODE, passage(1, ROS)), writer).pieces()

    await anext(pieces)
    await pieces.aclose()

    assert writer.ended == 1


async def test_a_reply_that_claims_nothing_cites_nothing() -> None:
    reply = GreetingComposer("Hello!")

    assert [piece async for piece in reply.pieces()] == ["Hello!"]
    assert (reply.answered, reply.citations) == (True, ())


async def test_who_asks_what_a_selection_is_about_gets_its_first_block() -> None:
    said = await text_of(composition(selected("What is this about?", ROS)))

    assert said == f"{ROS} [1]"
