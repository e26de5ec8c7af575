"""A claim is supported if the evidence says it, and not if a figure, a name or a `not` differs."""

import re
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest

from sourcebook.answering.grounding import ClaimChecker, ClaimVerdict, check_claim
from sourcebook.answering.sentences import split_sentences
from sourcebook.answering.statements import Statement
from sourcebook.core.documents import Span

NODES = (
    "A node is a process that performs one task. Nodes exchange messages over topics. The default"
    " domain is 0, and any whole number from 0 to 101 is safe. A timer fires every 5 seconds and"
    " keeps 10 messages. Gazebo simulates sensors. Many people start with Gazebo."
    " Services cannot be cancelled. Actions can be cancelled."
)
TOPICS = "A publisher sends messages to `/cmd_vel`. QoS profiles decide how much is kept."


def statements(*passages: str) -> list[Statement]:
    return [
        Statement(number, one.start, one.end, one.text, None)
        for number, text in enumerate(passages, 1)
        for one in split_sentences(text)
    ]


def judged(claim: str) -> ClaimVerdict:
    return check_claim(claim, None, statements(NODES, TOPICS))


@cache
def lessons() -> tuple[str, ...]:
    root = Path(str(files("sourcebook.samples") / "book"))
    texts = (page.read_text("utf-8") for page in sorted(root.rglob("*.md")))
    # Code is no claim, and a text that quotes it whole says nothing about the check.
    return tuple(re.sub(r"(?ms)^```.*?^```", "", text.split("\n---\n", 1)[1]) for text in texts)


def prose(text: str) -> list[str]:
    return [one.text for one in split_sentences(text) if re.match(r"[A-Z].*\.$", one.text)]


@pytest.mark.parametrize(
    "claim",
    [
        "Nodes exchange messages over topics.",
        "nodes  exchange\nmessages over topics",
        "- **Nodes exchange messages** over topics.",
        "“Nodes exchange messages over topics.”",
        "any whole number from 0 to 101 is safe",
        "A node is a process that performs one task. Nodes exchange messages over topics.",
    ],
)
def test_a_copy_is_supported_however_it_is_set(claim: str) -> None:
    verdict = judged(claim)
    assert verdict.supported
    assert verdict.score == 1.0
    assert verdict.passage == 1


def test_a_copy_is_cited_where_it_stands() -> None:
    copied = "QoS profiles decide how much is kept."
    verdict = judged(copied)
    start = TOPICS.index(copied)
    assert (verdict.passage, verdict.span) == (2, Span(start, start + len(copied)))


@pytest.mark.parametrize(
    "claim",
    [
        "A node is a process which performs a single task.",
        "Messages are exchanged by nodes over topics.",
        "A node performs one task, and nodes exchange messages over topics.",
        "Nodes exchange messages over topics, and a publisher sends them to `/cmd_vel`.",
        "The timer keeps ten messages.",
        "An action can be cancelled.",
    ],
)
def test_other_words_for_the_same_are_supported(claim: str) -> None:
    assert judged(claim).supported


@pytest.mark.spec("004 FR-011")
@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("Any whole number from 0 to 232 is safe.", "figure"),
        ("A timer fires every 10 seconds and keeps 10 messages.", "figure"),
        ("A publisher sends messages to `/cmd_pos`.", "name"),
        ("A publisher sends messages to the Jetson.", "name"),
        ("Webots simulates sensors.", "name"),
        ("Nodes do not exchange messages over topics.", "negation"),
        ("Services can be cancelled.", "negation"),
        ("Actions can never be cancelled.", "negation"),
        ("Robots will replace teachers in most schools.", "little_support"),
        ("Yes.", "little_support"),
        ("", "little_support"),
    ],
)
def test_what_the_evidence_does_not_say_is_not_supported(claim: str, reason: str) -> None:
    verdict = judged(claim)
    assert not verdict.supported
    assert verdict.reason == reason


def test_a_part_that_was_cut_from_behind_a_denial_is_no_copy() -> None:
    evidence = statements("It is not true that motors stop by themselves.")
    assert not check_claim("Motors stop by themselves.", None, evidence).supported


def test_the_vector_decides_between_passages_that_say_the_same() -> None:
    same = "Motors stop when the lease ends."
    evidence = [
        Statement(1, 0, len(same), same, (1.0, 0.0)),
        Statement(2, 0, len(same), same, (0.0, 1.0)),
    ]
    assert (
        check_claim("Motors stop when leases end, as planned.", (0.0, 1.0), evidence).passage == 2
    )


def test_nothing_is_supported_without_evidence() -> None:
    assert not check_claim("Nodes exchange messages.", None, []).supported


@pytest.mark.spec("004 SC-004")
def test_every_sentence_of_the_sample_book_is_supported_by_its_own_lesson() -> None:
    for lesson in lessons():
        grounds = ClaimChecker(statements(lesson))
        for sentence in prose(lesson):
            verdict = grounds.check(sentence)
            assert verdict.supported, sentence
            assert verdict.span is not None
            assert " ".join(sentence.split()) in " ".join(
                lesson[verdict.span.start : verdict.span.end].split()
            )


def test_hardly_a_sentence_of_the_sample_book_is_supported_by_another_lesson() -> None:
    texts = lessons()
    passed = total = 0
    for number, lesson in enumerate(texts):
        grounds = ClaimChecker(statements(texts[number - 1]))
        verdicts = [grounds.check(sentence) for sentence in prose(lesson)]
        passed += sum(verdict.supported for verdict in verdicts)
        total += len(verdicts)
    assert passed <= total // 100


@pytest.mark.spec("004 SC-004")
def test_a_changed_number_is_found_in_every_sentence_of_the_sample_book() -> None:
    for lesson in lessons():
        grounds = ClaimChecker(statements(lesson))
        for sentence in prose(lesson):
            changed = re.sub(r"(?<![\w.])\d+(?![\w.])", "977", sentence, count=1)
            if changed != sentence:
                assert grounds.check(changed).reason == "figure", changed


@pytest.mark.spec("004 SC-004")
def test_an_added_denial_is_found_in_every_sentence_of_the_sample_book() -> None:
    for lesson in lessons():
        grounds = ClaimChecker(statements(lesson))
        for sentence in prose(lesson):
            changed = re.sub(r"\b(is|are|can|does|must) (?!not\b)", r"\1 not ", sentence, count=1)
            if changed != sentence:
                assert not grounds.check(changed).supported, changed
