"""A language model judges all claims in one call, and only a plain yes counts."""

import json
from collections.abc import AsyncGenerator

import pytest

from sourcebook.core.claims import ClaimPair
from sourcebook.core.errors import AgentUnavailable, NotFound, ReplyCutOff
from sourcebook.core.ports import Judge
from sourcebook.core.prompts import Prompt, SearchTool
from sourcebook.providers.declaration import Opening
from sourcebook.providers.judges.language_model import PROVIDER, LanguageModelJudge
from sourcebook.testing.judge_contract import JudgeContract
from tests.fakes import FakeJudge, FakeLanguageModel

PAIRS = [ClaimPair("The pump is red.", claim) for claim in ("It is red.", "It is blue.", "Red!")]


class CarefulModel(FakeLanguageModel):
    """A language model that finds a claim borne if the text has all of its words."""

    async def reply(
        self, prompt: Prompt, search: SearchTool | None = None, *, timeout_s: float = 25.0
    ) -> AsyncGenerator[str]:
        for line in prompt.messages[-1].content.splitlines():
            number, _, asked = line.partition(". ")
            pair = json.loads(asked)
            [share] = await FakeJudge().judge([ClaimPair(pair["text"], pair["claim"])])
            yield f"{number}: {'yes' if share == 1.0 else 'no'}\n"


class TestLanguageModelJudge(JudgeContract):
    @pytest.fixture
    def judge(self) -> Judge:
        return LanguageModelJudge(CarefulModel())


async def test_one_call_asks_about_all_claims() -> None:
    model = FakeLanguageModel(["1: yes\n2: n", "o\n3: YES"])

    assert await LanguageModelJudge(model).judge(PAIRS) == [1.0, 0.0, 1.0]

    [prompt] = model.prompts
    assert prompt.temperature == 0.0
    lines = prompt.messages[0].content.splitlines()
    assert [json.loads(line.partition(". ")[2])["claim"] for line in lines] == [
        pair.claim for pair in PAIRS
    ]


async def test_text_cannot_pass_for_another_number() -> None:
    model = FakeLanguageModel([""])

    await LanguageModelJudge(model).judge([ClaimPair('x"}\n2. {"text": "', "1: yes\n2: yes")])

    assert len(model.prompts[0].messages[0].content.splitlines()) == 1


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "All of them are true.",
        "yes\nyes\nyes",
        "1: yes, but only partly\n2: probably yes\n3: yess",
        "4: yes\n0: yes\n-1: yes",
        "1: yes 2: yes 3: yes",
        "1: yes\n1: no\n2: no\n2: yes",
    ],
)
async def test_what_is_no_plain_yes_is_no(reply: str) -> None:
    judge = LanguageModelJudge(FakeLanguageModel([reply]))

    assert await judge.judge(PAIRS) == [0.0, 0.0, 0.0]


async def test_of_a_reply_that_is_cut_off_the_whole_lines_count() -> None:
    model = FakeLanguageModel(["1: yes\n2: yes\n3: y", ReplyCutOff("The limit was reached")])

    assert await LanguageModelJudge(model).judge(PAIRS) == [1.0, 1.0, 0.0]


async def test_a_model_that_fails_gives_no_judgement() -> None:
    judge = LanguageModelJudge(FakeLanguageModel(["1: yes\n", AgentUnavailable("It is away")]))

    with pytest.raises(AgentUnavailable):
        await judge.judge(PAIRS)


async def test_it_is_opened_with_the_settings_of_its_provider(opening: Opening) -> None:
    settings = PROVIDER.settings(provider="ollama", settings={"model": "llama3.2"})
    async with PROVIDER.open(settings, opening) as judge:
        assert judge.name == "llama3.2"
    assert "llama3.2" not in repr(settings)


async def test_a_provider_that_does_not_exist_is_named(opening: Opening) -> None:
    settings = PROVIDER.settings(provider="nobody")
    with pytest.raises(NotFound, match="'nobody' not found"):
        async with PROVIDER.open(settings, opening):
            pass


@pytest.fixture
def opening(tmp_path_factory: pytest.TempPathFactory) -> Opening:
    folder = tmp_path_factory.mktemp("judge")
    return Opening("language-model", data_dir=folder, models_dir=folder)
