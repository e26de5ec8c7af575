"""An adapter is read only if its hash is right, and changes the weights that it names."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.readings import Calibration
from sourcebook.providers.inference.weights import Weights, sha256_of
from sourcebook.providers.readers.adapter import read_adapter

CALIBRATION = {"bias": -1.0, "relevance": 0.5, "answer": 0.25, "similarity": 2.0, "coverage": 1.0}


def save_adapter(folder: Path, **changes: object) -> None:
    tensors = {
        "dense.weight.up": np.array([[1.0], [2.0]], np.float16),
        "dense.weight.down": np.array([[10.0, 0.0, 1.0]], np.float16),
        "dense.bias": np.array([7.0, 8.0], np.float16),
    }
    save_file(tensors, folder / "adapter.safetensors")
    card = {
        "sha256": sha256_of(folder / "adapter.safetensors"),
        "base_sha256": "abc",
        "calibration": CALIBRATION,
    }
    (folder / "reader.json").write_text(json.dumps(card | changes), "utf-8")


def test_an_adapter_adds_its_products_and_replaces_the_rest(tmp_path: Path) -> None:
    save_adapter(tmp_path)
    base = Weights(
        tmp_path,
        {
            "dense.weight": np.ones((2, 3), np.float32),
            "dense.bias": np.zeros(2, np.float32),
            "other": np.full(2, 5.0, np.float32),
        },
    )

    adapter = read_adapter(str(tmp_path))
    merged = adapter.merged(base)

    assert merged["dense.weight"].tolist() == [[11.0, 1.0, 2.0], [21.0, 1.0, 3.0]]
    assert merged["dense.bias"].tolist() == [7.0, 8.0]
    assert merged["other"].tolist() == [5.0, 5.0]
    assert base["dense.weight"].tolist() == [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    assert adapter.calibration == Calibration(-1.0, 0.5, 0.25, 2.0, 1.0)
    assert adapter.name == tmp_path.name


def test_a_damaged_adapter_is_refused(tmp_path: Path) -> None:
    save_adapter(tmp_path)
    file = tmp_path / "adapter.safetensors"
    file.write_bytes(file.read_bytes()[:-1] + b"!")

    with pytest.raises(ConfigurationError, match="damaged or replaced"):
        read_adapter(str(tmp_path))


def test_a_folder_that_is_no_reader_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"reader\.json cannot be read.*SOURCEBOOK_READER"):
        read_adapter(str(tmp_path / "nowhere"))


def test_a_calibration_that_is_missing_is_named(tmp_path: Path) -> None:
    save_adapter(tmp_path, calibration={"bias": 1.0})

    with pytest.raises(ConfigurationError, match=r"calibration\.relevance: Field required"):
        read_adapter(str(tmp_path))
