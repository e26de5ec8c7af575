"""Measures of a score as a classifier: ROC AUC, balanced accuracy, held-out thresholds."""

import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

FOLDS = 5


@dataclass(frozen=True, slots=True)
class ScoredCase:
    """A score and its label. Cases of one `group` stay in one fold."""

    score: float
    right: bool
    group: str


def auc(cases: Sequence[ScoredCase]) -> float:
    """Return how often a right case scores higher than a wrong one; a tie counts half."""
    right = [case.score for case in cases if case.right]
    wrong = [case.score for case in cases if not case.right]
    return area(right, wrong)


def area(right: Sequence[float], wrong: Sequence[float]) -> float:
    """Return how often something right scores higher than something wrong; a tie counts half."""
    above = sum((one > other) + 0.5 * (one == other) for one in right for other in wrong)
    return above / (len(right) * len(wrong))


def balanced_accuracy(cases: Sequence[ScoredCase], threshold: float) -> float:
    """Return the mean of the true-positive and the true-negative rate."""
    return (passed(cases, threshold, right=True) + 1 - passed(cases, threshold, right=False)) / 2


def passed(cases: Sequence[ScoredCase], threshold: float, *, right: bool) -> float:
    """Return the share of the right, or of the wrong, cases that reach the threshold."""
    return statistics.mean(case.score >= threshold for case in cases if case.right is right)


def held_out(cases: Sequence[ScoredCase], seed: int) -> float:
    """Return the balanced accuracy with each fold's threshold chosen on the other folds."""
    groups = sorted({case.group for case in cases})
    random.Random(seed).shuffle(groups)  # noqa: S311 - not for secrets
    shifted = []
    for fold in range(FOLDS):
        out = set(groups[fold::FOLDS])
        threshold = best_threshold([case for case in cases if case.group not in out])
        shifted += [
            ScoredCase(case.score - threshold, case.right, case.group)
            for case in cases
            if case.group in out
        ]
    return balanced_accuracy(shifted, 0.0)


def best_threshold(cases: Sequence[ScoredCase]) -> float:
    """Return the threshold with the best balanced accuracy, the middle one of equals.

    It moves in steps of a hundredth, so that single cases do not decide it.
    """
    steps = [step / 100 for step in range(101)]
    reached = [balanced_accuracy(cases, step) for step in steps]
    best = [step for step, value in zip(steps, reached, strict=True) if value == max(reached)]
    return statistics.median_low(best)
