import hashlib
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.inference import weights
from sourcebook.providers.inference.weights import read_weights, sha256_of


def save(folder: Path, **tensors: object) -> None:
    save_file(
        {name: np.asarray(value, dtype=np.float16) for name, value in tensors.items()},
        folder / "model.safetensors",
    )


def test_names_are_those_of_the_bare_model(tmp_path: Path) -> None:
    save(tmp_path, **{"bert.a.LayerNorm.gamma": [1], "bert.a.LayerNorm.beta": [2], "b.bias": [3]})
    weights = read_weights(tmp_path)
    assert set(weights.tensors) == {"a.LayerNorm.weight", "a.LayerNorm.bias", "b.bias"}


def test_half_precision_is_widened(tmp_path: Path) -> None:
    save(tmp_path, x=[0.5])
    assert read_weights(tmp_path)["x"].dtype == np.float32


def test_a_missing_tensor_is_named(tmp_path: Path) -> None:
    save(tmp_path, x=[0.5])
    with pytest.raises(ConfigurationError, match="no tensor 'y'"):
        read_weights(tmp_path)["y"]


def test_a_pickle_is_never_read(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    with pytest.raises(ConfigurationError, match=r"only pytorch_model\.bin, a pickle"):
        read_weights(tmp_path)


def test_split_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors.index.json").write_text("{}")
    with pytest.raises(ConfigurationError, match="split over several files"):
        read_weights(tmp_path)


def test_missing_weights_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"model\.safetensors is missing"):
        read_weights(tmp_path)


def test_garbled_weights_are_named(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"not a tensor in sight")
    with pytest.raises(ConfigurationError, match=r"model\.safetensors cannot be read"):
        read_weights(tmp_path)


def test_a_file_that_is_written_again_is_hashed_again(tmp_path: Path) -> None:
    file = tmp_path / "file"
    hashes = []
    # At once and of the same length, so that its times may be the same.
    for content in (b"one", b"two", b"three"):
        file.write_bytes(content)
        hashes.append(sha256_of(file))

    assert hashes == [hashlib.sha256(content).hexdigest() for content in (b"one", b"two", b"three")]


def test_a_file_that_stays_as_it_is_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weights, "MIN_AGE_S", -1.0)
    file = tmp_path / "file"
    file.write_bytes(b"one")
    first = sha256_of(file)
    monkeypatch.setattr(Path, "open", None)

    assert sha256_of(file) == first
