"""Compiling a graph for this CPU, in bf16 where that is fast and agrees with f32."""

import logging
import os
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from sourcebook.providers.inference.silent_openvino import ov
from sourcebook.providers.inference.weights import FloatArray
from sourcebook.providers.inference.windows import Window

log = logging.getLogger(__name__)

Precision: TypeAlias = Literal["f32", "bf16"]
Compute: TypeAlias = Callable[[Sequence[Window]], Sequence[FloatArray]]
Agreement: TypeAlias = Callable[[FloatArray, FloatArray], bool]
MAX_STREAMS = 4


def stream_count() -> int:
    """How many batches are computed side by side."""
    return max(1, min(os.cpu_count() or 1, MAX_STREAMS))


def compile_graph(
    graph: ov.Model,
    pad_token_id: int,
    probes: Sequence[Window],
    agree: Agreement,
    precision: Precision | None = None,
) -> list[Compute]:
    """One compute function for each stream; each may be used by one thread at a time."""
    core = ov.Core()
    exact = _computes(core, graph, pad_token_id, "f32")
    has_bf16 = "BF16" in core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    if precision == "f32" or (precision is None and not has_bf16):
        return exact
    fast = _computes(core, graph, pad_token_id, "bf16")
    if precision == "bf16" or agree(np.stack(exact[0](probes)), np.stack(fast[0](probes))):
        return fast
    log.warning("bf16_disagrees_with_f32", extra={"chosen": "f32"})
    return exact


def _computes(core: ov.Core, graph: ov.Model, pad: int, precision: Precision) -> list[Compute]:
    streams = stream_count()
    compiled = core.compile_model(
        graph,
        "CPU",
        {
            "INFERENCE_PRECISION_HINT": precision,
            "NUM_STREAMS": streams,
            # Pinned threads of several models or processes would all sit on the first cores.
            "ENABLE_CPU_PINNING": False,
        },
    )
    return [_compute(compiled.create_infer_request(), pad) for _ in range(streams)]


def _compute(request: ov.InferRequest, pad: int) -> Compute:
    def compute(windows: Sequence[Window]) -> list[FloatArray]:
        results = request.infer(padded(windows, pad), share_inputs=True)
        return list(np.array(results[0], dtype=np.float32))

    return compute


def padded(windows: Sequence[Window], pad: int) -> list[npt.NDArray[np.int64]]:
    """Ids, mask and types, each as long as the longest window."""
    shape = (len(windows), max(len(window.ids) for window in windows))
    ids = np.full(shape, pad, dtype=np.int64)
    mask = np.zeros(shape, dtype=np.int64)
    types = np.zeros(shape, dtype=np.int64)
    for row, window in enumerate(windows):
        length = len(window.ids)
        ids[row, :length] = window.ids
        mask[row, :length] = 1
        types[row, :length] = window.types
    return [ids, mask, types]
