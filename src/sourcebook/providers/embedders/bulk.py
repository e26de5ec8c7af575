"""Many texts in batches, a few requests at a time."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from sourcebook.core.errors import EmbeddingFailed
from sourcebook.providers.embedders.remote_calls import Purpose, RemoteCalls, Result
from sourcebook.providers.embedders.salvage import Salvage
from sourcebook.providers.inference.text_pieces import Piece
from sourcebook.providers.inference.weights import FloatArray
from sourcebook.providers.outbound.json_server import Refused


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """How much one request may hold, how long it may take, and how many there may be at once."""

    texts: int
    tokens: int
    timeout_s: float
    at_once: int = 4


class Bulk:
    """Embeds documents. When a call fails, what it had done is kept for the next."""

    def __init__(self, calls: RemoteCalls, limits: BatchLimits) -> None:
        self._calls = calls
        self._limits = limits
        self._turns = asyncio.Semaphore(limits.at_once)
        self._salvage: dict[Purpose, Salvage] = {"document": Salvage(), "query": Salvage()}

    async def embed(self, pieces: Sequence[Piece], purpose: Purpose) -> list[Result]:
        """A vector for each piece, or why it was refused; EmbeddingFailed."""
        texts = [piece.text for piece in pieces]
        salvage = self._salvage[purpose]
        done = salvage.take(texts)
        refused: dict[int, Refused] = {}
        try:
            await self._embed_rest(pieces, purpose, done, refused)
        finally:
            # Also when the caller goes away: it may come again.
            if len(done) < len(pieces):
                salvage.put(texts, done)
        results: dict[int, Result] = {**done, **refused}
        return [results[position] for position in range(len(pieces))]

    async def _embed_rest(
        self,
        pieces: Sequence[Piece],
        purpose: Purpose,
        done: dict[int, FloatArray],
        refused: dict[int, Refused],
    ) -> None:
        failures: list[EmbeddingFailed] = []

        async def embed(batch: Sequence[int]) -> None:
            async with self._turns:
                # What is begun is finished: it is paid for. Nothing else is begun.
                if failures:
                    return
                try:
                    results = await self._calls.embed(
                        [pieces[position].text for position in batch],
                        purpose,
                        self._limits.timeout_s,
                    )
                except EmbeddingFailed as error:
                    failures.append(error)
                    return
            for position, result in zip(batch, results, strict=True):
                if isinstance(result, Refused):
                    refused[position] = result
                else:
                    done[position] = result

        missing = [position for position in range(len(pieces)) if position not in done]
        weights = [pieces[position].weight for position in missing]
        async with asyncio.TaskGroup() as group:
            for batch in packed(weights, self._limits):
                group.create_task(embed([missing[number] for number in batch]))
        if failures:
            raise failures[0]


def packed(weights: Sequence[int], limits: BatchLimits) -> list[range]:
    """Batches of neighbours: as large as the limits allow, and never empty."""
    batches: list[range] = []
    start = total = 0
    for number, weight in enumerate(weights):
        full = number - start >= limits.texts or total + weight > limits.tokens
        if full and number > start:
            batches.append(range(start, number))
            start, total = number, 0
        total += weight
    return [*batches, range(start, len(weights))] if weights else []
