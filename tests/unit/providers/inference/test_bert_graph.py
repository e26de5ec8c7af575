import json
from pathlib import Path

import numpy as np
import pytest

from sourcebook.providers.inference.bert_graph import Layers, encode, new_inputs
from sourcebook.providers.inference.model_folder import SUPPORTED_ACTIVATIONS, read_architecture
from sourcebook.providers.inference.openvino_runtime import ov, pad_windows
from sourcebook.providers.inference.weights import FloatArray, read_weights
from sourcebook.providers.inference.windows import TokenWindow
from tests.tiny_models import save_tiny_embedder
from tests.unit.providers import numpy_bert


def hidden_states(folder: Path, *texts: list[int]) -> FloatArray:
    inputs = new_inputs()
    layers = Layers(read_architecture(folder), read_weights(folder))
    graph = ov.Model([encode(inputs, layers)], inputs.ordered())
    compiled = ov.Core().compile_model(graph, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    windows = [TokenWindow(ids, [0] * len(ids), 1) for ids in texts]
    states: FloatArray = compiled(pad_windows(windows, 0))[0]
    return states


@pytest.mark.parametrize("activation", SUPPORTED_ACTIVATIONS)
def test_every_supported_activation_is_computed_as_named(tmp_path: Path, activation: str) -> None:
    tensors = save_tiny_embedder(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "hidden_act": activation}))
    ids = [2, 5, 7, 11, 3]
    expected = numpy_bert.hidden_states(tensors, ids, [0] * 5, 0, activation)
    np.testing.assert_allclose(hidden_states(tmp_path, ids)[0], expected, atol=1e-4)


def test_padding_changes_nothing(tmp_path: Path) -> None:
    save_tiny_embedder(tmp_path)
    short, long = [2, 5, 3], [2, 7, 8, 9, 10, 11, 3]
    alone = hidden_states(tmp_path, short)[0]
    padded_states = hidden_states(tmp_path, short, long)[0]
    np.testing.assert_allclose(padded_states[: len(short)], alone, atol=1e-5)
