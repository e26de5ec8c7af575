"""Evidence is judged by reading where a reader knows the language, else by similarity."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from sourcebook.answering import evidence_judge
from sourcebook.answering.evidence import Passage, Section, selection_evidence
from sourcebook.answering.evidence_judge import (
    JUDGING_TIME_S,
    MAX_READ,
    Case,
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


async def judged(
    about: Case, reader: FakeReader | None = None, threshold: float = 0.5
) -> Judgement:
    judge = EvidenceJudge(SentenceEmbedder(FakeEmbedder()), reader, threshold)
    judgement = await judge.judge(about)
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

    assert await judge.judge(about, only_by_reading=True) is None
    judgement = await judge.judge(about)

    assert judgement is not None
    assert (judgement.is_enough, judgement.probability, reader.asked) == (True, None, 1)


async def test_nothing_is_read_when_there_is_only_time_to_judge_without() -> None:
    judge = EvidenceJudge(SentenceEmbedder(FakeEmbedder()), SlowReader())
    deadline_s = asyncio.get_running_loop().time() + JUDGING_TIME_S

    judgement = await judge.judge(case(NODE, passage(1, ROS)), deadline_s=deadline_s)

    assert judgement is not None
    assert judgement.probability is None


async def test_the_best_statement_has_the_best_rank() -> None:
    about = case(NODE, passage(1, GAZEBO), passage(2, ROS))

    judgement = await judged(about, FakeReader({"performs computation": 3.0, "physics": 1.0}))

    best = max(range(len(about.quotable)), key=judgement.ranks.__getitem__)
    assert about.quotable[best].statement.text == NODE_SAID
    assert all(0.0 <= rank <= 1.0 for rank in judgement.ranks)


async def test_what_the_heading_says_a_statement_need_not_repeat() -> None:
    said = "It carries sand from the north. Dune walking is an old name for it."
    plain = passage(1, said)
    about = case("What is dune walking?", plain)
    named = case(
        "What is dune walking?", replace(plain, source=replace(plain.source, title="Dune walking"))
    )
    reader = FakeReader({"carries": 1.0, "old name": 0.0})

    repeated = (await judged(about, reader)).ranks
    under_its_name = (await judged(named, reader)).ranks

    assert repeated[0] < repeated[1] == 1.0
    assert under_its_name[1] < under_its_name[0] == 1.0


NOW, ONCE = "By default redirects are followed.", "HEAD requests follow no redirects any more."
OF_ITS_TIME = FakeReader({NOW: 1.0, ONCE: 4.0})


def of_its_time(question: str) -> Case:
    """A question with a line of a changelog and with what holds now."""
    changelog = passage(1, ONCE)
    changelog = replace(changelog, source=replace(changelog.source, title="Changelog"))
    return case(question, changelog, passage(2, NOW))


async def test_what_holds_now_comes_before_what_a_changelog_says() -> None:
    about = of_its_time("Are redirects followed?")

    ranks = (await judged(about, OF_ITS_TIME)).ranks

    assert [one.statement.text for one in about.quotable] == [ONCE, NOW]
    assert ranks[0] < ranks[1] == 1.0


async def test_who_asks_about_a_release_gets_what_the_changelog_says() -> None:
    ranks = (await judged(of_its_time("Since when are redirects followed?"), OF_ITS_TIME)).ranks

    assert ranks[1] < ranks[0] == 1.0


async def test_who_asks_about_the_page_of_a_changelog_gets_what_it_says() -> None:
    about = of_its_time("Are redirects followed?")
    on_page = replace(about, question=replace(about.question, on_page=True))

    ranks = (await judged(on_page, OF_ITS_TIME)).ranks

    assert ranks[1] < ranks[0] == 1.0


async def test_a_changelog_speaks_less_for_an_answer_unless_there_is_nothing_else() -> None:
    beside = of_its_time("Are redirects followed?")
    alone = case(beside.understood, *beside.passages[:1])

    doubted = await judged(beside, OF_ITS_TIME)
    certain = await judged(alone, OF_ITS_TIME)

    assert doubted.probability is not None
    assert certain.probability is not None
    assert doubted.probability < certain.probability


async def test_a_heading_says_nothing_for_what_stands_before_it() -> None:
    plain = passage(1, "It carries sand.\n\n# Dune walking\n\nIt is an old name.")
    sections = (Section(0, "", "/"), Section(18, "Dune walking", "/#dune-walking"))
    source = replace(plain.source, heading="Dune walking", sections=sections)
    about = case("What is dune walking?", replace(plain, source=source))

    ranks = (await judged(about, FakeReader({"carries": 1.0, "old name": 0.0}))).ranks

    assert ranks[0] < ranks[2] == 1.0


async def test_a_heading_with_both_sides_of_a_comparison_speaks_for_neither() -> None:
    plain = passage(1, "It carries sand. A dune is older than a dyke.")
    named = replace(plain, source=replace(plain.source, title="Dunes and dykes"))
    reader = FakeReader({"carries": 1.0, "older": 0.0})

    ranks = (await judged(case("dunes vs dykes", named), reader)).ranks

    assert ranks[0] < ranks[1] == 1.0


BRIDGE = passage(
    1,
    "The bridge carries all messages.\n\n```\nError: the channel(s) 'foo' are not declared in"
    " bridge.yaml\n```\n\nDeclare every channel there.",
)


@pytest.mark.parametrize("reader", [FakeReader({"carries": 1.0}), None], ids=["read", "similar"])
async def test_a_pasted_message_is_answered_where_it_stands(reader: FakeReader | None) -> None:
    message = "Error: the channel(s) 'lidar' are not declared in bridge.yaml"

    judgement = await judged(case(message, BRIDGE), reader, threshold=1.0)

    assert judgement.is_enough


async def test_what_holds_a_pasted_message_comes_first() -> None:
    about = case("Error: the channel(s) 'lidar' are not declared in bridge.yaml", BRIDGE)

    judgement = await judged(about, FakeReader({"carries": 5.0}))

    best = max(range(len(about.quotable)), key=judgement.ranks.__getitem__)
    assert about.quotable[best].kind == "code"
    assert all(0.0 <= rank <= 1.0 for rank in judgement.ranks)


async def test_of_a_heading_that_is_a_pasted_message_what_stands_under_it_comes_first() -> None:
    text = (
        "## Error: the network key of the device is wrong\n\nAnother hub has it. Reset it.\n\n"
        "## Others\n\nThe device has a network key."
    )
    about = case('I get "Error: the network key of the device is wrong"', passage(1, text))

    judgement = await judged(about, FakeReader({"device has": 5.0}))

    best = max(judgement.ranks)
    said = [
        one.shown for one, rank in zip(about.quotable, judgement.ranks, strict=True) if rank == best
    ]
    assert said == ["Another hub has it.", "Reset it."]


@pytest.mark.parametrize(("others", "is_enough"), [("F07", True), ("F12", False)])
async def test_under_the_only_heading_with_a_code_stands_what_it_means(
    others: str, is_enough: bool
) -> None:
    text = f"## F12: Motor\n\nLet it cool down.\n\n## {others}: Flame\n\nClean the probe."
    about = case("What does F12 mean?", passage(1, text))

    judgement = await judged(about, FakeReader({"probe": -3.0}))

    best = about.quotable[judgement.ranks.index(max(judgement.ranks))]
    assert judgement.is_enough is is_enough
    assert (best.shown == "Let it cool down.") is is_enough


async def test_the_answer_to_the_question_as_the_text_asks_it_comes_first() -> None:
    text = "Is there Wi-Fi on board?\n\nA: Only below.\n\nWi-Fi on land is fast."
    about = case("Is there Wi-Fi on board?", passage(1, text))

    judgement = await judged(about, FakeReader({"land": 5.0}), threshold=1.0)

    best = max(range(len(about.quotable)), key=judgement.ranks.__getitem__)
    assert (judgement.is_enough, about.quotable[best].shown) == (True, "Only below.")


@pytest.mark.parametrize(
    ("heading", "is_enough"), [("Is there Wi-Fi on board?", True), ("Is there food?", False)]
)
async def test_a_question_that_a_heading_asks_is_not_refused(heading: str, is_enough: bool) -> None:
    about = case("Is there Wi-Fi on board?", passage(1, f"## {heading}\n\nOnly below."))

    assert (await judged(about, FakeReader({}), threshold=1.0)).is_enough == is_enough


@pytest.mark.parametrize(
    "question",
    [
        "How does a topic differ from a mailbox?",
        "Topics compared with mailboxes",
        "topic vs mailbox",
    ],
)
async def test_a_comparison_with_what_nothing_speaks_of_is_refused_in_doubt(question: str) -> None:
    said = "A topic carries messages to all who listen."
    unsure, sure = FakeReader({"topic": 0.4}), FakeReader({"topic": 5.0})
    of_both = [passage(1, said), passage(2, "A mailbox has one.")]

    assert not (await judged(case(question, passage(1, said)), unsure)).is_enough
    assert not (await judged(case(question, passage(1, said)))).is_enough
    assert (await judged(case(question, *of_both), unsure)).is_enough
    assert (await judged(case(question, passage(1, said)), sure)).is_enough


async def test_a_choice_may_be_told_of_one_side_alone() -> None:
    said = "Indent with spaces only."

    judgement = await judged(
        case("Should I use spaces or tabs?", passage(1, said)), FakeReader({"spaces": 5.0})
    )

    assert judgement.is_enough


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


def nearest_judge(reader: FakeReader | None) -> EvidenceJudge:
    return EvidenceJudge(SentenceEmbedder(FakeEmbedder()), reader)


async def test_of_passages_that_are_as_near_those_that_answer_are_kept() -> None:
    passages = [passage(1, "Wind.", score=0.8), passage(2, "Sea.", score=0.8), passage(3, ROS)]

    kept = await nearest_judge(FakeReader({"process": 3.0})).nearest(NODE, passages, 2)

    assert [(one.number, one.text) for one in kept] == [(1, ROS), (2, "Wind.")]


async def test_what_is_much_nearer_stays_whatever_the_reader_says() -> None:
    passages = [passage(1, "Wind.", score=0.9), passage(2, ROS, score=0.5)]

    kept = await nearest_judge(FakeReader({"process": 9.0})).nearest(NODE, passages, 1)

    assert [one.text for one in kept] == ["Wind."]


async def test_what_stands_before_for_another_reason_than_its_score_stays_before() -> None:
    scores = (0.5, 0.9, 0.45, 0.88)
    passages = [passage(n, f"Boat {n} sails.", score=one) for n, one in enumerate(scores, 1)]

    kept = await nearest_judge(FakeReader({})).nearest(NODE, passages, 3)

    assert kept == tuple(passages[:3])


async def test_who_chooses_too_slowly_takes_the_first_and_may_still_judge(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(evidence_judge, "CHOOSING_TIMEOUT_S", 0.01)
    judge = nearest_judge(SlowReader())
    passages = [passage(1, ROS), passage(2, GAZEBO)]

    assert await judge.nearest(NODE, passages, 1) == tuple(passages[:1])
    assert judge.looks_at(1) == MAX_READ


@pytest.mark.parametrize("reader", [None, BrokenReader({}), FakeReader({"Knoten": 9.0})])
async def test_the_first_are_kept_if_they_cannot_be_read(reader: FakeReader | None) -> None:
    german = "Ein Knoten ist ein Prozess, der etwas berechnet."
    passages = [passage(number, f"{number}. {german}") for number in (1, 2, 3)]

    assert await nearest_judge(reader).nearest(NODE, passages, 2) == tuple(passages[:2])


async def test_what_was_read_to_be_chosen_is_not_read_again() -> None:
    reader = FakeReader({"process": 3.0})
    judge = nearest_judge(reader)

    kept = await judge.nearest(NODE, [passage(1, GAZEBO), passage(2, ROS)], 1)
    judgement = await judge.judge(case(NODE, *kept))

    assert judgement is not None
    assert judgement.is_enough
    assert [one.text for one in reader.read_passages] == [GAZEBO, ROS]


def test_more_than_asked_for_is_only_looked_at_to_be_read() -> None:
    assert nearest_judge(None).looks_at(5) == 5
    assert nearest_judge(FakeReader({})).looks_at(5) == MAX_READ
    assert nearest_judge(FakeReader({})).looks_at(20) == 20


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

    assert await EvidenceJudge(embedder).judge(about, only_by_reading=True) is None
    judgement = await EvidenceJudge(embedder, FakeReader({})).judge(about, only_by_reading=True)
    assert judgement is not None
    assert not judgement.is_enough


async def test_a_selection_that_is_asked_about_as_a_whole_is_always_enough() -> None:
    asked = "What is this about?"
    selection = selection_evidence(ROS)
    about = Case(Question(asked, selection=ROS), asked, selection, read_statements(selection))

    assert (await judged(about, FakeReader({}))).is_enough
    assert (await judged(about)).is_enough


async def test_words_of_passages_that_were_found_for_their_words_alone_do_not_count() -> None:
    asked = "How do I configure MoveIt for an arm?"
    arm, moveit = "Wren has an arm.", "Configure MoveIt for launch."

    def found(similarity: float) -> Case:
        return case(
            asked,
            replace(passage(1, arm, score=0.9), similarity=0.4),
            replace(passage(2, moveit, score=0.9), similarity=similarity),
        )

    assert not (await judged(found(0.1))).is_enough
    assert (await judged(found(0.35))).is_enough
