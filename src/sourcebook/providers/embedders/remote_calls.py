"""One batch of texts, embedded by a service: checked, and told apart from what it refuses."""

from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias

import numpy as np

from sourcebook.core.errors import EmbeddingFailed
from sourcebook.providers.embedders.approximate_tokens import token_spans
from sourcebook.providers.embedders.bisecting import bisected
from sourcebook.providers.embedders.wire_errors import Service, is_about_texts, is_too_long
from sourcebook.providers.inference.prompts import Prompts
from sourcebook.providers.inference.weights import FloatArray
from sourcebook.providers.inference.windows import average
from sourcebook.providers.outbound.json_server import CallFailed, Refused, WrongSetting

Purpose: TypeAlias = Literal["query", "document"]
Result: TypeAlias = FloatArray | Refused

# A text this short is not refused for its length, whatever the service says.
SHORTEST_CUT_TOKENS = 16
HARMLESS = "The sun rises in the east."


class Wire(Protocol):
    """How one service is asked. Raises CallFailed."""

    async def vectors(
        self, texts: Sequence[str], purpose: Purpose, within_s: float
    ) -> list[FloatArray]:
        """A vector for each text, in order, with one request if the service can."""
        ...

    async def look(self, within_s: float) -> None:
        """See whether the service is there and takes the key, at no cost."""
        ...


class RemoteCalls:
    """Asks a service for vectors, and remembers how the last call went."""

    def __init__(self, service: Service, wire: Wire, prompts: Prompts, dimensions: int) -> None:
        self.wire = wire
        self.service = service
        self.prompts = prompts
        self.last_failure: EmbeddingFailed | None = None
        self._dimensions = dimensions
        # How many requests the service has taken.
        self._taken = 0

    async def embed(self, texts: Sequence[str], purpose: Purpose, within_s: float) -> list[Result]:
        """A vector for each text, or why it was refused; EmbeddingFailed if the service fails."""
        taken_before = self._taken

        async def ask(some: Sequence[str]) -> list[FloatArray]:
            try:
                return await self._ask(some, purpose, within_s)
            except Refused as refusal:
                if is_too_long(refusal):
                    if len(some) == 1:
                        return [await self._from_halves(some[0], refusal, purpose, within_s)]
                elif self._taken == taken_before:
                    await self._check_that_others_are_taken(refusal, purpose, within_s)
                raise

        return await bisected(texts, ask)

    async def _ask(
        self, texts: Sequence[str], purpose: Purpose, within_s: float
    ) -> list[FloatArray]:
        """One request. Only what may be the texts' own fault is raised as Refused."""
        prompt = self.prompts.query if purpose == "query" else self.prompts.document
        try:
            vectors = await self.wire.vectors([prompt + text for text in texts], purpose, within_s)
            self._check(vectors, len(texts))
        except CallFailed as error:
            if isinstance(error, Refused) and is_about_texts(error):
                raise
            self.last_failure = self.service.failure(error)
            raise self.last_failure from None
        self.last_failure = None
        self._taken += 1
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

    async def _check_that_others_are_taken(
        self, refusal: Refused, purpose: Purpose, within_s: float
    ) -> None:
        """If even a harmless text is refused, it is not the texts: then none is to blame."""
        try:
            await self._ask([HARMLESS], purpose, within_s)
        except Refused:
            self.last_failure = self.service.failure(refusal)
            raise self.last_failure from None

    async def _from_halves(
        self, text: str, refusal: Refused, purpose: Purpose, within_s: float
    ) -> FloatArray:
        """Our estimate was wrong: read the text in two parts, and take the vector of both."""
        spans = token_spans(text)
        if len(spans) <= SHORTEST_CUT_TOKENS:
            raise refusal
        middle = len(spans) // 2
        cut = spans[middle][0]
        found = await self.embed([text[:cut], text[cut:]], purpose, within_s)
        vectors = [vector for vector in found if not isinstance(vector, Refused)]
        if len(vectors) < len(found):
            raise refusal
        return np.asarray(average(vectors, [middle, len(spans) - middle]), dtype=np.float32)
