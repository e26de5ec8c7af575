from pathlib import Path

import numpy as np

from sourcebook.providers.inference.compiled import (
    Compute,
    Precision,
    compile_graph,
    padded,
    stream_count,
)
from sourcebook.providers.inference.heads import embedding_graph
from sourcebook.providers.inference.model_folder import read_embedding_folder
from sourcebook.providers.inference.weights import FloatArray, read_weights
from sourcebook.providers.inference.windows import Window
from tests.tiny_models import save_tiny_embedder

PROBE = Window([2, 5, 7, 3], [0] * 4, 2)


def compiled(folder: Path, *, agree: bool, precision: Precision | None = None) -> list[Compute]:
    read = read_embedding_folder(folder)
    graph = embedding_graph(read, read_weights(folder))

    def verdict(exact: FloatArray, fast: FloatArray) -> bool:
        assert exact.shape == fast.shape
        return agree

    return compile_graph(graph, 0, [PROBE], verdict, precision)


def test_windows_are_padded_to_the_longest() -> None:
    ids, mask, types = padded([Window([2, 3], [0, 0], 1), Window([2, 5, 3], [0, 1, 1], 1)], 9)
    assert ids.tolist() == [[2, 3, 9], [2, 5, 3]]
    assert mask.tolist() == [[1, 1, 0], [1, 1, 1]]
    assert types.tolist() == [[0, 0, 0], [0, 1, 1]]


def test_a_single_window_is_not_padded() -> None:
    ids, mask, _ = padded([Window([2, 5, 3], [0, 0, 0], 1)], 9)
    assert ids.tolist() == [[2, 5, 3]]
    assert mask.all()


def test_there_is_a_compute_function_for_each_stream(tmp_path: Path) -> None:
    save_tiny_embedder(tmp_path)
    computes = compiled(tmp_path, agree=True)
    assert len(computes) == stream_count() >= 1
    np.testing.assert_allclose(computes[0]([PROBE]), computes[-1]([PROBE]), atol=1e-6)


def test_when_bf16_disagrees_f32_is_used(tmp_path: Path) -> None:
    save_tiny_embedder(tmp_path)
    exact = compiled(tmp_path, agree=False, precision="f32")[0]([PROBE])
    chosen = compiled(tmp_path, agree=False)[0]([PROBE])
    np.testing.assert_array_equal(chosen, exact)
