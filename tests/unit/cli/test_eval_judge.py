"""`eval judge` keeps the threshold that it found, and says when nothing passes."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sourcebook.cli.main import app
from tests.tiny_models import save_tiny_cross_encoder

CLAIMS = Path(__file__).parents[3] / "training" / "labelled" / "claims.jsonl"


def measure(data: Path, claims: Path = CLAIMS) -> Result:
    arguments = ["eval", "judge", "--claims", str(claims), "--data-dir", str(data)]
    return CliRunner().invoke(app, arguments)


def test_with_a_model_that_has_learnt_nothing_nothing_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_tiny_cross_encoder(tmp_path / "tiny", "roberta", labels=2)
    monkeypatch.setenv("SOURCEBOOK_JUDGE", f"openvino:{tmp_path / 'tiny'}")

    done = measure(tmp_path / "data")

    assert done.exit_code == 1, done.output
    assert "tiny: 200 true and 200 false claims, AUC 0." in done.stdout
    assert "Nothing passes" in done.stdout
    kept = json.loads((tmp_path / "data" / "judge.json").read_text())
    assert kept == {"tiny": {"threshold": None}}


def test_a_model_that_tells_them_apart_gets_a_threshold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # By chance it finds the letter "b" more likely after an "a" than another "a".
    save_tiny_cross_encoder(tmp_path / "tiny", labels=1)
    monkeypatch.setenv("SOURCEBOOK_JUDGE", f"openvino:{tmp_path / 'tiny'}")
    lines = [{"evidence": "a", "claim": one, "true": one == "b"} for one in "ab" * 100]
    likelier = tmp_path / "claims.jsonl"
    likelier.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "judge.json").write_text('{"another": {"threshold": 0.5}}')

    done = measure(tmp_path / "data", likelier)

    kept = json.loads((tmp_path / "data" / "judge.json").read_text())
    assert (done.exit_code, kept["another"]) == (0, {"threshold": 0.5}), done.output
    assert 0 < kept["tiny"]["threshold"] < 1
    assert "100 true and 0 false claims pass" in done.stdout


@pytest.mark.parametrize("judge", [None, "language-model"])
def test_without_a_judge_there_is_nothing_to_measure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judge: str | None
) -> None:
    if judge is not None:
        monkeypatch.setenv("SOURCEBOOK_JUDGE", judge)

    done = measure(tmp_path)

    assert (done.exit_code, "SOURCEBOOK_JUDGE" in done.stderr) == (2, True), done.output
    assert list(tmp_path.iterdir()) == []
