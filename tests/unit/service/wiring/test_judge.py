"""Which judge there is, from where its threshold comes, and what leaves this machine for it."""

import json
from pathlib import Path

import pytest

from sourcebook.core.claims import DEFAULT_JUDGE_THRESHOLD, NOTHING_PASSES, ClaimPair
from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.judges.thresholds import keep_threshold
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import Settings, load_settings
from sourcebook.service.doctor.models import check_judge
from sourcebook.service.wiring.models import open_judge
from sourcebook.service.wiring.roles import describe_leaving_text, roles
from tests.tiny_models import save_tiny_cross_encoder

KEY = "canary-key"
PAIR = ClaimPair("a b c", "a b")


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    save_tiny_cross_encoder(tmp_path / "tiny", "roberta", labels=2)
    return tmp_path / "tiny"


async def threshold(settings: Settings, data: Path) -> float:
    async with open_judge(settings, DataFolder(data)) as judge:
        assert judge is not None
        return judge.threshold


@pytest.mark.parametrize("named", [None, "none", "None"])
async def test_unless_one_is_named_there_is_no_judge(tmp_path: Path, named: str | None) -> None:
    async with open_judge(load_settings(judge=named), DataFolder(tmp_path)) as judge:
        assert judge is None


async def test_a_folder_is_opened_with_its_settings(tmp_path: Path, tiny: Path) -> None:
    usual = load_settings(judge=f"openvino:{tiny}")
    other = load_settings(judge=f"openvino:{tiny}", judge_config={"label": "LABEL_0"})
    found = []
    for settings in (usual, other):
        async with open_judge(settings, DataFolder(tmp_path)) as judge:
            assert judge is not None
            assert (judge.name, (await judge.check()).status) == ("tiny", "up")
            found += await judge.judge([PAIR])
    assert sum(found) == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ("openvino:{}/nowhere", "There is no model folder"),
        ("openvino", "'path' is required"),
        ("nobody:x", "'nobody' not found. Available providers: language-model, openvino"),
    ],
)
async def test_a_judge_that_cannot_be_opened_is_an_error(
    tmp_path: Path, named: str, told: str
) -> None:
    settings = load_settings(judge=named.format(tmp_path))
    with pytest.raises(ConfigurationError, match="failed to load") as raised:
        async with open_judge(settings, DataFolder(tmp_path)):
            pass
    assert told in raised.value.message


async def test_the_threshold_is_the_nearest_that_somebody_set(tmp_path: Path, tiny: Path) -> None:
    data, settings = tmp_path / "data", load_settings(judge=f"openvino:{tiny}")

    assert await threshold(settings, data) == DEFAULT_JUDGE_THRESHOLD
    (tiny / "judge.json").write_text(json.dumps({"threshold": 0.9}))
    assert await threshold(settings, data) == 0.9
    keep_threshold(data, "tiny", 0.8)
    keep_threshold(data, "another", 0.1)
    assert await threshold(settings, data) == 0.8
    assert await threshold(settings.model_copy(update={"judge_threshold": 0.7}), data) == 0.7
    keep_threshold(data, "tiny", NOTHING_PASSES)
    assert await threshold(settings, data) == NOTHING_PASSES


async def test_a_language_model_judges_the_one_that_is_named_or_the_writer(tmp_path: Path) -> None:
    written = {"judge": "language-model", "llm": "ollama:writer"}
    named = {**written, "judge_model": "ollama:judge"}
    for given, name in ((written, "writer"), (named, "judge")):
        async with open_judge(load_settings(None, **given), DataFolder(tmp_path)) as judge:
            assert judge is not None
            assert (judge.name, judge.threshold) == (name, DEFAULT_JUDGE_THRESHOLD)


async def test_without_a_writer_nothing_is_judged_by_it(tmp_path: Path) -> None:
    settings = load_settings(None, judge="language-model", llm="none")
    async with open_judge(settings, DataFolder(tmp_path)) as judge:
        assert judge is None


async def test_what_a_judge_elsewhere_gets_is_told_and_refused_if_all_is_local(
    tmp_path: Path,
) -> None:
    given = {"judge": "language-model", "judge_model": "openai", "openai_api_key": KEY}
    settings = load_settings(None, llm="none", **given)

    said = describe_leaving_text(roles(settings, []))
    with pytest.raises(ConfigurationError) as refused:
        async with open_judge(settings.model_copy(update={"local": True}), DataFolder(tmp_path)):
            pass

    assert said == "Text leaves this machine: Judge to api.openai.com (SOURCEBOOK_JUDGE_MODEL)"
    assert "Judge at api.openai.com (SOURCEBOOK_JUDGE_MODEL): set SOURCEBOOK_JUDGE" in str(
        refused.value.message
    )
    assert KEY not in said + refused.value.message


def test_a_judge_of_this_machine_gets_nothing_away(tiny: Path) -> None:
    for judge, model in ((f"openvino:{tiny}", None), ("language-model", "ollama:llama3.2")):
        settings = load_settings(None, judge=judge, judge_model=model, llm="none")
        assert describe_leaving_text(roles(settings, [])) == "No text leaves this machine"


def test_the_doctor_says_when_a_model_judges_itself() -> None:
    told = []
    for model in (None, "ollama:judge"):
        settings = load_settings(
            None, judge="language-model", judge_model=model, llm="ollama:writer"
        )
        [result] = check_judge(settings)
        told.append("also writes" in result.found)
    assert told == [True, False]
