"""Fakes: small working stand-ins for models, so that tests say what the words mean."""

import hashlib
import math
import re
from collections.abc import Sequence

from sourcebook.core.documents import TokenSpans
from sourcebook.core.errors import EmbeddingFailed
from sourcebook.core.health import ServiceHealth
from sourcebook.core.vectors import Embedding, Vector


class FakeEmbedder:
    """Texts that share words are similar. Counts its calls, and fails when told to."""

    def __init__(
        self,
        id: str = "fake",
        *,
        dimensions: int = 64,
        revision: str = "rev-1",
        max_tokens: int = 256,
    ) -> None:
        self.id = id
        self.name = f"fakes/{id}"
        self.dimensions = dimensions
        self.max_tokens = max_tokens
        self.revision = revision
        self.batches: list[list[str]] = []
        self.queries: list[str] = []
        self.failing = False
        self.health = ServiceHealth("up")
        self.override: Embedding | None = None

    async def embed_documents(self, texts: Sequence[str]) -> list[Embedding]:
        """One vector for each stretch of `max_tokens` words."""
        self.batches.append(list(texts))
        if self.failing:
            raise EmbeddingFailed("The fake embedder was told to fail")
        if self.override is not None:
            return [self.override for _ in texts]
        return [self._embedding(text) for text in texts]

    async def embed_query(self, text: str) -> Vector:
        """The vector of the words of the question."""
        self.queries.append(text)
        if self.failing:
            raise EmbeddingFailed("The fake embedder was told to fail")
        return self._vector(_words(text))

    async def tokenize(self, texts: Sequence[str]) -> list[TokenSpans]:
        """A token is a word or a sign."""
        return [[match.span() for match in re.finditer(r"\w+|[^\w\s]", text)] for text in texts]

    async def check(self) -> ServiceHealth:
        """What the test says."""
        return self.health

    def _embedding(self, text: str) -> Embedding:
        words = _words(text) or ["?"]
        steps = range(0, len(words), self.max_tokens)
        return tuple(self._vector(words[start : start + self.max_tokens]) for start in steps)

    def _vector(self, words: Sequence[str]) -> Vector:
        vector = [0.001] * self.dimensions
        for word in words:
            seed = hashlib.sha256(f"{self.revision}:{word}".encode()).digest()
            vector[int.from_bytes(seed[:4], "big") % self.dimensions] += 1.0
        norm = math.hypot(*vector)
        return [value / norm for value in vector]


class FakeReranker:
    """Scores a text by how many words it shares with the question."""

    name = "fakes/reranker"

    async def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """The number of shared words, as a logit might be."""
        wanted = set(_words(query))
        return [float(len(wanted & set(_words(text)))) - 2.5 for text in texts]

    async def check(self) -> ServiceHealth:
        """Always up."""
        return ServiceHealth("up")


class FakeClock:
    """Time that moves only when told to."""

    def __init__(self, now_s: float = 1_000_000.0) -> None:
        self.now_s = now_s

    def __call__(self) -> float:
        """The time now."""
        return self.now_s


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())
