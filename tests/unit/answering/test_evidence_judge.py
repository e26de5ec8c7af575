"""Evidence is judged by reading where a reader knows the language, else by similarity."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from sourcebook.answering import evidence_judge
from sourcebook.answering.evidence import Passage, selection_evidence
from sourcebook.answering.evidence_judge import (
    JUDGING_TIME_S,
    MAX_READ,
    Case,
    Evidence,
    EvidenceJudge,
    Judgement,
)
from sourcebook.answering.sentence_embedder import SentenceEmbedder
from sourcebook.answering.statements import read_statements
from sourcebook.core.answers import Question
from sourcebook.core.errors import Unavailable
from sourcebook.core.readings import Calibration, ReadablePassage, Reading
from tests.fakes import FakeEmbedder
from tests.unit.answering.passages import GAZEBO, ROS, passage
from tests.unit.answering.readers import FakeReader

NODE = "What is a node?"
NODE_SAID = "A node is a process that performs computation."


class BrokenReader(FakeReader):
    """Fails."""

    async def read(self, question: str, passages: Sequence[ReadablePassage]) -> list[Reading]:
        raise Unavailable("The reader is broken")


class SlowReader(FakeReader):
    """Reads and never comes to an end."""

    def __init__(self) -> None:
        super().__init__({})
        self.asked = 0

    async def read(self, question: str, passages: Sequence[ReadablePassage]) -> list[Reading]:
        self.asked += 1
        await asyncio.Event().wait()
        return []


def case(question: str, *passages: Passage) -> Case:
    return Case(Question(question), question, passages, read_statements(passages))


async def found(judge: EvidenceJudge, about: Case, **how: Any) -> Evidence:
    return await judge.evidence(about.question, about.understood, about.passages, **how)


async def judged(
    about: Case, reader: FakeReader | None = None, threshold: float = 0.5
) -> Judgement:
    judge = EvidenceJudge(SentenceEmbedder(FakeEmbedder()), reader, threshold)
    judgement = (await found(judge, about)).judgement
    assert judgement is not None
    return judgement


async def test_what_the_reader_finds_answered_is_enough() -> None:
    judgement = await judged(case(NODE, passage(1, ROS)), FakeReader({"process": 3.0}))

    assert judgement.is_enough
    assert judgement.probability == pytest.approx(0.9975, abs=1e-4)


async def test_what_the_reader_finds_unanswered_is_refused_however_similar_it_is() -> None:
    judgement = await judged(case(NODE, passage(1, ROS, score=0.9)), FakeReader({}))

    assert not judgement.is_enough


async def test_a_reader_that_is_too_slow_is_asked_once_and_similarity_decides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(evidence_judge, "READING_TIMEOUT_S", 0.01)
    reader = SlowReader()
    judge = EvidenceJudge(SentenceEmbedder(FakeEmbedder()), reader)
    about = case(NODE, passage(1, ROS, score=0.9))

    assert (await found(judge, about, only_by_reading=True)).judgement is None
    judgement = (await found(judge, about)).judgement

    assert judgement is not None
    assert (judgement.is_enough, judgement.probability, reader.asked) == (True, None, 1)


async def test_nothing_is_read_when_there_is_only_time_to_judge_without() -> None:
    judge = EvidenceJudge(SentenceEmbedder(FakeEmbedder()), SlowReader())
    deadline_s = asyncio.get_running_loop().time() + JUDGING_TIME_S

    judgement = (await found(judge, case(NODE, passage(1, ROS)), deadline_s=deadline_s)).judgement

    assert judgement is not None
    assert judgement.probability is None


async def test_the_best_statement_has_the_best_rank() -> None:
    about = case(NODE, passage(1, GAZEBO), passage(2, ROS))

    judgement = await judged(about, FakeReader({"performs computation": 3.0, "physics": 1.0}))

    best = max(range(len(about.quotable)), key=judgement.ranks.__getitem__)
    assert about.quotable[best].statement.text == NODE_SAID
    assert all(0.0 <= rank <= 1.0 for rank in judgement.ranks)


async def test_similarity_and_words_in_common_count_as_the_calibration_says() -> None:
    strict = Calibration(-2.0, 0.0, 0.0, 4.0, 0.0)
    lax = replace(strict, coverage=4.0)
    about = case(NODE, passage(1, ROS, score=0.2))

    assert not (await judged(about, FakeReader({}, strict))).is_enough
    assert (await judged(about, FakeReader({}, lax))).is_enough


async def test_a_statement_that_stands_out_counts_as_the_calibration_says() -> None:
    standing_out = Calibration(-1.0, 0.0, 0.0, 0.0, 0.0, lead=0.5)
    about = case(NODE, passage(1, f"{NODE_SAID} Robots walk. Wrens sing."))

    alone = await judged(about, FakeReader({"node": 3.0}, standing_out))
    among = await judged(about, FakeReader({"node": 3.0, "walk": 3.0, "sing": 3.0}, standing_out))

    assert alone.is_enough
    assert not among.is_enough


async def test_the_threshold_decides() -> None:
    about = case(NODE, passage(1, ROS))
    reader = FakeReader({"process": 0.5})

    assert (await judged(about, reader, threshold=0.7)).is_enough
    assert not (await judged(about, reader, threshold=0.8)).is_enough


async def test_the_reader_reads_the_best_passages_under_their_headings() -> None:
    reader = FakeReader({"process": 3.0})
    passages = [passage(number, ROS) for number in range(1, MAX_READ + 3)]

    judgement = await judged(case(NODE, *passages), reader)

    assert len(reader.read_passages) == MAX_READ
    source = passages[0].source
    assert source.title in reader.read_passages[0].heading
    assert judgement.ranks[-1] == 0.0


async def test_a_selection_is_read_under_no_heading() -> None:
    reader = FakeReader({"process": 3.0})
    selection = selection_evidence(ROS)

    await judged(
        Case(Question(NODE, selection=ROS), NODE, selection, read_statements(selection)), reader
    )

    assert [one.heading for one in reader.read_passages] == [""]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Was ist ein Knoten?", "Ein Knoten ist ein Prozess, der etwas berechnet."),
        ("What is a Knoten?", "Ein Knoten ist ein Prozess, der etwas für die anderen berechnet."),
        ("Qu'est-ce que le nœud pour les robots?", ROS),
    ],
)
async def test_what_the_reader_cannot_read_is_judged_by_similarity(
    question: str, text: str
) -> None:
    reader = FakeReader({})

    judgement = await judged(case(question, passage(1, text, score=0.9)), reader)

    assert reader.read_passages == []
    assert judgement.probability is None
    assert judgement.is_enough


async def test_a_reader_that_fails_is_replaced_by_similarity() -> None:
    judgement = await judged(case(NODE, passage(1, ROS)), BrokenReader({}))

    assert judgement.probability is None
    assert judgement.is_enough


async def test_a_writer_who_refuses_by_itself_is_overruled_by_a_reader_only() -> None:
    about = case("Which cheese do Swiss farmers eat?", passage(1, ROS, score=0.05))
    embedder = SentenceEmbedder(FakeEmbedder())

    unread = await found(EvidenceJudge(embedder), about, only_by_reading=True)
    read = await found(EvidenceJudge(embedder, FakeReader({})), about, only_by_reading=True)

    assert unread.judgement is None
    assert read.judgement is not None
    assert not read.judgement.is_enough


async def test_a_selection_that_is_asked_about_as_a_whole_is_always_enough() -> None:
    asked = "What is this about?"
    selection = selection_evidence(ROS)
    about = Case(Question(asked, selection=ROS), asked, selection, read_statements(selection))

    assert (await judged(about, FakeReader({}))).is_enough
    assert (await judged(about)).is_enough


async def test_words_of_passages_that_were_found_for_their_words_alone_do_not_count() -> None:
    asked = "How do I configure MoveIt for an arm?"
    arm, moveit = "Wren has an arm.", "Configure MoveIt for launch."

    def near(similarity: float) -> Case:
        return case(
            asked,
            replace(passage(1, arm, score=0.9), similarity=0.4),
            replace(passage(2, moveit, score=0.9), similarity=similarity),
        )

    assert not (await judged(near(0.1))).is_enough
    assert (await judged(near(0.35))).is_enough
