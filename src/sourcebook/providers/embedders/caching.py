"""Caches the vectors of the latest queries."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence

from sourcebook.core.documents import TokenSpans
from sourcebook.core.health import ServiceHealth
from sourcebook.core.ports import Embedder
from sourcebook.core.vectors import Embedding, Vector
from sourcebook.providers.embedders.model_description import DescribedModel


class CachingEmbedder(DescribedModel):
    """Wraps any embedder. Equal queries at the same time share one call."""

    def __init__(self, inner: Embedder, size: int = 1024) -> None:
        super().__init__(inner)
        self.inner = inner
        self._size = size
        self._cache: OrderedDict[str, Vector] = OrderedDict()
        self._calls: dict[str, asyncio.Task[Vector]] = {}

    async def embed_documents(self, texts: Sequence[str]) -> list[Embedding]:
        """Pass through: the ledger caches the vectors of documents."""
        return await self.inner.embed_documents(texts)

    async def embed_query(self, text: str) -> Vector:
        """Return the vector of a query, from the cache if it is there."""
        if text in self._cache:
            self._cache.move_to_end(text)
            return self._cache[text]
        call = self._calls.get(text)
        if call is None:
            call = asyncio.create_task(self.inner.embed_query(text))
            self._calls[text] = call
            call.add_done_callback(lambda done: self._remember(text, done))
        # Shielded: others may wait for the same call when this caller gives up.
        return await asyncio.shield(call)

    async def tokenize(self, texts: Sequence[str]) -> list[TokenSpans]:
        """Pass through."""
        return await self.inner.tokenize(texts)

    async def check(self) -> ServiceHealth:
        """Pass through."""
        return await self.inner.check()

    def _remember(self, text: str, call: asyncio.Task[Vector]) -> None:
        del self._calls[text]
        # A failure is the waiting callers' to handle; the next query tries again.
        if call.cancelled() or call.exception() is not None:
            return
        self._cache[text] = call.result()
        if len(self._cache) > self._size:
            self._cache.popitem(last=False)
