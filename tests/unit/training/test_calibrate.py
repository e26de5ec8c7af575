"""The probability follows what speaks for an answer, and nothing speaks against one."""

from random import Random

from training.books import BookQuestion
from training.calibrate import fit
from training.evaluate import Measured, signals_of

from sourcebook.core.readings import Reading, Signals


def measured(kind: str, count: int, level: float) -> list[Measured]:
    random = Random(kind)
    return [
        Measured(
            BookQuestion("?", kind),
            Signals(random.gauss(level), random.gauss(level), random.gauss(0.5, 0.1), 0.0, 1.0),
            right=False,
        )
        for _ in range(count)
    ]


def test_what_is_read_as_an_answer_is_likely_one() -> None:
    fitted = fit([*measured("answered", 200, 2.0), *measured("near_miss", 200, -2.0)])

    assert fitted.probability(Signals(3.0, 3.0, 0.5, 0.0, 1.0)) > 0.9
    assert fitted.probability(Signals(-3.0, -3.0, 0.5, 0.0, 1.0)) < 0.1


def test_no_signal_speaks_against_an_answer() -> None:
    fitted = fit([*measured("answered", 200, -1.0), *measured("near_miss", 200, 1.0)])

    assert min(fitted.relevance, fitted.answer, fitted.coverage, fitted.lead) >= 0.0
    assert fitted.similarity >= 2.0


def test_the_best_passage_leads_by_what_comes_after_its_best_statement() -> None:
    readings = [Reading(1.0, (0.5, None, -2.0)), Reading(2.0, (3.0, 1.0, 0.0, -1.0, -9.0))]

    assert signals_of(readings, 0.7) == Signals(2.0, 3.0, 0.7, 0.0, 3.0)


def test_a_passage_without_a_statement_has_its_relevance_alone() -> None:
    assert signals_of([Reading(1.5, ())], 0.2) == Signals(1.5, 1.5, 0.2, 0.0, 0.0)
