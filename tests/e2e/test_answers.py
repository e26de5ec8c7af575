"""Answers over the sample book, with the real model and no language model."""

import shutil
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
import pytest_asyncio

import sourcebook
from sourcebook.core.answers import NO_INFORMATION
from tests.e2e.conftest import SAMPLE
from tests.e2e.test_sample_questions import QUESTIONS

pytestmark = pytest.mark.asyncio(loop_scope="module")

# Questions in a reader's plain words, and a piece of the sentence that answers each.
ANSWERED = {
    "What is a node in ROS 2?": "A node is a program with a name and one responsibility.",
    "How far can Wren's knee bend?": "2.27 radians",
    "Can I build a TensorRT engine on my workstation and copy it to the Jetson?": "Do not build it",
    "How many bins does OpenVLA use for each dimension of an action?": "256 bins",
    "How long is one physics step in Gazebo?": "one physics step in Gazebo is one millisecond",
    "How many ranges does Wren's lidar make every second?": "327,680 ranges",
    "Which values of ROS_DOMAIN_ID are safe?": "any whole number from 0 to 101",
    "What does Isaac Sim need to draw its pictures?": "RT cores",
}
# Nothing of this is in the book, though some of its words are.
UNANSWERABLE = (
    "What is the capital of France?",
    "How do I bake sourdough bread?",
    "Who won the 2018 world cup?",
    "What is the price of a Jetson Orin in euros?",
    "How do I install Windows 11?",
    "What does Kubernetes use etcd for?",
    "How do I configure MoveIt for a UR5 arm?",
    "What is the maximum payload of the Wren robot?",
    "How does SLAM loop closure work?",
    "What is the difference between TCP and UDP?",
    "Can I use Arduino with micro-ROS?",
    "What is quantum entanglement?",
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def book(
    ingested: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[sourcebook.Book]:
    """One for all tests; each conversation has its own id."""
    data = shutil.copytree(ingested, tmp_path_factory.mktemp("answers") / "data")
    async with sourcebook.open(data_dir=data, docs=SAMPLE) as book:
        yield book


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def answers(book: sourcebook.Book) -> Mapping[str, sourcebook.BookAnswer]:
    """The answers to the plain questions, which several tests look at."""
    return {question: await book.ask(question) for question in ANSWERED}


@pytest.mark.spec("004 US1.1")
@pytest.mark.spec("004 US1.3")
async def test_plain_questions_are_answered_by_the_sentence_that_answers_them(
    answers: Mapping[str, sourcebook.BookAnswer],
) -> None:
    for question, expected in ANSWERED.items():
        answer = answers[question]

        assert expected in answer.text, question
        assert any(expected in source.chunk_text for source in answer.sources), question
        assert answer.model == "extractive"


@pytest.mark.spec("004 SC-003")
@pytest.mark.spec("004 SC-004")
async def test_every_quote_stands_in_its_file_at_its_span(
    book: sourcebook.Book, answers: Mapping[str, sourcebook.BookAnswer]
) -> None:
    labelled = [await book.ask(one["question"], top_k=10) for one in QUESTIONS]
    for answer in [*labelled, *answers.values()]:
        for source in answer.sources:
            assert source.source_file is not None
            text = (SAMPLE / source.source_file).read_text("utf-8")
            assert text[source.char_start : source.char_end] == source.chunk_text
            assert source.line_start == text.count("\n", 0, source.char_start) + 1
            assert len(source.chunk_text) <= 500
        # Every sentence is one of the book's, word for word, and has its marker.
        quotes = " ".join(" ".join(source.chunk_text.split()) for source in answer.sources)
        # The marker of a block of code stands after it.
        said = answer.text.replace("```\n\n[", "``` [") if answer.answered else ""
        for paragraph in filter(None, said.split("\n\n")):
            for sentence in paragraph.split("] "):
                words, _, number = sentence.rstrip("]").rpartition(" [")
                assert " ".join(words.split()) in quotes
                assert 1 <= int(number) <= len(answer.sources)


@pytest.mark.spec("004 US1.4")
@pytest.mark.spec("004 SC-006")
async def test_what_is_not_in_the_book_is_refused(book: sourcebook.Book) -> None:
    for question in UNANSWERABLE:
        answer = await book.ask(question)

        assert (answer.text, answer.sources, answer.answered) == (NO_INFORMATION, (), False)


@pytest.mark.spec("004 FR-014")
async def test_a_follow_up_finds_the_subject_of_the_question_before(book: sourcebook.Book) -> None:
    session = "0d5f4a52-9c3a-4f0e-8a50-3d2f9ed4c1aa"
    await book.ask("How far can Wren's knee bend?", session_id=session)

    answer = await book.ask("And what about its lidar?", session_id=session)

    assert "lidar" in answer.text
