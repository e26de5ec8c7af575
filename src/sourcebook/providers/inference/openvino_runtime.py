"""Imports OpenVINO without its telemetry, and compiles graphs for this CPU."""

import logging
import sys
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from sourcebook.providers.inference.cores import core_count
from sourcebook.providers.inference.weights import FloatArray
from sourcebook.providers.inference.windows import (
    TokenWindow,
    batched,
    longest_first,
    restore_order,
)

# Importing OpenVINO would send an event to its makers. Python takes None for "cannot be imported",
# and OpenVINO then uses its own silent stand-in.
sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]

import openvino as ov  # noqa: E402 - only after the telemetry is blocked
import openvino.opset15 as ops  # noqa: E402
from openvino._offline_transformations import compress_model_transformation  # noqa: E402

__all__ = ["Precision", "compile_graph", "ops", "ov"]

log = logging.getLogger(__name__)

Precision: TypeAlias = Literal["f32", "bf16"]
Compute: TypeAlias = Callable[[Sequence[TokenWindow]], Sequence[FloatArray]]
Agreement: TypeAlias = Callable[[FloatArray, FloatArray], bool]
Graph: TypeAlias = Callable[[], ov.Model]
PaddedBatch: TypeAlias = list[npt.NDArray[np.int64]]
MAX_STREAMS = 4
LENGTH_STEP = 16
# With 64 vectors stray a quarter more, and nothing is faster.
QUANTIZATION_GROUP = 32
# Measured: more than 8 at once gain nothing, and of similar length they need less padding.
BATCH_SIZES = (1, 2, 3, 4, 6, 8)


def stream_count() -> int:
    """Return how many batches are computed side by side."""
    return min(core_count(), MAX_STREAMS)


def compile_graph(
    graph: Graph,
    pad_token_id: int,
    probes: Sequence[TokenWindow],
    agree: Agreement,
    precision: Precision | None = None,
    *,
    max_tokens: int | None = None,
    eight_bit: Graph | None = None,
    known: FloatArray | None = None,
) -> list[Compute]:
    """Compile a graph in bf16 where that is fast and agrees with f32, else in f32.

    With `eight_bit`, which builds the same graph with weights of 8 bits, that one where there is no
    bf16. `known` is what f32 makes of the probes, if that is known: it takes half a second to
    compile, and is then compiled only where the fast graph disagrees.

    Returns one compute function for each stream; each may be used by one thread at a time. With
    `max_tokens`, batches are padded to a few shapes: a new shape costs a stream 10 ms.
    """
    core = ov.Core()

    def compiled(build: Graph, hint: Precision) -> list[Compute]:
        return _computes(core, build(), hint, pad_token_id, max_tokens)

    if precision is not None:
        return compiled(graph, precision)
    if "BF16" in core.get_property("CPU", "OPTIMIZATION_CAPABILITIES"):
        fast = compiled(graph, "bf16")
    elif eight_bit is not None:
        fast = compiled(eight_bit, "f32")
    else:
        return compiled(graph, "f32")
    found = np.stack(fast[0](probes))
    if known is not None and known.shape == found.shape and agree(known, found):
        return fast
    exact = compiled(graph, "f32")
    if agree(np.stack(exact[0](probes)), found):
        return fast
    log.warning("fast_inference_disagrees_with_f32", extra={"chosen": "f32"})
    return exact


def rounded_shape(windows: Sequence[TokenWindow], max_tokens: int) -> tuple[int, int]:
    """Return the shape that a batch shares with all batches a little smaller."""
    rows = next(size for size in BATCH_SIZES if size >= len(windows))
    steps = -(-_longest(windows) // LENGTH_STEP)
    return rows, min(steps * LENGTH_STEP, max_tokens)


def _computes(
    core: ov.Core, graph: ov.Model, precision: Precision, pad: int, max_tokens: int | None
) -> list[Compute]:
    if precision == "bf16":
        # A compiled model keeps its graph; this halves it: 42 MB less for the bundled embedder, and
        # a cosine of 0.99997 to what the same weights in 32 bits give.
        compress_model_transformation(graph)
    streams = stream_count()
    compiled = core.compile_model(
        graph,
        "CPU",
        {
            "INFERENCE_PRECISION_HINT": precision,
            "NUM_STREAMS": streams,
            "INFERENCE_NUM_THREADS": core_count(),
            # For weights of 8 bits: so many activations share a scale. Others do not notice.
            "DYNAMIC_QUANTIZATION_GROUP_SIZE": QUANTIZATION_GROUP,
            # Pinned threads of several models or processes would all sit on the first cores.
            "ENABLE_CPU_PINNING": False,
        },
    )
    return [_compute(compiled.create_infer_request(), pad, max_tokens) for _ in range(streams)]


def _compute(request: ov.InferRequest, pad: int, max_tokens: int | None) -> Compute:
    def infer(windows: Sequence[TokenWindow]) -> FloatArray:
        shape = None if max_tokens is None else rounded_shape(windows, max_tokens)
        results: FloatArray = request.infer(pad_windows(windows, pad, shape), share_inputs=True)[0]
        return np.array(results[: len(windows)], dtype=np.float32)

    def compute(windows: Sequence[TokenWindow]) -> list[FloatArray]:
        order = longest_first(windows)
        batches = batched([windows[number] for number in order], BATCH_SIZES[-1])
        return restore_order(order, [row for batch in batches for row in infer(batch)])

    return compute


def pad_windows(
    windows: Sequence[TokenWindow], pad: int, shape: tuple[int, int] | None = None
) -> PaddedBatch:
    """Pad ids, mask and types to the longest window, or to a larger shape.

    Rows that are left over repeat the first window.
    """
    shape = shape or (len(windows), _longest(windows))
    ids = np.full(shape, pad, dtype=np.int64)
    mask = np.zeros(shape, dtype=np.int64)
    types = np.zeros(shape, dtype=np.int64)
    for row, window in enumerate(windows):
        length = len(window.ids)
        ids[row, :length] = window.ids
        mask[row, :length] = 1
        types[row, :length] = window.types
    inputs = [ids, mask, types]
    for values in inputs:
        values[len(windows) :] = values[0]
    return inputs


def _longest(windows: Sequence[TokenWindow]) -> int:
    return max(len(window.ids) for window in windows)
