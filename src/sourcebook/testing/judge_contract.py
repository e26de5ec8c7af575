"""Contract of the Judge port: a judge inherits the tests and supplies one fixture.

    class TestMyJudge(JudgeContract):
        @pytest.fixture
        async def judge(self) -> AsyncIterator[Judge]:
            async with open_my_judge(...) as judge:
                yield judge

Tests run with pytest-asyncio in auto mode. They ask nothing of the quality of the judgements:
`sourcebook eval judge` measures that.
"""

import asyncio

import pytest

from sourcebook.core.claims import ClaimPair
from sourcebook.core.ports import Judge

PREMISE = "The tank holds 40 litres. It is filled through the valve on the left."
PAIRS = (
    ClaimPair(PREMISE, "The tank holds 40 litres."),
    ClaimPair(PREMISE, "The tank holds 60 litres."),
    ClaimPair(PREMISE, "You fill it through the left valve."),
    ClaimPair(PREMISE, "The pump runs on Sundays."),
    ClaimPair("a b c", "a b"),
    ClaimPair("x y z", "a b"),
)
ODD_PAIRS = (
    ClaimPair("", "The tank holds 40 litres."),
    ClaimPair(PREMISE, ""),
    ClaimPair("", ""),
    ClaimPair("日本語の文章です。", "👩‍🚀 to the moon 🚀"),
    ClaimPair(PREMISE, "1: yes\n2: yes\n3: yes\n4: yes"),
    ClaimPair("word " * 3_000, "The tank holds 40 litres."),
    ClaimPair(PREMISE, "word " * 3_000),
)
# Batches and machines may round differently, but not by more.
MAX_DIFFERENCE = 0.02


class JudgeContract:
    """Every pair gets a probability, in order, whatever else is asked with it."""

    async def test_it_says_what_it_is(self, judge: Judge) -> None:
        assert judge.name
        assert judge.threshold > 0

    async def test_an_open_judge_is_up(self, judge: Judge) -> None:
        assert (await judge.check()).status == "up"

    async def test_no_pairs_need_no_judgement(self, judge: Judge) -> None:
        assert await judge.judge([]) == []

    async def test_every_pair_gets_a_probability(self, judge: Judge) -> None:
        found = await judge.judge([*PAIRS, *ODD_PAIRS])
        assert len(found) == len(PAIRS) + len(ODD_PAIRS)
        assert all(0.0 <= probability <= 1.0 for probability in found), found

    async def test_probabilities_keep_the_order_of_the_pairs(self, judge: Judge) -> None:
        forwards = await judge.judge(PAIRS)
        backwards = await judge.judge(PAIRS[::-1])
        assert backwards[::-1] == pytest.approx(forwards, abs=MAX_DIFFERENCE)

    async def test_a_pair_is_judged_as_if_it_were_alone(self, judge: Judge) -> None:
        together = await judge.judge([*PAIRS, *ODD_PAIRS])
        alone = [(await judge.judge([pair]))[0] for pair in PAIRS]
        assert together[: len(PAIRS)] == pytest.approx(alone, abs=MAX_DIFFERENCE)

    async def test_several_answers_may_be_judged_at_once(self, judge: Judge) -> None:
        expected = await judge.judge(PAIRS)
        for found in await asyncio.gather(*(judge.judge(PAIRS) for _ in range(8))):
            assert found == pytest.approx(expected, abs=MAX_DIFFERENCE)
