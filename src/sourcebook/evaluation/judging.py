"""Measures a judge with labelled claims, and finds the threshold at which few false ones pass."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sourcebook.core.claims import NOTHING_PASSES, ClaimPair
from sourcebook.core.errors import InvalidInput
from sourcebook.core.ports import Judge
from sourcebook.evaluation.json_lines import read_json_lines, unusable

# Of the false claims, so many may pass. Fewer claims could not show it.
MAX_FALSE_SHARE = 0.01
MIN_CLAIMS = 100
# If fewer of the true ones pass, that may be chance: of 200 and 200 claims that are judged by lot,
# a tenth of the true ones pass before the third false one in one of 25,000 cases.
MIN_TRUE_SHARE = 0.1
# About as many sentences as an answer has.
PAIRS_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class LabelledClaim:
    """A claim with its premise, and whether that bears it."""

    pair: ClaimPair
    true: bool


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """How well a judge tells claims apart, and how many pass at its threshold."""

    auc: float
    threshold: float
    true_claims: int
    false_claims: int
    true_passed: int
    false_passed: int


def read_claims(path: Path) -> list[LabelledClaim]:
    """Read lines with `evidence`, `claim` and `true`; InvalidInput."""
    claims = []
    for number, line in read_json_lines(path):
        match line:
            case {"evidence": str(evidence), "claim": str(claim), "true": bool(true)}:
                claims.append(LabelledClaim(ClaimPair(evidence, claim), true))
            case _:
                raise unusable(
                    path,
                    number,
                    'needs a text in "evidence" and "claim", and true or false in "true"',
                )
    borne = sum(claim.true for claim in claims)
    if min(borne, len(claims) - borne) < MIN_CLAIMS:
        raise InvalidInput(
            f"{str(path)!r} has {borne} true and {len(claims) - borne} false claims, and at least"
            f" {MIN_CLAIMS} of each are needed to see whether a judge is wrong in one of a hundred"
        )
    return claims


async def judge_all(
    judge: Judge, claims: Sequence[LabelledClaim], show: Callable[[int], None]
) -> list[float]:
    """Return the probability of each claim, as the judge gives it; Unavailable."""
    found: list[float] = []
    for start in range(0, len(claims), PAIRS_AT_ONCE):
        pairs = [claim.pair for claim in claims[start : start + PAIRS_AT_ONCE]]
        found += await judge.judge(pairs)
        show(len(found))
    return found


def measure(probabilities: Sequence[float], claims: Sequence[LabelledClaim]) -> JudgeReport:
    """Measure with claims of both kinds. The threshold is the lowest that few false ones reach."""
    judged = list(zip(probabilities, claims, strict=True))
    true = sorted(probability for probability, claim in judged if claim.true)
    false = sorted(probability for probability, claim in judged if not claim.true)
    below = (bisect_left(false, one) + bisect_right(false, one) for one in true)
    auc = sum(below) / 2 / len(true) / len(false)
    allowed = int(MAX_FALSE_SHARE * len(false))
    reached = (one for one in true if len(false) - bisect_left(false, one) <= allowed)
    threshold = next(reached, NOTHING_PASSES)
    if _passed(true, threshold) < MIN_TRUE_SHARE * len(true):
        threshold = NOTHING_PASSES
    passed = _passed(true, threshold), _passed(false, threshold)
    return JudgeReport(auc, threshold, len(true), len(false), *passed)


def _passed(ordered: Sequence[float], threshold: float) -> int:
    return len(ordered) - bisect_left(ordered, threshold)
