"""Finding the few items that make a whole batch be refused."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from sourcebook.providers.outbound.json_server import Refused

T = TypeVar("T")
R = TypeVar("R")


async def bisected(
    items: Sequence[T], ask: Callable[[Sequence[T]], Awaitable[Sequence[R]]]
) -> list[R | Refused]:
    """What `ask` gives for each item. A refused batch is asked for in halves, down to the item."""
    try:
        return list(await ask(items))
    except Refused as refusal:
        if len(items) == 1:
            return [refusal]
    middle = len(items) // 2
    return [*await bisected(items[:middle], ask), *await bisected(items[middle:], ask)]
