"""Every question is asked of every target; a hit counts for its document, once."""

from collections.abc import Sequence

import pytest

from sourcebook.core.errors import Unavailable
from sourcebook.evaluation.questions import JudgedQuestion
from sourcebook.evaluation.runs import EvaluationFailed, FoundHit, GivenAnswer, Outcome, ask_all
from tests.unit.evaluation.outcomes import hit, outcome


class FakeTarget:
    def __init__(self, name: str, log: list[str], *, failing: bool = False) -> None:
        self._name = name
        self._log = log
        self._failing = failing

    async def search(self, question: JudgedQuestion) -> Sequence[FoundHit]:
        if self._failing:
            raise Unavailable("The store is away")
        self._log.append(f"{self._name} searches {question.id}")
        return [hit("d")]

    async def ask(self, question: JudgedQuestion) -> GivenAnswer:
        self._log.append(f"{self._name} asks {question.id}")
        return GivenAnswer(answered=False, text="")


def test_chunks_of_a_document_count_once_at_the_best_place() -> None:
    hits = (hit("a", "a1"), hit("a", "a2"), hit("b", "b1"))
    found = Outcome(JudgedQuestion("q", "?", {"b": 1}), hits, 1.0)

    assert found.ranking == ["a", "b"]
    assert found.rank == 2


def test_a_hit_is_known_by_any_of_its_names() -> None:
    hits = (hit("a", "a1", "a.md"), hit("b", "b1", "b.md"), hit("b", "b2", "b.md"))

    by_path = Outcome(JudgedQuestion("q", "?", {"b.md": 1}), hits, 1.0)
    by_chunk = Outcome(JudgedQuestion("q", "?", {"b2": 1}), hits, 1.0)

    assert by_path.ranking == ["a", "b.md"]
    assert by_chunk.ranking == ["a", "b", "b2"]


def test_a_document_judged_wrong_is_no_find() -> None:
    assert outcome(["a", "b"], {"a": 0, "b": 1}).rank == 2
    assert outcome(["a"], {"a": 0}).rank is None


async def test_targets_take_turns_in_going_first() -> None:
    log: list[str] = []
    counts: list[int] = []
    questions = [JudgedQuestion(id_, "?", {"d": 1}) for id_ in ("1", "2")]

    first, second = await ask_all(
        [FakeTarget("A", log), FakeTarget("B", log)], questions, counts.append
    )

    assert log == ["A searches 1", "B searches 1", "B searches 2", "A searches 2"]
    assert [one.question.id for one in first] == [one.question.id for one in second] == ["1", "2"]
    assert counts == [1, 2]


async def test_only_questions_whose_answer_is_known_are_asked() -> None:
    log: list[str] = []
    questions = [
        JudgedQuestion("plain", "?"),
        JudgedQuestion("none", "?", answerable=False),
        JudgedQuestion("gold", "?", answer="2.27"),
    ]

    (found,) = await ask_all([FakeTarget("A", log)], questions)

    assert [one for one in log if "asks" in one] == ["A asks none", "A asks gold"]
    assert [one.answer is None for one in found] == [True, False, False]


async def test_a_question_that_fails_is_named() -> None:
    with pytest.raises(EvaluationFailed, match="Question 'q7': The store is away"):
        await ask_all([FakeTarget("A", [], failing=True)], [JudgedQuestion("q7", "?")])
