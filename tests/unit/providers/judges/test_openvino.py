"""The OpenVINO judge gives the probability of the label that means that a claim is borne."""

import json
import math
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from sourcebook.core.claims import DEFAULT_JUDGE_THRESHOLD, NOTHING_PASSES, ClaimPair
from sourcebook.core.errors import ConfigurationError, Unavailable
from sourcebook.core.ports import Judge
from sourcebook.providers.declaration import Opening
from sourcebook.providers.inference.local_models import LocatedModel
from sourcebook.providers.inference.pair_model import read_pair_folder
from sourcebook.providers.judges.local_provider import LocalJudgeSettings
from sourcebook.providers.judges.openvino import OpenVinoJudge, open_openvino_judge
from sourcebook.testing.judge_contract import JudgeContract
from tests.tiny_models import save_tiny_cross_encoder

PAIR = ClaimPair("a b c d", "a b")
NLI = {"0": "CONTRADICTION", "1": "entailment", "2": "neutral"}


def opened(folder: Path, **settings: object) -> AbstractAsyncContextManager[OpenVinoJudge]:
    parsed = LocalJudgeSettings.model_validate({"path": str(folder), **settings})
    opening = Opening("openvino", data_dir=folder, models_dir=folder)
    return open_openvino_judge(parsed, opening, precision="f32")


def save(folder: Path, labels: int, names: dict[str, str] | None, kind: str = "bert") -> None:
    save_tiny_cross_encoder(folder, kind, labels=labels)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | ({"id2label": names} if names else {})))


async def logits(folder: Path, pair: ClaimPair) -> list[float]:
    model = read_pair_folder(LocatedModel("tiny", folder)).load("f32")
    try:
        ((row,),) = await model.logits(
            lambda cutter: cutter.claim_windows([(pair.premise, pair.claim)])
        )
    finally:
        model.close()
    return [float(logit) for logit in row]


def softmax(row: list[float], label: int) -> float:
    return math.exp(row[label]) / sum(map(math.exp, row))


class TestOpenVinoJudge(JudgeContract):
    @pytest.fixture
    async def judge(self, tmp_path: Path) -> AsyncIterator[Judge]:
        save(tmp_path, 3, NLI)
        async with opened(tmp_path) as judge:
            yield judge


@pytest.mark.parametrize(
    ("kind", "labels", "names", "wanted", "label"),
    [
        ("xlm-roberta", 3, NLI, None, 1),
        ("roberta", 2, {"0": "unsupported", "1": "Supported"}, None, 1),
        ("roberta", 2, {"0": "supported", "1": "hallucinated"}, None, 0),
        ("roberta", 2, {"0": "LABEL_0", "1": "LABEL_1"}, None, 1),
        ("bert", 2, None, None, 1),
        ("bert", 3, {"0": "no", "1": "perhaps", "2": "yes"}, "Yes", 2),
    ],
)
async def test_the_label_is_found_by_its_name(
    tmp_path: Path, kind: str, labels: int, names: dict[str, str], wanted: str | None, label: int
) -> None:
    save(tmp_path, labels, names, kind)
    expected = softmax(await logits(tmp_path, PAIR), label)

    async with opened(tmp_path, label=wanted) as judge:
        assert await judge.judge([PAIR]) == [pytest.approx(expected, abs=1e-5)]


async def test_a_single_label_is_yes_or_no(tmp_path: Path) -> None:
    save(tmp_path, 1, None)
    (logit,) = await logits(tmp_path, PAIR)

    async with opened(tmp_path) as judge:
        assert await judge.judge([PAIR]) == [pytest.approx(1 / (1 + math.exp(-logit)), abs=1e-5)]


@pytest.mark.parametrize(
    ("names", "settings", "told"),
    [
        ({"0": "good", "1": "bad", "2": "ugly"}, {}, r"\['good', 'bad', 'ugly'\], and none"),
        (NLI, {"label": "borne"}, r"'borne' is none of them"),
        # The name of a label that the head does not have.
        ({"0": "a", "1": "b", "3": "entailment"}, {}, r"\['a', 'b'\]"),
    ],
)
async def test_a_label_that_is_not_known_is_asked_for(
    tmp_path: Path, names: dict[str, str], settings: dict[str, str], told: str
) -> None:
    save(tmp_path, 3, names)
    with pytest.raises(ConfigurationError, match=told) as raised:
        async with opened(tmp_path, **settings):
            pass
    assert "SOURCEBOOK_JUDGE_CONFIG" in raised.value.message


async def test_the_best_window_of_a_long_premise_counts(tmp_path: Path) -> None:
    save(tmp_path, 3, NLI)
    long = ClaimPair("c d e f g h i j k l m n", "a b")
    async with opened(tmp_path) as judge:
        windows = await judge.judge(
            [ClaimPair("c d e f g h i", "a b"), ClaimPair("j k l m n", "a b")]
        )
        assert await judge.judge([long]) == [pytest.approx(max(windows), abs=1e-5)]


async def test_a_claim_that_is_too_long_to_be_read_is_not_borne(tmp_path: Path) -> None:
    save(tmp_path, 3, NLI)
    async with opened(tmp_path) as judge:
        found = await judge.judge([ClaimPair("a b c", "a b c d e f g h i j"), PAIR])
    assert found[0] == 0.0 < found[1]


async def test_the_separators_are_those_of_the_training(tmp_path: Path) -> None:
    save(tmp_path, 2, None, "roberta")
    async with opened(tmp_path) as usual, opened(tmp_path, separators=1) as fewer:
        assert await usual.judge([PAIR]) != await fewer.judge([PAIR])


@pytest.mark.parametrize(
    ("kept", "threshold"),
    [
        (None, DEFAULT_JUDGE_THRESHOLD),
        ('{"threshold": 0.75}', 0.75),
        ('{"threshold": null}', NOTHING_PASSES),
    ],
)
async def test_a_model_may_bring_its_threshold(
    tmp_path: Path, kept: str | None, threshold: float
) -> None:
    save(tmp_path, 1, None)
    if kept is not None:
        (tmp_path / "judge.json").write_text(kept)
    async with opened(tmp_path) as judge:
        assert judge.threshold == threshold


@pytest.mark.parametrize("kept", ["[]", "0.5", '{"threshold": "high"}', '{"threshold": 0}', "{"])
async def test_a_threshold_that_cannot_be_read_is_an_error(tmp_path: Path, kept: str) -> None:
    save(tmp_path, 1, None)
    (tmp_path / "judge.json").write_text(kept)
    with pytest.raises(ConfigurationError, match=r"judge\.json holds no threshold"):
        async with opened(tmp_path):
            pass


async def test_a_closed_judge_is_down(tmp_path: Path) -> None:
    save(tmp_path, 1, None)
    async with opened(tmp_path) as judge:
        pass
    assert (await judge.check()).status == "down"
    with pytest.raises(Unavailable):
        await judge.judge([PAIR])
