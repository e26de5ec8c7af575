"""A near miss asks about the subject of a passage for something that it does not say."""

from random import Random

from training.near_misses import near_misses
from training.sources import Passage

PASSAGES = {
    1: Passage(1, "docs", "a.md", 0, "Cache", "The default size of the cache is 5 MB."),
    2: Passage(2, "docs", "b.md", 0, "Queue", "The longest delay of the queue is 9 s."),
    3: Passage(3, "other", "c.md", 0, "Wren", "The top speed of `wren` is 3 knots."),
}
QUESTIONS = [
    (1, "What is the default size of the cache?"),
    (2, "What is the longest delay of the queue?"),
    (3, "What is the top speed of `wren`?"),
]


def test_a_near_miss_takes_what_is_asked_from_another_question_of_the_same_book() -> None:
    made = list(near_misses(QUESTIONS, PASSAGES, Random(1)))

    assert {(one.passage, one.question) for one in made} == {
        (1, "What is the longest delay of the cache?"),
        (2, "What is the default size of the queue?"),
    }


def test_what_stands_in_the_passage_is_never_taken_for_a_near_miss() -> None:
    both = {1: PASSAGES[1], 2: Passage(2, "docs", "b.md", 0, "Queue", "Its default size is 4.")}
    made = list(near_misses(QUESTIONS[:2], both, Random(1)))

    assert {one.passage for one in made} == {1}


def test_a_purpose_is_no_near_miss_since_every_passage_hints_at_one() -> None:
    asked = [(1, "What is the purpose of the cache?"), (2, "What is the role of the queue?")]

    assert list(near_misses(asked, PASSAGES, Random(1))) == []
