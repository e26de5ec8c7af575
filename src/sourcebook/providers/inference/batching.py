"""Batches of windows of about the same length, so that little of a batch is padding."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import TypeVar

from sourcebook.providers.inference.windows import Window

T = TypeVar("T")


def longest_first(windows: Sequence[Window]) -> list[int]:
    """The windows' numbers by length. The longest come first, so that none is left to the end."""
    return sorted(range(len(windows)), key=lambda number: -len(windows[number].ids))


def batched(items: Sequence[T], size: int) -> list[Sequence[T]]:
    """The items in pieces of the given size."""
    return [items[start : start + size] for start in range(0, len(items), size)]


def put_back(order: Sequence[int], results: Sequence[T]) -> list[T]:
    """Undo an ordering: the result at place `i` belongs to the item number `order[i]`."""
    by_number = dict(zip(order, results, strict=True))
    return [by_number[number] for number in range(len(order))]


def regrouped(results: Sequence[T], sizes: Sequence[int]) -> Iterator[Sequence[T]]:
    """Cut a flat sequence into consecutive groups of the given sizes."""
    for start, end in pairwise(accumulate(sizes, initial=0)):
        yield results[start:end]
