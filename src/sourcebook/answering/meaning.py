"""The meaning of sentences as vectors, from the model that is loaded."""

import asyncio
from collections.abc import Sequence
from operator import mul

from sourcebook.core.ports import Embedder
from sourcebook.core.vectors import Vector


class Meaning:
    """Embeds sentences of questions, answers and evidence alike, so that they can be compared."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def of(self, texts: Sequence[str]) -> list[Vector]:
        """A vector for each text. They are asked for at once, and the embedder gathers them.

        As queries, both sides: they are short, they go before ingestion, and the latest are known.
        """
        return list(await asyncio.gather(*(self._embedder.embed_query(text) for text in texts)))


def cosine(one: Vector, other: Vector) -> float:
    """The similarity of two vectors of length 1."""
    total: float = sum(map(mul, one, other))
    return total
