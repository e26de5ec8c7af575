"""Asks an embedding service for vectors, and isolates the texts that it refuses."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, Protocol, TypeAlias, TypeVar

import numpy as np

from sourcebook.core.errors import EmbeddingFailed
from sourcebook.providers.embedders.remote.errors import (
    ErrorTranslator,
    is_about_texts,
    is_too_long,
)
from sourcebook.providers.embedders.remote.token_estimate import token_spans
from sourcebook.providers.inference.prompts import Prompts
from sourcebook.providers.inference.weights import FloatArray
from sourcebook.providers.inference.windows import average
from sourcebook.providers.outbound.json_server import CallFailed, StatusRefused, WrongSetting

T = TypeVar("T")
R = TypeVar("R")
Purpose: TypeAlias = Literal["query", "document"]
Result: TypeAlias = FloatArray | StatusRefused

# A text this short is not refused for its length, whatever the service says.
MIN_CUT_TOKENS = 16
# No service can object to it.
PROBE_TEXT = "The sun rises in the east."


class EmbeddingApi(Protocol):
    """The HTTP API of one service. Raises CallFailed."""

    async def vectors(
        self, texts: Sequence[str], purpose: Purpose, timeout_s: float
    ) -> list[FloatArray]:
        """Return a vector for each text, in order, with one request if the service can."""
        ...

    async def ping(self, timeout_s: float) -> None:
        """Check, at no cost, that the service is there and accepts the key."""
        ...


class EmbeddingClient:
    """Embeds one batch at a time, and remembers the failure of the last call."""

    def __init__(
        self, api: EmbeddingApi, errors: ErrorTranslator, prompts: Prompts, dimensions: int
    ) -> None:
        self.api = api
        self.errors = errors
        self.prompts = prompts
        self.last_failure: EmbeddingFailed | None = None
        self._dimensions = dimensions
        self._accepted_requests = 0

    async def embed(self, texts: Sequence[str], purpose: Purpose, timeout_s: float) -> list[Result]:
        """Return a vector or a refusal for each text; EmbeddingFailed if the service fails."""
        accepted_before = self._accepted_requests

        async def ask(some: Sequence[str]) -> list[FloatArray]:
            try:
                return await self._request(some, purpose, timeout_s)
            except StatusRefused as refusal:
                if is_too_long(refusal):
                    if len(some) == 1:
                        return [await self._embed_halves(some[0], refusal, purpose, timeout_s)]
                elif self._accepted_requests == accepted_before:
                    await self._check_that_others_are_accepted(refusal, purpose, timeout_s)
                raise

        return await _bisect(texts, ask)

    async def _request(
        self, texts: Sequence[str], purpose: Purpose, timeout_s: float
    ) -> list[FloatArray]:
        """Send one request. Raises StatusRefused only for what may be the texts' own fault."""
        prompt = self.prompts.query if purpose == "query" else self.prompts.document
        try:
            vectors = await self.api.vectors([prompt + text for text in texts], purpose, timeout_s)
            self._check(vectors, len(texts))
        except CallFailed as error:
            if isinstance(error, StatusRefused) and is_about_texts(error):
                raise
            self.last_failure = self.errors.translate(error)
            raise self.last_failure from None
        self.last_failure = None
        self._accepted_requests += 1
        return vectors

    def _check(self, vectors: Sequence[FloatArray], count: int) -> None:
        if len(vectors) != count:
            raise CallFailed(f"gave {len(vectors)} vectors for {count} texts")
        for vector in vectors:
            if len(vector) != self._dimensions:
                raise WrongSetting(
                    f"gave a vector of {len(vector)} dimensions, not {self._dimensions}: check"
                    " path and dimensions in its settings"
                )
            if not np.isfinite(vector).all():
                raise CallFailed("gave a vector that is not finite")

    async def _check_that_others_are_accepted(
        self, refusal: StatusRefused, purpose: Purpose, timeout_s: float
    ) -> None:
        """Raise EmbeddingFailed if even a harmless text is refused: then no text is to blame."""
        try:
            await self._request([PROBE_TEXT], purpose, timeout_s)
        except StatusRefused:
            self.last_failure = self.errors.translate(refusal)
            raise self.last_failure from None

    async def _embed_halves(
        self, text: str, refusal: StatusRefused, purpose: Purpose, timeout_s: float
    ) -> FloatArray:
        """Embed a text in two parts after the estimate of its tokens proved too low."""
        spans = token_spans(text)
        if len(spans) <= MIN_CUT_TOKENS:
            raise refusal
        middle = len(spans) // 2
        cut = spans[middle][0]
        results = await self.embed([text[:cut], text[cut:]], purpose, timeout_s)
        vectors = [vector for vector in results if not isinstance(vector, StatusRefused)]
        if len(vectors) < len(results):
            raise refusal
        return np.asarray(average(vectors, [middle, len(spans) - middle]), dtype=np.float32)


async def _bisect(
    items: Sequence[T], ask: Callable[[Sequence[T]], Awaitable[Sequence[R]]]
) -> list[R | StatusRefused]:
    """Ask for all items at once; halve a refused batch until the refused items are alone."""
    try:
        return list(await ask(items))
    except StatusRefused as refusal:
        if len(items) == 1:
            return [refusal]
    middle = len(items) // 2
    return [*await _bisect(items[:middle], ask), *await _bisect(items[middle:], ask)]
