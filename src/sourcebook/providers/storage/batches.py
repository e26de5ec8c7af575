"""Cut long lists of ids, because a statement takes only so many parameters."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

MAX_PARAMETERS = 1_000


def in_batches(items: Sequence[T], size: int = MAX_PARAMETERS) -> Iterator[Sequence[T]]:
    """The items in order, at most `size` at a time."""
    for start in range(0, len(items), size):
        yield items[start : start + size]
