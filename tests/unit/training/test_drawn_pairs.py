"""Which questions are read with which passages."""

from collections import Counter
from dataclasses import dataclass
from random import Random

from training.drawn_pairs import OTHER_SHARE, example_pairs, written_pairs
from training.prepared import Line

QUESTIONS = 400


@dataclass(frozen=True)
class Example:
    kind: str
    question: str
    passage: int
    nearest: tuple[int, ...] = ()
    beside: tuple[int, ...] = ()


def line(number: int, corpus: str, document: str, sentences: int = 4) -> Line:
    return {
        "id": 1000 + number,
        "corpus": corpus,
        "document": document,
        "sentences": [(0, 1)] * sentences,
    }


LINES = [
    line(0, "django", "one"),
    line(1, "django", "one"),
    line(2, "django", "two"),
    line(3, "written clocks", "made 0", sentences=1),
    line(4, "written clocks", "made 1"),
]


def pairs_of(number: int) -> list[Line]:
    asked = [{"passage": 1000 + number, "question": f"Question {n}?"} for n in range(QUESTIONS)]
    return list(written_pairs(asked, LINES, Random(1)))


def test_each_question_is_read_with_its_passage_and_some_with_one_beside_it() -> None:
    counts = Counter(one["passage"] for one in pairs_of(0))
    assert counts[0] == QUESTIONS
    assert set(counts) == {0, 1}
    assert 0.5 * OTHER_SHARE < counts[1] / QUESTIONS < 1.5 * OTHER_SHARE


def test_beside_a_text_are_those_of_its_genre() -> None:
    assert {one["passage"] for one in pairs_of(3)} == {3, 4}


def test_a_passage_that_is_alone_is_read_alone() -> None:
    assert {one["passage"] for one in pairs_of(2)} == {2}


def test_some_passages_are_cut_to_neighbouring_sentences_of_theirs() -> None:
    pairs = pairs_of(0)
    cut = [one for one in pairs if one["cut"]]
    assert 0 < len(cut) < len(pairs)
    assert all(0 <= one["first"] < one["last"] < 4 for one in cut)
    assert all(one["first"] == 0 for one in pairs if not one["cut"])


def test_what_has_one_sentence_is_not_cut() -> None:
    assert not any(one["cut"] for one in pairs_of(3) if one["passage"] == 3)


def test_answered_questions_of_ours_are_read_with_near_passages_too() -> None:
    answered = Example("asked", "What is asked?", 0, (1, 2), (4,))
    missed = Example("asked_miss", "What is missing?", 0, (1, 2), (4,))
    pairs = list(example_pairs([answered], LINES, Random(1)))
    assert pairs[0]["passage"] == 0
    assert len({one["passage"] for one in pairs} - {0}) == 2
    assert [one["passage"] for one in example_pairs([missed], LINES, Random(1))] == [0]


def test_of_what_a_machine_wrote_only_some_is_read() -> None:
    examples = [Example("question", f"Question {n}?", 0) for n in range(QUESTIONS)]
    assert 0.2 < len(list(example_pairs(examples, LINES, Random(1)))) / QUESTIONS < 0.4
