"""A training is known by its numbers."""

import json
from pathlib import Path

from training.config import Config, read_config


def test_other_numbers_are_another_training(tmp_path: Path) -> None:
    file = tmp_path / "small.json"
    file.write_text(json.dumps({"steps": 3, "per_step": {"written": 2}}), "utf-8")

    small = read_config(file)

    assert small.steps == 3
    assert small.seed == Config().seed
    assert small.sha256 != Config().sha256
    assert Config().sha256 == read_config(None).sha256
