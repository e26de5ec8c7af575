"""Searching an adopted collection: ask for more until enough chunks pass the filter."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from sourcebook.core.documents import Hit
from sourcebook.core.filters import EVERYTHING, Filter

# How far a search looks for chunks that pass what the other store cannot filter by.
MAX_DEPTH = 4_096
_DEEPER = 4


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest chunks, best first. `complete`: the store has no more to give."""

    hits: Sequence[Hit]
    complete: bool


async def nearest_passing(
    ask: Callable[[int], Awaitable[Nearest]],
    limit: int,
    filter_: Filter,
    max_depth: int = MAX_DEPTH,
) -> list[Hit]:
    """The first `limit` hits whose metadata match. `ask` takes how many points to look at.

    The filter is always applied here, whatever the store applied already.
    """
    if limit < 1:
        return []
    depth = min(max_depth, limit if filter_ == EVERYTHING else limit * _DEEPER)
    while True:
        found = await ask(depth)
        passing = [hit for hit in found.hits if filter_.matches(hit.chunk.metadata)]
        if len(passing) >= limit or found.complete or depth >= max_depth:
            return passing[:limit]
        depth = min(max_depth, depth * _DEEPER)
