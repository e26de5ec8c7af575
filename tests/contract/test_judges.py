"""The judges keep their contract."""

import pytest

from sourcebook.core.ports import Judge
from sourcebook.testing.judge_contract import JudgeContract
from tests.fakes import FakeJudge


class TestFakeJudge(JudgeContract):
    @pytest.fixture
    def judge(self) -> Judge:
        return FakeJudge()
