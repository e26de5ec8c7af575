"""Embeds documents in batches, a few requests at a time."""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sourcebook.core.errors import EmbeddingFailed
from sourcebook.providers.embedders.remote.client import EmbeddingClient, Purpose, Result
from sourcebook.providers.inference.weights import FloatArray
from sourcebook.providers.inference.windows import TextWindow
from sourcebook.providers.outbound.json_server import StatusRefused

MAX_KEPT_VECTORS = 4_096


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """How much one request may hold, how long it may take, and how many there may be at once."""

    max_texts: int
    max_tokens: int
    timeout_s: float
    max_requests: int = 4


class DocumentBatcher:
    """Embeds documents. The vectors of a call that failed halfway are kept for the next one."""

    def __init__(self, client: EmbeddingClient, limits: BatchLimits) -> None:
        self._client = client
        self._limits = limits
        self._slots = asyncio.Semaphore(limits.max_requests)
        self._kept: dict[Purpose, RetryCache] = {"document": RetryCache(), "query": RetryCache()}

    async def embed(self, windows: Sequence[TextWindow], purpose: Purpose) -> list[Result]:
        """Return a vector or a refusal for each window; EmbeddingFailed."""
        texts = [window.text for window in windows]
        kept = self._kept[purpose]
        done = kept.take(texts)
        refused: dict[int, StatusRefused] = {}
        try:
            await self._embed_rest(windows, purpose, done, refused)
        finally:
            # Also when the caller goes away: it may come again.
            if len(done) < len(windows):
                kept.put(texts, done)
        results: dict[int, Result] = {**done, **refused}
        return [results[position] for position in range(len(windows))]

    async def _embed_rest(
        self,
        windows: Sequence[TextWindow],
        purpose: Purpose,
        done: dict[int, FloatArray],
        refused: dict[int, StatusRefused],
    ) -> None:
        failures: list[EmbeddingFailed] = []

        async def embed(batch: Sequence[int]) -> None:
            async with self._slots:
                # What has begun is finished, because it is paid for. Nothing else is begun.
                if failures:
                    return
                try:
                    results = await self._client.embed(
                        [windows[position].text for position in batch],
                        purpose,
                        self._limits.timeout_s,
                    )
                except EmbeddingFailed as error:
                    failures.append(error)
                    return
            for position, result in zip(batch, results, strict=True):
                if isinstance(result, StatusRefused):
                    refused[position] = result
                else:
                    done[position] = result

        missing = [position for position in range(len(windows)) if position not in done]
        weights = [windows[position].weight for position in missing]
        async with asyncio.TaskGroup() as group:
            for batch in pack(weights, self._limits):
                group.create_task(embed([missing[number] for number in batch]))
        if failures:
            raise failures[0]


class RetryCache:
    """Vectors by text. What is taken out is gone, unless it is put back."""

    def __init__(self, max_vectors: int = MAX_KEPT_VECTORS) -> None:
        self._max_vectors = max_vectors
        self._vectors: OrderedDict[bytes, FloatArray] = OrderedDict()

    def take(self, texts: Sequence[str]) -> dict[int, FloatArray]:
        """Remove and return the vectors that are here, by the position of their text."""
        if not self._vectors:
            return {}
        keys = ((position, _key(text)) for position, text in enumerate(texts))
        return {position: self._vectors.pop(key) for position, key in keys if key in self._vectors}

    def put(self, texts: Sequence[str], vectors: Mapping[int, FloatArray]) -> None:
        """Keep vectors; the oldest go when there are too many."""
        for position, vector in vectors.items():
            self._vectors[_key(texts[position])] = vector
        while len(self._vectors) > self._max_vectors:
            self._vectors.popitem(last=False)


def pack(weights: Sequence[int], limits: BatchLimits) -> list[range]:
    """Group neighbours into batches that are as large as the limits allow, and never empty."""
    batches: list[range] = []
    start = total = 0
    for number, weight in enumerate(weights):
        full = number - start >= limits.max_texts or total + weight > limits.max_tokens
        if full and number > start:
            batches.append(range(start, number))
            start, total = number, 0
        total += weight
    return [*batches, range(start, len(weights))] if weights else []


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
