"""The reader must understand what people type, not only whole sentences."""

from random import Random

from training.wording import keywords, reworded, with_slip

QUESTION = "How long does the battery last?"


def test_keywords_keep_what_carries_meaning() -> None:
    assert keywords(QUESTION) == "long battery last"
    assert keywords("What is it?") == "What is it?"


def test_a_slip_changes_one_word_and_keeps_its_letters() -> None:
    words = ["How", "heavy", "is", "the", "cabinet", "now?"]
    slipped = with_slip(" ".join(words), Random(3)).split()

    changed = [(one, other) for one, other in zip(words, slipped, strict=True) if one != other]
    assert [sorted(one) == sorted(other) for one, other in changed] == [True]
    assert with_slip("Why so?", Random(3)) == "Why so?"


def test_most_questions_stay_as_they_are_and_all_ways_occur() -> None:
    drawn = [reworded(QUESTION, Random(seed)) for seed in range(400)]

    assert sum(one == QUESTION for one in drawn) > 200
    assert {QUESTION, keywords(QUESTION), QUESTION.rstrip("?")} < set(drawn)
