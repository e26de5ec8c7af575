"""The adapter's tensors have the names of the model's own."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from training.export import TRAINED_FILE, export, exported_name

from sourcebook.providers.readers.adapter import read_adapter


@pytest.mark.parametrize(
    ("trained", "exported"),
    [
        ("layers.3.query.up", "encoder.layer.3.attention.self.query.weight.up"),
        ("layers.3.query.bias", "encoder.layer.3.attention.self.query.bias"),
        ("layers.0.narrow.down", "encoder.layer.0.output.dense.weight.down"),
        ("layers.5.second_norm.weight", "encoder.layer.5.output.LayerNorm.weight"),
        ("types", "embeddings.token_type_embeddings.weight"),
        ("relevance.weight", "relevance.weight"),
    ],
)
def test_a_tensor_is_named_after_what_it_changes(trained: str, exported: str) -> None:
    assert exported_name(trained) == exported


def test_an_adapter_is_small_and_known_by_its_hash(tmp_path: Path) -> None:
    save_file({"relevance.bias": np.ones(1, np.float32)}, tmp_path / TRAINED_FILE)
    save_file({"x": np.ones(1, np.float32)}, tmp_path / "model.safetensors")

    sha256 = export(tmp_path, tmp_path, tmp_path / "out")

    assert load_file(tmp_path / "out" / "adapter.safetensors")["relevance.bias"].dtype == np.float16
    assert read_adapter(str(tmp_path / "out")).sha256 == sha256
