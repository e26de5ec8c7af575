"""A judge's threshold is the lowest at which at most one false claim in a hundred passes."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sourcebook.core.claims import NOTHING_PASSES, ClaimPair
from sourcebook.core.errors import InvalidInput
from sourcebook.evaluation.judging import (
    JudgeReport,
    LabelledClaim,
    judge_all,
    measure,
    read_claims,
)
from tests.fakes import FakeJudge

PAIR = ClaimPair("a b", "a")
LINE = {"evidence": "a b", "claim": "a", "true": True}


def measured(true: Sequence[float], false: Sequence[float]) -> JudgeReport:
    claims = [LabelledClaim(PAIR, True)] * len(true) + [LabelledClaim(PAIR, False)] * len(false)
    return measure([*true, *false], claims)


def test_one_false_claim_in_a_hundred_may_pass_and_no_more() -> None:
    true = [number / 100 for number in range(1, 101)]

    one = measured(true, [*[0.0] * 99, 0.9])
    two = measured(true, [*[0.0] * 98, 0.705, 0.9])

    assert replace(one, auc=round(one.auc, 5)) == JudgeReport(0.99105, 0.01, 100, 100, 100, 1)
    assert (two.threshold, two.true_passed, two.false_passed) == (0.71, 30, 1)


def test_a_false_claim_that_is_as_likely_as_a_true_one_passes_with_it() -> None:
    report = measured([0.5] * 50 + [1.0] * 50, [0.5] * 2 + [0.1] * 98)

    assert (report.threshold, report.true_passed, report.false_passed) == (1.0, 50, 0)


def test_a_judge_that_only_guesses_lets_nothing_pass() -> None:
    for seed in range(50):
        true, false = np.random.default_rng(seed).random((2, 200)).tolist()
        report = measured(true, false)
        assert (report.threshold, report.true_passed) == (NOTHING_PASSES, 0)
        assert report.auc == pytest.approx(0.5, abs=0.15)


@pytest.mark.parametrize(
    ("true", "false", "auc", "threshold"),
    [
        ([1.0] * 100, [0.0] * 100, 1.0, 1.0),
        ([0.0] * 100, [1.0] * 100, 0.0, NOTHING_PASSES),
        ([1.0] * 100, [1.0] * 100, 0.5, NOTHING_PASSES),
        ([0.0] * 100, [0.0] * 100, 0.5, NOTHING_PASSES),
        # Nine of a hundred may be chance.
        ([0.9] * 9 + [0.1] * 91, [0.2] * 100, 0.09, NOTHING_PASSES),
        ([0.9] * 10 + [0.1] * 90, [0.2] * 100, 0.1, 0.9),
    ],
)
def test_the_ends_of_the_scale(
    true: list[float], false: list[float], auc: float, threshold: float
) -> None:
    report = measured(true, false)
    assert report.auc == pytest.approx(auc)
    assert report.threshold == threshold


async def test_claims_are_judged_in_order_a_few_at_a_time() -> None:
    class Counting(FakeJudge):
        def __init__(self) -> None:
            super().__init__()
            self.sizes: list[int] = []

        async def judge(self, pairs: Sequence[ClaimPair]) -> list[float]:
            self.sizes.append(len(pairs))
            return await super().judge(pairs)

    claims = [LabelledClaim(ClaimPair("a" if one % 3 else "b", "a"), True) for one in range(20)]
    judge = Counting()
    shown: list[int] = []

    found = await judge_all(judge, claims, shown.append)

    assert found == [float(one % 3 > 0) for one in range(20)]
    assert sum(judge.sizes) == shown[-1] == 20
    assert max(judge.sizes) <= 8


def write(file: Path, lines: Sequence[object]) -> Path:
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def test_claims_are_read_with_their_premises(tmp_path: Path) -> None:
    lines = [LINE] * 100 + [{**LINE, "claim": "c", "true": False, "kind": "word"}] * 100
    claims = read_claims(write(tmp_path / "claims.jsonl", lines))

    assert (claims[0], len(claims)) == (LabelledClaim(PAIR, True), 200)
    assert claims[-1] == LabelledClaim(ClaimPair("a b", "c"), False)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([LINE] * 300, "has 300 true and 0 false claims"),
        ([LINE, {**LINE, "true": "yes"}], "Line 2 of"),
        ([{"claim": "a", "true": True}], "Line 1 of"),
        ([{**LINE, "evidence": ["a", "b"]}], "Line 1 of"),
    ],
)
def test_claims_that_say_too_little_are_refused(
    tmp_path: Path, lines: list[object], told: str
) -> None:
    with pytest.raises(InvalidInput, match=told):
        read_claims(write(tmp_path / "claims.jsonl", lines))
