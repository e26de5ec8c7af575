"""Embeds sentences, to compare questions, answers and evidence."""

import asyncio
from collections.abc import Sequence
from operator import mul

from sourcebook.core.ports import Embedder
from sourcebook.core.vectors import Vector

# Enough to keep the model busy; with more, ten answers at a time would make searches wait.
MAX_CONCURRENT = 16


class SentenceEmbedder:
    """Embeds sentences of questions, answers and evidence alike, so that they can be compared."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """A vector for each text. Several are asked for at once, and the embedder gathers them.

        As queries, both sides: they are short, they go before ingestion, and the latest are known.
        """
        turns = asyncio.Semaphore(MAX_CONCURRENT)

        async def embed_one(text: str) -> Vector:
            async with turns:
                return await self._embedder.embed_query(text)

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(embed_one(text)) for text in texts]
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return [task.result() for task in tasks]


def cosine(one: Vector, other: Vector) -> float:
    """The similarity of two vectors of length 1."""
    total: float = sum(map(mul, one, other))
    return total
