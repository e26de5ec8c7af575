"""Embeds a question once per model, however many collections are searched."""

import asyncio
import logging
from types import TracebackType

from sourcebook.core.ports import Embedder
from sourcebook.core.vectors import Vector

log = logging.getLogger(__name__)


class QueryEmbeddingCache:
    """The vectors of questions, by the model they are of. For the length of one request."""

    def __init__(self) -> None:
        self._calls: dict[tuple[str, str], asyncio.Task[Vector]] = {}

    async def __aenter__(self) -> "QueryEmbeddingCache":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for call in self._calls.values():
            call.cancel()
        await asyncio.gather(*self._calls.values(), return_exceptions=True)

    async def vector(self, embedder: Embedder, question: str) -> Vector:
        """The question's vector. A failure is everybody's who asks for the same model."""
        # An entry of the embeddings config is what spec 000 calls a connection.
        key = f"{embedder.id}:{embedder.name}"
        call = self._calls.get((key, question))
        if call is None:
            call = asyncio.create_task(embedder.embed_query(question))
            self._calls[key, question] = call
        else:
            log.info("Reusing cached embedding for %s", key)
        # Shielded: others may wait for the same call when this caller gives up.
        return await asyncio.shield(call)
