"""Which questions are read with which passages."""

from collections import Counter
from dataclasses import dataclass
from random import Random

from training.drawn_pairs import NEAREST_READ, OTHERS, drawn_pairs
from training.prepared import Line

QUESTIONS = 400
OWN, NEAR, BESIDE, EMPTY, SHORT = range(5)


@dataclass(frozen=True)
class Question:
    question: str
    passage: int
    nearest: tuple[int, ...] = ()
    beside: tuple[int, ...] = ()


LINES: list[Line] = [{"sentences": [(0, 1)] * count} for count in (4, 4, 4, 0, 1)]


def pairs_of(own: int, nearest: tuple[int, ...] = (), beside: tuple[int, ...] = ()) -> list[Line]:
    asked = [Question(f"Question {n}?", own, nearest, beside) for n in range(QUESTIONS)]
    return drawn_pairs(asked, LINES, Random(1))


def test_each_question_is_read_with_its_passage_and_some_with_one_that_is_near() -> None:
    counts = Counter(one["passage"] for one in pairs_of(OWN, (NEAR,), (BESIDE,)))
    assert counts[OWN] == QUESTIONS
    assert set(counts) == {OWN, NEAR, BESIDE}
    others = counts[NEAR] + counts[BESIDE]
    assert 0.8 * OTHERS < others / QUESTIONS < 1.2 * OTHERS


def test_a_passage_with_none_near_is_read_alone() -> None:
    assert {one["passage"] for one in pairs_of(OWN, (EMPTY,))} == {OWN}


def test_a_question_is_read_with_as_many_near_passages_as_wanted() -> None:
    lines: list[Line] = [{"sentences": [(0, 1)]}] * 30
    asked = [Question("Question?", 0, tuple(range(1, 25)), (1, 29)) for _ in range(QUESTIONS)]
    pairs = drawn_pairs(asked, lines, Random(1), others=3)
    counts = Counter(one["passage"] for one in pairs)
    assert counts[0] == QUESTIONS
    assert len(pairs) == 4 * QUESTIONS
    assert set(counts) == {0, *range(1, NEAREST_READ + 1), 29}


def test_no_passage_is_read_twice_with_a_question() -> None:
    pairs = drawn_pairs([Question("Question?", OWN, (NEAR,), (NEAR,))], LINES, Random(1), others=5)
    assert sorted(one["passage"] for one in pairs) == [OWN, NEAR]


def test_some_passages_are_cut_to_neighbouring_sentences_of_theirs() -> None:
    pairs = pairs_of(OWN)
    cut = [one for one in pairs if one["cut"]]
    assert 0 < len(cut) < len(pairs)
    assert all(0 <= one["first"] < one["last"] < 4 for one in cut)
    assert all(one["first"] == 0 for one in pairs if not one["cut"])


def test_what_has_one_sentence_is_not_cut() -> None:
    assert not any(one["cut"] for one in pairs_of(SHORT))
