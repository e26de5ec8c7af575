import json
from pathlib import Path

import numpy as np
import pytest

from sourcebook.providers.inference.bert_graph import (
    EightBitLayers,
    Layers,
    encode,
    new_inputs,
    reading_graph,
)
from sourcebook.providers.inference.model_folder import (
    SUPPORTED_ACTIVATIONS,
    read_architecture,
    read_model_folder,
)
from sourcebook.providers.inference.openvino_runtime import ov, pad_windows
from sourcebook.providers.inference.weights import FloatArray, Weights, read_weights
from sourcebook.providers.inference.windows import TokenWindow
from tests.tiny_models import HIDDEN, save_tiny_embedder
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


def test_a_reader_scores_the_pair_and_each_of_its_tokens(tmp_path: Path) -> None:
    tensors = save_tiny_embedder(tmp_path)
    random = np.random.default_rng(7)
    heads = {
        name: random.normal(size=shape).astype(np.float32)
        for name, shape in {
            "relevance.weight": (1, 2 * HIDDEN),
            "relevance.bias": (1,),
            "answer.weight": (1, 2 * HIDDEN),
            "answer.bias": (1,),
        }.items()
    }
    read = read_weights(tmp_path)
    weights = Weights(tmp_path, {**read.tensors, **heads})
    graph = reading_graph(read_model_folder(tmp_path), weights)
    compiled = ov.Core().compile_model(graph, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    ids, types = [2, 5, 3, 7, 11, 3], [0, 0, 0, 1, 1, 1]
    longer = TokenWindow([2, *[6] * 7, 3], [0] * 9, 1)

    row = compiled(pad_windows([TokenWindow(ids, types, 1), longer], 0))[0][0]

    hidden = numpy_bert.hidden_states(tensors, ids, types, 0)
    both = np.concatenate([hidden[0], hidden.mean(0)])
    relevance = both @ heads["relevance.weight"][0] + heads["relevance.bias"]
    pairs = np.concatenate([hidden, np.repeat(hidden[:1], len(ids), 0)], axis=1)
    answers = pairs @ heads["answer.weight"][0] + heads["answer.bias"]
    np.testing.assert_allclose(row[: 1 + len(ids)], [*relevance, *answers], atol=1e-4)


def test_weights_of_eight_bits_give_nearly_the_same(tmp_path: Path) -> None:
    save_tiny_embedder(tmp_path)
    window = TokenWindow([2, 5, 3, 7, 11, 3], [0] * 6, 1)
    rows = []
    for kind in (Layers, EightBitLayers):
        inputs = new_inputs()
        layers = kind(read_architecture(tmp_path), read_weights(tmp_path))
        graph = ov.Model([encode(inputs, layers)], inputs.ordered())
        compiled = ov.Core().compile_model(graph, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
        rows.append(compiled(pad_windows([window], 0))[0][0])

    exact, rounded = rows
    assert not np.array_equal(exact, rounded)
    np.testing.assert_allclose(rounded, exact, atol=0.1)
