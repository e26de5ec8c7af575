"""How well a score tells right from wrong: ROC AUC, balanced accuracy, thresholds held out."""

import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

FOLDS = 5


@dataclass(frozen=True, slots=True)
class Judged:
    """A score, what would have been right, and what must not stand on both sides of a fold."""

    score: float
    right: bool
    group: str


def auc(cases: Sequence[Judged]) -> float:
    """How often a right case scores higher than a wrong one; a tie counts half."""
    right = [case.score for case in cases if case.right]
    wrong = [case.score for case in cases if not case.right]
    above = sum((one > other) + 0.5 * (one == other) for one in right for other in wrong)
    return above / (len(right) * len(wrong))


def balanced_accuracy(cases: Sequence[Judged], threshold: float) -> float:
    """The mean of the shares that the threshold gets right, of right ones and of wrong ones."""
    return (passed(cases, threshold, right=True) + 1 - passed(cases, threshold, right=False)) / 2


def passed(cases: Sequence[Judged], threshold: float, *, right: bool) -> float:
    """Which share of the right ones, or of the wrong ones, reaches the threshold."""
    return statistics.mean(case.score >= threshold for case in cases if case.right is right)


def held_out(cases: Sequence[Judged], seed: int) -> float:
    """Balanced accuracy when each fold's threshold was chosen on the others."""
    groups = sorted({case.group for case in cases})
    random.Random(seed).shuffle(groups)  # noqa: S311 - not for secrets
    shifted = []
    for fold in range(FOLDS):
        out = set(groups[fold::FOLDS])
        threshold = best_threshold([case for case in cases if case.group not in out])
        shifted += [
            Judged(case.score - threshold, case.right, case.group)
            for case in cases
            if case.group in out
        ]
    return balanced_accuracy(shifted, 0.0)


def best_threshold(cases: Sequence[Judged]) -> float:
    """The threshold with the best balanced accuracy, in steps of a hundredth; of equals the middle.

    The steps keep it from following single cases.
    """
    steps = [step / 100 for step in range(101)]
    reached = [balanced_accuracy(cases, step) for step in steps]
    best = [step for step, value in zip(steps, reached, strict=True) if value == max(reached)]
    return statistics.median_low(best)
