"""Windows: how a text that is longer than the model reads is cut, and its vectors joined.

A text is cut into windows that touch and do not overlap; up to two of them make a stretch, and a
stretch has one vector: the average of its windows, weighted by their lengths.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sourcebook.core.errors import EmbeddingFailed
from sourcebook.core.vectors import Embedding
from sourcebook.providers.inference.weights import FloatArray

# Part of every revision: raise it when the same text would be cut or joined in another way.
WINDOWING_VERSION = 1
WINDOWS_PER_STRETCH = 2
# A shorter rest joins the stretch before it: a vector of a few tokens is similar to anything.
SHORTEST_STRETCH_TOKENS = 32


@dataclass(frozen=True, slots=True)
class Window:
    """Tokens that the model reads at once. `weight` counts those that are the text's own."""

    ids: Sequence[int]
    types: Sequence[int]
    weight: int


def cut(length: int, first: int, rest: int) -> list[range]:
    """Cut `length` tokens into a first window and as many others as needed; at least one."""
    starts = [0, *range(first, length, rest)]
    return [range(start, end) for start, end in zip(starts, [*starts[1:], length], strict=True)]


def stretches(weights: Sequence[int]) -> Iterator[range]:
    """Which windows share a vector."""
    starts = list(range(0, len(weights), WINDOWS_PER_STRETCH))
    if len(starts) > 1 and sum(weights[starts[-1] :]) < SHORTEST_STRETCH_TOKENS:
        starts.pop()
    for start, end in zip(starts, [*starts[1:], len(weights)], strict=True):
        yield range(start, end)


def join(vectors: Sequence[FloatArray], weights: Sequence[int]) -> Embedding:
    """The vectors of a text, one for each stretch of its windows."""
    return tuple(
        average(vectors[part.start : part.stop], weights[part.start : part.stop])
        for part in stretches(weights)
    )


def average(vectors: Sequence[FloatArray], weights: Sequence[int]) -> list[float]:
    """The unit vector in the mean direction; EmbeddingFailed if there is none."""
    # Their sum points the same way; `np.average` takes three times as long for one vector.
    total = np.asarray(weights, dtype=np.float64) @ np.asarray(vectors, dtype=np.float64)
    norm = math.sqrt(total @ total)
    if not math.isfinite(norm):
        raise EmbeddingFailed("The embedder gave a vector that is not finite")
    if norm == 0.0:
        raise EmbeddingFailed("The embedder gave a zero vector, which is similar to nothing")
    unit: list[float] = (total / norm).astype(np.float32).tolist()
    return unit
