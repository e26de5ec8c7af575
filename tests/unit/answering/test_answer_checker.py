"""Only what the evidence proves is released, or what it says itself, with its source."""

from collections.abc import AsyncGenerator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.answering.answer_checker import AnswerChecker
from sourcebook.answering.citation_markers import without_markers
from sourcebook.answering.evidence import Passage
from sourcebook.answering.reply_limits import MAX_REPLY_SENTENCES
from sourcebook.answering.sentence_embedder import SentenceEmbedder
from sourcebook.answering.statements import read_statements
from sourcebook.core.answers import NO_INFORMATION, SentenceCounts
from sourcebook.core.claims import ClaimPair
from sourcebook.core.errors import ReplyCutOff, Unavailable
from sourcebook.core.vectors import Vector
from tests.fakes import FakeEmbedder, FakeJudge
from tests.fuzz.profile import trying
from tests.unit.answering.passages import GAZEBO, ROS, checker, passage, released, saying

EVIDENCE = (passage(1, ROS), passage(2, GAZEBO))
SIMULATES = "Gazebo simulates worlds with physics."
EXCHANGE = "Nodes exchange messages over topics."
# What is said instead: the sentence that it is about, after the one which that leans on.
INSTEAD = {
    "Kubernetes schedules containers on clusters.": "",
    "Gazebo needs a real robot.": f"{SIMULATES} It does not need a real robot. [2]",
    "ROS 9 is a set of software libraries for building robots.": (
        "ROS 2 is a set of software libraries for building robots. [1]"
    ),
    "Nodes never exchange messages over topics.": f"{EXCHANGE} [1]",
    "Gazebo simulates worlds with Unity.": f"{SIMULATES} [2]",
}
LIES = list(INSTEAD)


async def answer(*pieces: str) -> str:
    return "".join(await released(checker(EVIDENCE), pieces))


@pytest.mark.spec("004 FR-011")
@pytest.mark.spec("004 SC-004")
@pytest.mark.spec("004 US1.3")
@pytest.mark.parametrize("lie", LIES)
async def test_in_the_place_of_a_lie_the_truth_leaves_word_for_word(lie: str) -> None:
    cited = lie.replace(".", " [1][2].")

    assert await answer(f"A node is a process that performs computation [1]. {cited}") == (
        f"A node is a process that performs computation. [1] {INSTEAD[lie]}".rstrip()
    )


async def test_what_the_evidence_does_not_touch_is_dropped() -> None:
    checking = checker(EVIDENCE)

    assert await released(checking, [LIES[0], " Bananas are yellow [1]."]) == []
    assert checking.sources.citations() == ()
    assert checking.counts == SentenceCounts(dropped=2)


async def test_sentences_are_counted_by_what_became_of_them() -> None:
    checking = checker(EVIDENCE)

    await released(checking, [f"{SIMULATES} {EXCHANGE} {LIES[2]} {LIES[0]}"])

    assert checking.counts == SentenceCounts(proven=2, quoted=1, dropped=1)


async def test_the_same_sentence_is_quoted_once() -> None:
    said = await released(checker(EVIDENCE), ["Gazebo simulates worlds with Unity. " * 3])

    assert "".join(said).split() == f"{SIMULATES} [1]".split()


LICENCE = "The club has forty members. A licence runs from April to October. The fee is 45 crowns."


@pytest.mark.parametrize(
    ("claim", "instead"),
    [
        ("The licence fee is 54 crowns.", "The fee is 45 crowns. [1]"),
        ("Members pay a fee of 45 crowns.", "The fee is 45 crowns. [1]"),
        ("A licence runs from March to June.", "A licence runs from April to October. [1]"),
    ],
)
async def test_the_statement_is_quoted_that_a_claim_is_about(claim: str, instead: str) -> None:
    checking = checker((passage(1, LICENCE),))

    assert "".join(await released(checking, [f"{claim} [1]"])) == instead
    assert checking.counts == SentenceCounts(quoted=1)


async def test_statements_of_two_passages_are_not_quoted_as_one() -> None:
    checking = checker((passage(1, "The mill grinds rye."), passage(2, "The fee is 45 crowns.")))

    said = "".join(await released(checking, ["The mill always grinds rye for a fee of 45 crowns."]))

    assert len(checking.sources.citations()) == 1
    assert said in {"The mill grinds rye. [1]", "The fee is 45 crowns. [1]"}


ORCHARD = (
    "Hens must stay away from the fruit trees. The gate has two locks. Rain falls in April."
    " A ladder leans on the wall. Apples ripen in autumn."
)
IN_OTHER_WORDS = "No poultry is allowed inside of our orchard."


# Texts with a word of the same line mean the same.
MEANINGS = (("poultry", "Hens"), ("gate",), ("Rain",), ("ladder",), ("Apples",), ("sea",))


class KnowingEmbedder(FakeEmbedder):
    """Knows which texts mean the same, whatever their words."""

    async def embed_query(self, text: str) -> Vector:
        await super().embed_query(text)
        return [float(any(word in text for word in words)) for words in MEANINGS]


def knowing(text: str = ORCHARD, embedder: FakeEmbedder | None = None) -> AnswerChecker:
    evidence = (passage(1, text),)
    meaning = SentenceEmbedder(embedder or KnowingEmbedder())
    return AnswerChecker(evidence, read_statements(evidence), embedder=meaning)


def failing() -> FakeEmbedder:
    embedder = KnowingEmbedder()
    embedder.failing = True
    return embedder


class SameEmbedder(FakeEmbedder):
    """Takes all texts for the same."""

    async def embed_query(self, text: str) -> Vector:
        return [1.0, 0.0]


async def test_what_is_said_in_quite_other_words_is_found_by_its_meaning() -> None:
    checking = knowing()

    said = await released(checking, [f"{IN_OTHER_WORDS} [1]"])

    assert "".join(said) == "Hens must stay away from the fruit trees. [1]"
    assert checking.counts == SentenceCounts(quoted=1)


@pytest.mark.parametrize(
    ("claim", "text", "embedder"),
    [
        ("Ships cross the sea.", ORCHARD, KnowingEmbedder()),
        (IN_OTHER_WORDS, ORCHARD, failing()),
        (IN_OTHER_WORDS, ORCHARD, SameEmbedder()),
        (IN_OTHER_WORDS, "Hens must stay away from the fruit trees.", KnowingEmbedder()),
        (IN_OTHER_WORDS, f"## Common misconceptions\n\n{ORCHARD}", KnowingEmbedder()),
        ("The documentation does not say whether poultry is allowed.", ORCHARD, KnowingEmbedder()),
    ],
    ids=["nothing", "no vectors", "same vectors", "alone", "taken back", "said to be missing"],
)
async def test_what_has_no_clear_meaning_in_the_evidence_is_dropped(
    claim: str, text: str, embedder: FakeEmbedder
) -> None:
    checking = knowing(text, embedder)

    assert await released(checking, [claim]) == []
    assert checking.counts == SentenceCounts(dropped=1)


async def test_each_statement_is_embedded_once_for_an_answer() -> None:
    embedder = KnowingEmbedder()

    await released(knowing(embedder=embedder), ["Ships cross the sea. Some ships sank at sea."])

    assert len(embedder.queries) == len(set(embedder.queries)) == 2 + ORCHARD.count(".")


async def test_a_model_that_fails_is_not_asked_again() -> None:
    embedder = failing()
    checking = knowing(embedder=embedder)

    await released(checking, ["Ships cross the sea."])
    asked = len(embedder.queries)
    await released(checking, [IN_OTHER_WORDS])

    assert asked
    assert len(embedder.queries) == asked


async def test_what_is_taken_back_is_not_quoted_instead_of_a_claim() -> None:
    myths = "## Common misconceptions\n\nThe mill grinds rye. The fee is 45 crowns.\n"

    said = await released(checker((passage(1, myths),)), ["The mill always grinds some rye."])

    assert said == []


async def test_a_heading_with_the_words_of_a_claim_does_not_hide_a_statement() -> None:
    mill = "## Fee rebate of 45 crowns\n\nThe mill grinds rye.\n\n- The fee is 45 crowns.\n"
    claim = "The mill always grinds rye for a fee rebate of 45 crowns."

    said = await released(checker((passage(1, mill),)), [claim])

    assert "".join(said) == "The mill grinds rye. [1]"


async def test_an_item_leaves_only_after_what_denies_it() -> None:
    dryer = (passage(1, "Before cleaning, you must not:\n\n- Open the lid.\n- Wash the drum.\n"),)

    alone = "".join(await released(checker(dryer), ["Open the lid [1]."]))
    together = ["Before cleaning, you must not: [1]\n", "- Open the lid. [1]\n"]

    assert alone == "Before cleaning, you must not: Open the lid. [1]"
    assert "".join(await released(checker(dryer), together)) == (
        "Before cleaning, you must not: [1]\n- Open the lid. [1]"
    )


async def test_a_quote_in_a_list_is_an_item_of_it() -> None:
    assert await answer("- Gazebo simulates worlds with Unity.\n") == f"- {SIMULATES} [1]"


@pytest.mark.parametrize(
    "refusal",
    [
        NO_INFORMATION,
        "The documentation does not say what Gazebo costs.",
        "There is no information on the price of Gazebo in these passages.",
        "I couldn't find details about how Gazebo simulates worlds.",
    ],
)
async def test_a_writer_that_finds_no_answer_is_not_given_one(refusal: str) -> None:
    checking = checker(EVIDENCE)

    assert await released(checking, [refusal]) == []
    assert checking.says_it_is_missing


@pytest.mark.parametrize(
    "hostile", ["not " * 7_900, "```\n" + " \n" * 15_000 + "x", "- " * 15_000 + "x"]
)
async def test_a_sentence_without_end_is_read_in_one_go(hostile: str) -> None:
    assert await released(checker(EVIDENCE), [hostile]) == []


async def test_a_model_that_does_not_stop_is_stopped_after_what_was_proven() -> None:
    checking = checker(EVIDENCE)
    sentences = checking.released(saying(f"{SIMULATES} ", "word " * 200_000))

    assert await anext(sentences) == f"{SIMULATES} [1]"
    with pytest.raises(ReplyCutOff, match="32,000 characters"):
        await anext(sentences)


async def test_no_more_sentences_are_checked_than_an_answer_may_have() -> None:
    endless = ["It is so. "] * (MAX_REPLY_SENTENCES + 50)

    with pytest.raises(ReplyCutOff, match="sentences"):
        await released(checker(EVIDENCE), endless)


@pytest.mark.parametrize("times", [20, 1_000, 4_000])
async def test_a_word_of_the_evidence_again_and_again_is_not_proven(times: int) -> None:
    checking = checker(EVIDENCE)

    await released(checking, ["Gazebo " * times + "simulates."])

    assert checking.counts.proven == 0


async def test_code_leaves_if_a_block_of_the_evidence_is_the_same() -> None:
    run = "```bash\nros2 run demo talker\n```"
    evidence = (passage(1, f"Start it:\n\n{run}\n\nThen wait."),)

    assert await released(checker(evidence), [run]) == [f"{run}\n\n[1]"]
    assert await released(checker(evidence), [run.replace("talker", "listener")]) == []


@pytest.mark.spec("004 SC-003")
@pytest.mark.parametrize("number", ["99", "0", "3", "1000000000000", "9" * 5_000])
async def test_a_number_that_nothing_has_never_becomes_a_source(number: str) -> None:
    checking = checker(EVIDENCE)

    said = await released(checking, [f"Nodes exchange messages over topics [{number}]."])

    assert said == ["Nodes exchange messages over topics. [1]"]
    assert [one.chunk_id for one in checking.sources.citations()] == ["chunk-1"]


async def test_a_copy_without_a_marker_gets_the_citation_that_it_deserves() -> None:
    assert await answer("Gazebo simulates worlds with physics.") == (
        "Gazebo simulates worlds with physics. [1]"
    )


async def test_a_wrong_number_is_put_right() -> None:
    checking = checker(EVIDENCE)

    said = await released(checking, ["Gazebo simulates worlds with physics [1]."])

    assert said == ["Gazebo simulates worlds with physics. [1]"]
    assert [one.chunk_id for one in checking.sources.citations()] == ["chunk-2"]


@pytest.mark.spec("004 US1.2")
async def test_a_sentence_that_two_cited_passages_say_cites_both() -> None:
    both = (
        passage(1, "A robot arm has six joints."),
        passage(2, "Wheels roll. A robot arm has six joints."),
    )
    checking = checker(both)

    said = await released(checking, ["A robot arm has six joints [2][1]."])

    assert said == ["A robot arm has six joints. [1][2]"]
    assert [one.chunk_id for one in checking.sources.citations()] == ["chunk-2", "chunk-1"]


@pytest.mark.spec("004 US1.2")
@pytest.mark.parametrize("markers", [" [1][2]", " [2]", " [4][3]", ""])
async def test_a_sentence_that_two_passages_prove_only_together_cites_both(markers: str) -> None:
    checking = checker(
        (
            passage(1, "The arm has six joints."),
            passage(2, "The leg has five joints."),
            passage(3, "Wheels roll."),
            passage(4, "The hand has five joints."),
        )
    )

    claim = "The arm has six joints, and the leg has five joints"

    assert await released(checking, [f"{claim}{markers}."]) == [f"{claim}. [1][2]"]
    assert {one.chunk_id for one in checking.sources.citations()} == {"chunk-1", "chunk-2"}


async def test_of_two_cited_passages_the_one_that_does_not_say_so_is_left_out() -> None:
    checking = checker(EVIDENCE)

    said = await released(checking, ["Gazebo simulates worlds with physics [1, 2]."])

    assert said == ["Gazebo simulates worlds with physics. [1]"]
    assert [one.chunk_id for one in checking.sources.citations()] == ["chunk-2"]


@pytest.mark.parametrize(
    ("written", "passed"),
    [
        ("**Gazebo** simulates *worlds* with `physics`.", True),
        ("- Gazebo simulates worlds with physics.", True),
        ("1. Gazebo simulates worlds with physics.", True),
        ("> Gazebo simulates worlds with physics.", True),
        ("“Gazebo simulates worlds with physics.”", True),
        ("Gazebo simulates worlds\nwith physics.", True),
        ("...", False),
        ("Yes.", False),
        ("Sure! Here is what I found:", False),
        ("[1]", False),
    ],
)
async def test_how_a_copy_is_dressed_up_does_not_matter(written: str, passed: bool) -> None:
    assert await answer(written) == (f"{written} [1]" if passed else "")


async def test_sentences_keep_the_white_space_between_them() -> None:
    text = (
        "Gazebo simulates worlds with physics [2]. It does not need a real robot. [2]\n\n"
        "- Nodes exchange messages over topics [1].\n"
    )

    assert await answer(text) == (
        "Gazebo simulates worlds with physics. [1] It does not need a real robot. [1]\n\n"
        "- Nodes exchange messages over topics. [2]"
    )


@trying(short=60, long=3_000)
@given(
    st.lists(
        st.sampled_from(
            [
                "Gazebo simulates worlds with physics [2].",
                "Nodes exchange messages over topics. [1]",
                "A node is a process that performs computation.",
                "- **Nodes** exchange messages over topics [1, 2].",
                *LIES,
                "e.g. Mr. Smith [7].",
                "```\naxes[0]\n```",
            ]
        ),
        max_size=6,
    ),
    st.sampled_from([" ", "\n", "\n\n"]),
    st.lists(st.integers(1, 12), min_size=1, max_size=5),
)
async def test_how_a_text_is_cut_into_pieces_does_not_matter(
    sentences: Sequence[str], gap: str, sizes: Sequence[int]
) -> None:
    text = gap.join(sentences)

    whole = await answer(text)

    assert await answer(*text) == whole
    assert await answer(*cut(text, sizes)) == whole


def cut(text: str, sizes: Sequence[int]) -> list[str]:
    pieces: list[str] = []
    at = 0
    while at < len(text):
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(text[at : at + size])
        at += size
    return pieces


async def test_a_sentence_is_released_before_the_next_one_is_complete() -> None:
    said: list[str] = []

    async def text() -> AsyncGenerator[str]:
        yield "Gazebo simulates worlds with physics [2]. "
        yield "Nodes exch"
        assert said == ["Gazebo simulates worlds with physics. [1]"]
        yield "ange messages over topics."

    async for sentence in checker(EVIDENCE).released(text()):
        said.append(sentence)

    assert said[1:] == [" Nodes exchange messages over topics. [2]"]


async def test_who_stops_listening_ends_the_writing() -> None:
    ended = []

    async def text() -> AsyncGenerator[str]:
        try:
            yield "Gazebo simulates worlds with physics. Nodes exchange messages over topics. "
            yield "A node is a process that performs computation."
        finally:
            ended.append(True)

    sentences = checker(EVIDENCE).released(text())
    await anext(sentences)
    await sentences.aclose()

    assert ended


@pytest.mark.spec("004 SC-004")
@trying(short=60, long=3_000)
@given(st.text(st.sampled_from("Gazebo node topics. physics [12]\n`-*not"), max_size=80))
async def test_whatever_is_written_each_released_sentence_cites_a_quote_of_the_evidence(
    text: str,
) -> None:
    checking = checker(EVIDENCE)

    for sentence in await released(checking, [text]):
        _, numbers = without_markers(sentence)
        quotes = {one.number: one.quote for one in checking.sources.citations()}
        assert numbers
        assert set(numbers) <= set(quotes)
        assert all(any(quote in each.text for each in EVIDENCE) for quote in quotes.values())


@pytest.mark.parametrize(
    "source",
    [
        "The motor draws [42](http://x) amperes.",
        "The motor draws x[0] amperes and `y[1]` volts.",
        "The motor draws 42 amperes [7].",
    ],
)
async def test_numbers_in_brackets_that_are_the_sources_own_stay(source: str) -> None:
    checking = checker([passage(1, source)])

    assert await released(checking, [f"{source} [1]"]) == [f"{source} [1]"]


GERMAN = "Gazebo simuliert Welten mit Physik und mit der Zeit."
ARM = passage(1, "Der Arm dreht sich um 90 Grad, und die Hand ist mit dem Arm verbunden.")


async def marked_by(evidence: Sequence[Passage], *said: str) -> tuple[str, SentenceCounts]:
    checking = AnswerChecker(evidence, read_statements(evidence), marks_unproven=True)
    return "".join(await released(checking, said)), checking.counts


@pytest.mark.parametrize(
    ("evidence", "said"), [(EVIDENCE, GERMAN), ([ARM], "The arm can turn by a right angle.")]
)
async def test_where_that_is_allowed_a_sentence_in_another_language_leaves_marked(
    evidence: Sequence[Passage], said: str
) -> None:
    assert await marked_by(evidence, f"{said} [1]") == (said, SentenceCounts(unproven=1))


async def test_where_that_is_allowed_an_english_lie_is_replaced_all_the_same() -> None:
    said, counts = await marked_by(EVIDENCE, "Gazebo simulates worlds with Unity. [2]")

    assert said == f"{SIMULATES} [1]"
    assert counts == SentenceCounts(quoted=1)


async def test_where_that_is_allowed_a_made_up_address_never_leaves() -> None:
    said, counts = await marked_by([ARM], "Der Arm ist auf https://evil.example/arm und der Hand.")

    assert (said, counts) == ("", SentenceCounts(dropped=1))


async def test_in_another_language_nothing_unproven_leaves_unless_that_is_allowed() -> None:
    assert GERMAN not in await answer(f"{GERMAN} [2]")


KEEL = passage(
    1,
    "The keel is never lifted while the boat is under way. If the pump stops, the bilge alarm rings"
    " for 30 seconds. Ines Vale built the pump in Lisk.",
)


async def cited_by(*said: str) -> tuple[str, SentenceCounts]:
    checking = AnswerChecker([KEEL], read_statements([KEEL]), lets_cited=True)
    return "".join(await released(checking, said)), checking.counts


@pytest.mark.parametrize(
    "claim",
    [
        "Never lift the keel while the boat is under way",
        "When the pump stops, you will hear the bilge alarm ring for half a minute",
        "The pump was built in Lisk by Ines Vale",
    ],
)
async def test_where_that_is_allowed_a_model_s_own_words_leave_with_what_they_stand_on(
    claim: str,
) -> None:
    said, counts = await cited_by(f"{claim}. [1]")

    assert (said, counts) == (f"{claim}. [1]", SentenceCounts(cited=1))


@pytest.mark.parametrize(
    "claim",
    [
        "The keel is lifted while the boat is under way",
        "The bilge alarm rings for 30 seconds",
        "If the pump stops, you will hear the bilge alarm ring for 30 minutes",
        "The pump was built in Oderlin by Ines Vale",
        "The pump was built in Lisk by Otto Vale",
        "Der Kiel wird nie gehoben",
    ],
)
async def test_a_figure_a_name_a_denial_or_a_condition_that_is_not_cited_is_never_let_through(
    claim: str,
) -> None:
    said, counts = await cited_by(f"{claim}. [1]")

    assert counts.cited == 0
    assert claim not in said


async def test_a_model_s_own_words_that_name_no_passage_are_quoted_all_the_same() -> None:
    _, counts = await cited_by("The pump was built in Lisk by Ines Vale.")

    assert counts == SentenceCounts(quoted=1)


async def test_a_model_s_own_words_are_quoted_unless_that_is_allowed() -> None:
    checking = AnswerChecker([KEEL], read_statements([KEEL]))
    await released(checking, ["The pump was built in Lisk by Ines Vale. [1]"])

    assert checking.counts == SentenceCounts(quoted=1)


BUILT = "The pump was built by Ines Vale in Lisk"


async def judged_by(judge: FakeJudge, *said: str) -> tuple[str, SentenceCounts]:
    checking = AnswerChecker([KEEL], read_statements([KEEL]), judge=judge)
    return "".join(await released(checking, said)), checking.counts


async def test_what_a_judge_finds_borne_leaves_in_the_model_s_words() -> None:
    said, counts = await judged_by(FakeJudge(threshold=0.5), f"{BUILT}. [1]")

    assert (said, counts) == (f"{BUILT}. [1]", SentenceCounts(judged=1))


async def test_what_a_judge_does_not_find_borne_is_quoted() -> None:
    said, counts = await judged_by(FakeJudge(threshold=1.1), f"{BUILT}. [1]")

    assert (said, counts) == ("Ines Vale built the pump in Lisk. [1]", SentenceCounts(quoted=1))


async def test_no_judge_is_asked_about_a_figure_that_is_not_cited() -> None:
    claim = "If the pump stops, the bilge alarm rings for 30 minutes"
    said, counts = await judged_by(FakeJudge(threshold=0.0), f"{claim}. [1]")

    assert (counts.judged, claim in said) == (0, False)


async def test_a_judge_that_fails_is_not_asked_again_and_loses_no_sentence() -> None:
    class Failing(FakeJudge):
        asked = 0

        async def judge(self, pairs: Sequence[ClaimPair]) -> list[float]:
            self.asked += 1
            raise Unavailable("away")

    judge = Failing()
    _, counts = await judged_by(judge, f"{BUILT}. [1] ", "In Lisk the pump was built by Ines. [1]")

    assert (judge.asked, counts.judged, counts.quoted) == (1, 0, 2)
