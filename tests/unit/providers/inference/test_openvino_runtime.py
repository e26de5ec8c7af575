"""OpenVINO calls nobody, and its compiled graphs give the same numbers for any batch."""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from sourcebook.providers.inference.bert_graph import embedding_graph
from sourcebook.providers.inference.model_folder import read_embedding_folder
from sourcebook.providers.inference.openvino_runtime import (
    Compute,
    Precision,
    compile_graph,
    ov,
    pad_windows,
    stream_count,
)
from sourcebook.providers.inference.weights import FloatArray, read_weights
from sourcebook.providers.inference.windows import TokenWindow
from tests.tiny_models import HIDDEN, save_tiny_embedder

SCRIPT = """
import asyncio, sys
from pathlib import Path
from sourcebook.providers.declaration import Opening
from sourcebook.providers.embedders.local_provider import OPENVINO

CALLS = {"socket.connect", "socket.getaddrinfo", "socket.sendto", "subprocess.Popen"}
calls = []
sys.addaudithook(lambda event, args: calls.append(event) if event in CALLS else None)

async def use():
    settings = OPENVINO.settings.model_validate({"path": "bundled:all-MiniLM-L6-v2"})
    opening = Opening("minilm", data_dir=Path("data"), models_dir=Path("models"))
    async with OPENVINO.open(settings, opening) as embedder:
        await embedder.embed_query("anything")

asyncio.run(use())
assert "openvino" in sys.modules
assert calls == [], calls
"""


def test_a_model_calls_nobody_and_leaves_nothing_behind_even_if_telemetry_is_installed(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    package = tmp_path / "openvino_telemetry"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('telemetry was imported')")
    path = os.pathsep.join([str(tmp_path), *sys.path])

    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": path, "HOME": str(home)},
    )

    assert done.returncode == 0, done.stderr
    # Where OpenVINO's telemetry keeps the id that it gives to a user.
    assert list(home.iterdir()) == []


def test_openvino_is_imported_in_one_place_alone() -> None:
    source = Path(__file__).parents[4] / "src" / "sourcebook"
    importing = [
        path.name for path in source.rglob("*.py") if "import openvino" in path.read_text("utf-8")
    ]

    assert importing == ["openvino_runtime.py"]


PROBE = TokenWindow([2, 5, 7, 3], [0] * 4, 2)


def compiled(folder: Path, *, agree: bool, precision: Precision | None = None) -> list[Compute]:
    read = read_embedding_folder(folder)
    graph = partial(embedding_graph, read, read_weights(folder))

    def verdict(exact: FloatArray, fast: FloatArray) -> bool:
        assert exact.shape == fast.shape
        return agree

    return compile_graph(graph, 0, [PROBE], verdict, precision)


def test_windows_are_padded_to_the_longest() -> None:
    ids, mask, types = pad_windows(
        [TokenWindow([2, 3], [0, 0], 1), TokenWindow([2, 5, 3], [0, 1, 1], 1)], 9
    )
    assert ids.tolist() == [[2, 3, 9], [2, 5, 3]]
    assert mask.tolist() == [[1, 1, 0], [1, 1, 1]]
    assert types.tolist() == [[0, 0, 0], [0, 1, 1]]


def test_a_single_window_is_not_padded() -> None:
    ids, mask, _ = pad_windows([TokenWindow([2, 5, 3], [0, 0, 0], 1)], 9)
    assert ids.tolist() == [[2, 5, 3]]
    assert mask.all()


def test_there_is_a_compute_function_for_each_stream(tmp_path: Path) -> None:
    save_tiny_embedder(tmp_path)
    computes = compiled(tmp_path, agree=True)
    assert len(computes) == stream_count() >= 1
    np.testing.assert_allclose(computes[0]([PROBE]), computes[-1]([PROBE]), atol=1e-6)


class Built:
    """Builds a graph, and knows how often."""

    def __init__(self, folder: Path) -> None:
        self.times = 0
        self._read = read_embedding_folder(folder)
        self._weights = read_weights(folder)

    def __call__(self) -> ov.Model:
        self.times += 1
        return embedding_graph(self._read, self._weights)


class CoreWithoutBf16(ov.Core):  # type: ignore[misc]
    """OpenVINO on a CPU that does not compute in bf16."""

    def get_property(self, device: str, name: str) -> list[str]:
        return [one for one in super().get_property(device, name) if one != "BF16"]


@pytest.mark.parametrize("core", [ov.Core, CoreWithoutBf16])
@pytest.mark.parametrize("agrees", [True, False])
def test_what_is_known_of_f32_spares_compiling_it_only_while_it_agrees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agrees: bool, core: type[ov.Core]
) -> None:
    monkeypatch.setattr(ov, "Core", core)
    has_bf16 = "BF16" in core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    save_tiny_embedder(tmp_path)
    exact, fast, known = Built(tmp_path), Built(tmp_path), np.zeros((1, HIDDEN), np.float32)

    def verdict(one: FloatArray, _: FloatArray) -> bool:
        return agrees if one is known else True

    compile_graph(exact, 0, [PROBE], verdict, eight_bit=fast, known=known)

    compiled_in_f32 = 0 if agrees else 1
    # With bf16, the fast graph is the exact one in fewer bits.
    expected = (1 + compiled_in_f32, 0) if has_bf16 else (compiled_in_f32, 1)
    assert (exact.times, fast.times) == expected


def test_when_bf16_disagrees_f32_is_used(tmp_path: Path) -> None:
    save_tiny_embedder(tmp_path)
    exact = compiled(tmp_path, agree=False, precision="f32")[0]([PROBE])
    chosen = compiled(tmp_path, agree=False)[0]([PROBE])
    np.testing.assert_array_equal(chosen, exact)
