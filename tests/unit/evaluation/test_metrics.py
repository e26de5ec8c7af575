"""Metrics, intervals and the test of a difference."""

import builtins
import math
import sys

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.evaluation.confidence import Estimate, estimate, p_value, percentile
from sourcebook.evaluation.metrics import measure, require_extra
from sourcebook.evaluation.questions import JudgedQuestion

SECOND = 1 / math.log2(3)


def test_each_question_has_its_own_metrics() -> None:
    questions = [
        JudgedQuestion("first", "?", {"a": 1}),
        JudgedQuestion("second", "?", {"a": 1, "z": 1}),
        JudgedQuestion("missed", "?", {"a": 1, "b": 0}),
        JudgedQuestion("nothing found", "?", {"a": 1}),
    ]

    first, second, missed, nothing = measure(questions, [["a", "b"], ["b", "a"], ["b"], []])

    assert first == {"ndcg": 1.0, "r1": 1.0, "r5": 1.0, "r10": 1.0, "mrr": 1.0}
    assert second["ndcg"] == pytest.approx(SECOND / (1 + SECOND))
    assert (second["r1"], second["r5"], second["r10"], second["mrr"]) == (0.0, 0.5, 0.5, 0.5)
    assert set(missed.values()) == set(nothing.values()) == {0.0}


def test_grades_weigh_in_ndcg() -> None:
    question = JudgedQuestion("graded", "?", {"good": 2, "fair": 1})

    best, worse = measure([question, question], [["good", "fair"], ["fair", "good"]])

    assert best["ndcg"] == 1.0
    assert worse["ndcg"] == pytest.approx((1 + 2 * SECOND) / (2 + SECOND))


def test_what_comes_after_the_tenth_does_not_count() -> None:
    question = JudgedQuestion("late", "?", {"a": 1})

    (found,) = measure([question], [[*map(str, range(10)), "a"]])

    assert set(found.values()) == {0.0}


def test_ids_may_hold_any_character() -> None:
    id_ = "a b\tc\n\ud800 \x00" * 50

    (found,) = measure([JudgedQuestion(id_, "?", {id_: 1})], [[id_]])

    assert found["ndcg"] == 1.0


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *rest: object) -> object:
        if name == "ir_measures":
            raise ImportError(name=name)
        return real(name, *rest)  # type: ignore[arg-type]

    monkeypatch.delitem(sys.modules, "ir_measures", raising=False)
    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(
        ConfigurationError, match=r"'ir_measures'.*pip install 'sourcebook\[eval\]'"
    ):
        require_extra()


def test_an_interval_lies_around_the_mean_and_is_the_same_every_time() -> None:
    values = [0.0, 1.0] * 50
    each = [str(n) for n in range(100)]

    found = estimate(values, each)

    assert found.value == 0.5
    assert 0.38 < found.low < 0.45
    assert 0.55 < found.high < 0.62
    assert estimate(values, each) == found


def test_questions_of_one_conversation_do_not_make_an_interval_narrower() -> None:
    values = ([1.0] * 10 + [0.0] * 10) * 5
    conversations = [str(n // 10) for n in range(100)]

    apart = estimate(values, [str(n) for n in range(100)])
    together = estimate(values, conversations)

    assert together.value == apart.value
    assert together.high - together.low > 2 * (apart.high - apart.low)


def test_one_question_has_no_spread() -> None:
    assert estimate([0.7], ["a"]) == Estimate(0.7, 0.7, 0.7)
    assert p_value([0.7], ["a"]) == 1.0


def test_a_consistent_difference_is_no_chance_and_none_is() -> None:
    each = [str(n) for n in range(30)]

    assert p_value([0.1] * 30, each) < 0.001
    assert p_value([0.1, -0.1] * 15, each) > 0.9
    assert p_value([0.0] * 30, each) == 1.0
    # Thirty questions of one conversation prove as much as one.
    assert p_value([0.1] * 30, ["same"] * 30) == 1.0


def test_a_percentile_is_a_value_that_was_measured() -> None:
    times = [float(n) for n in range(100)]

    assert (percentile(times, 0.5), percentile(times, 0.95)) == (50.0, 95.0)
    assert (percentile([3.0], 0.95), percentile([], 0.5)) == (3.0, 0.0)
