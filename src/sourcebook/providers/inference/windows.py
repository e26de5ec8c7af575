"""Cuts texts that are too long for a model into windows, batches them, and joins their vectors.

A text is cut into windows that touch and do not overlap; up to two of them make a stretch, and a
stretch has one vector: the average of its windows, weighted by their lengths.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TypeAlias, TypeVar

import numpy as np

from sourcebook.core.errors import ConfigurationError, EmbeddingFailed
from sourcebook.core.vectors import Embedding
from sourcebook.providers.inference.weights import FloatArray

T = TypeVar("T")
# Where each token of a text begins and ends.
Offsets: TypeAlias = Callable[[str], Sequence[tuple[int, int]]]

# Part of every revision: raise it when the same text would be cut or joined in another way.
WINDOWING_VERSION = 1
WINDOWS_PER_STRETCH = 2
# A shorter rest joins the stretch before it: a vector of a few tokens is similar to anything.
MIN_STRETCH_TOKENS = 32
# A cut inside a word can make more tokens of it; so many are left free in each window of text.
SLACK_TOKENS = 8


@dataclass(frozen=True, slots=True)
class TokenWindow:
    """Tokens that the model reads at once. `weight` counts those that are the text's own."""

    ids: Sequence[int]
    types: Sequence[int]
    weight: int


@dataclass(frozen=True, slots=True)
class TextWindow:
    """A part of a text for models that take nothing but text; `weight` counts its tokens."""

    text: str
    weight: int


def cut(length: int, first: int, rest: int) -> list[range]:
    """Cut `length` tokens into a first window and as many others as needed; at least one."""
    starts = [0, *range(first, length, rest)]
    return [range(start, end) for start, end in zip(starts, [*starts[1:], length], strict=True)]


def cut_text(text: str, max_tokens: int, offsets: Offsets) -> list[TextWindow]:
    """Cut a text between tokens unless it fits whole; the windows touch, and nothing is lost."""
    spans = offsets(text)
    if len(spans) <= max_tokens:
        return [TextWindow(text, max(1, len(spans)))]
    size = max_tokens - SLACK_TOKENS
    if size < 1:
        raise ConfigurationError(
            f"The model reads only {max_tokens} tokens of a text at once, which is too few. Use"
            " shorter prompts or a model that reads more"
        )
    parts = cut(len(spans), size, size)
    starts = [0, *(spans[part.start][0] for part in parts[1:])]
    ends = [*starts[1:], len(text)]
    return [
        TextWindow(text[start:end], len(part))
        for start, end, part in zip(starts, ends, parts, strict=True)
    ]


def longest_first(windows: Sequence[TokenWindow]) -> list[int]:
    """Return the windows' numbers, longest first: batches of similar length need little padding."""
    return sorted(range(len(windows)), key=lambda number: -len(windows[number].ids))


def batched(items: Sequence[T], size: int) -> list[Sequence[T]]:
    """Split items into batches of the given size; the last may be smaller."""
    return [items[start : start + size] for start in range(0, len(items), size)]


def restore_order(order: Sequence[int], results: Sequence[T]) -> list[T]:
    """Undo an ordering: the result at place `i` belongs to the item number `order[i]`."""
    by_number = dict(zip(order, results, strict=True))
    return [by_number[number] for number in range(len(order))]


def regroup(results: Sequence[T], sizes: Sequence[int]) -> Iterator[Sequence[T]]:
    """Split a flat sequence into consecutive groups of the given sizes."""
    for start, end in pairwise(accumulate(sizes, initial=0)):
        yield results[start:end]


def stretches(weights: Sequence[int]) -> Iterator[range]:
    """Yield the windows that share a vector."""
    starts = list(range(0, len(weights), WINDOWS_PER_STRETCH))
    if len(starts) > 1 and sum(weights[starts[-1] :]) < MIN_STRETCH_TOKENS:
        starts.pop()
    for start, end in zip(starts, [*starts[1:], len(weights)], strict=True):
        yield range(start, end)


def join(vectors: Sequence[FloatArray], weights: Sequence[int]) -> Embedding:
    """Return the vectors of a text: one for each stretch of its windows."""
    return tuple(
        average(vectors[part.start : part.stop], weights[part.start : part.stop])
        for part in stretches(weights)
    )


def join_all(
    vectors: Sequence[FloatArray], per_text: Sequence[Sequence[TokenWindow | TextWindow]]
) -> list[Embedding]:
    """Join the vectors of the windows of many texts, given one after the other."""
    groups = regroup(vectors, [len(windows) for windows in per_text])
    return [
        join(group, [window.weight for window in windows])
        for group, windows in zip(groups, per_text, strict=True)
    ]


def average(vectors: Sequence[FloatArray], weights: Sequence[int]) -> list[float]:
    """Return the unit vector in the mean direction; EmbeddingFailed if there is none."""
    # Their sum points the same way; `np.average` takes three times as long for one vector.
    total = np.asarray(weights, dtype=np.float64) @ np.asarray(vectors, dtype=np.float64)
    norm = math.sqrt(total @ total)
    if not math.isfinite(norm):
        raise EmbeddingFailed("The embedder gave a vector that is not finite")
    if norm == 0.0:
        raise EmbeddingFailed("The embedder gave a zero vector, which is similar to nothing")
    unit: list[float] = (total / norm).astype(np.float32).tolist()
    return unit
