"""Fakes: small working stand-ins for models, so that tests say what the words mean."""

import hashlib
import math
import re
from collections.abc import AsyncGenerator, Mapping, Sequence, Set
from dataclasses import dataclass

from sourcebook.core.claims import ClaimPair
from sourcebook.core.conversations import Exchange
from sourcebook.core.documents import TokenSpans
from sourcebook.core.errors import EmbeddingFailed, HistoryUnavailable, PoisonText
from sourcebook.core.filters import Filter
from sourcebook.core.health import ServiceHealth
from sourcebook.core.prompts import Prompt, SearchTool
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
        self.poison: str | None = None
        self.health = ServiceHealth("up")
        self.override: Embedding | None = None

    async def embed_documents(self, texts: Sequence[str]) -> list[Embedding]:
        """One vector for each stretch of `max_tokens` words."""
        self.batches.append(list(texts))
        if self.failing:
            raise EmbeddingFailed("The fake embedder was told to fail")
        if refused := [n for n, text in enumerate(texts) if self.poison and self.poison in text]:
            raise PoisonText(f"The fake embedder refuses texts {refused}", refused)
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


class FakeJudge:
    """Takes the share of a claim's words that its premise has for the probability."""

    name = "fakes/judge"

    def __init__(self, threshold: float = 0.9) -> None:
        self.threshold = threshold

    async def judge(self, pairs: Sequence[ClaimPair]) -> list[float]:
        """The share of the words of each claim; 0 for a claim without any."""
        return [self._share(_words(pair.claim), set(_words(pair.premise))) for pair in pairs]

    async def check(self) -> ServiceHealth:
        """Always up."""
        return ServiceHealth("up")

    def _share(self, words: list[str], known: set[str]) -> float:
        return sum(word in known for word in words) / len(words) if words else 0.0


class FakeClock:
    """Time that moves only when told to."""

    def __init__(self, now_s: float = 1_000_000.0) -> None:
        self.now_s = now_s

    def __call__(self) -> float:
        """The time now."""
        return self.now_s


class MemoryConversations:
    """Conversations in memory. `away` while its database cannot be reached."""

    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []
        self.away = False
        self.read = 0

    async def add(self, exchange: Exchange) -> None:
        """Keep it."""
        self._check_here()
        self.exchanges.append(exchange)

    async def latest(self, session_id: str, limit: int) -> list[Exchange]:
        """The newest ones of a session, oldest first."""
        self.read += 1
        self._check_here()
        own = [one for one in self.exchanges if one.session_id == session_id]
        return own[-limit:] if limit > 0 else []

    async def forget(self, session_id: str) -> int:
        """Drop a session."""
        self._check_here()
        left = [one for one in self.exchanges if one.session_id != session_id]
        gone = len(self.exchanges) - len(left)
        self.exchanges = left
        return gone

    async def purge(self) -> int:
        """Nothing gets old here."""
        return 0

    async def check(self) -> ServiceHealth:
        """Whether it is away."""
        return ServiceHealth("down" if self.away else "up")

    def _check_here(self) -> None:
        if self.away:
            raise HistoryUnavailable("The fake database is away")


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


class FakeLanguageModel:
    """A language model that says what it is told to, and remembers what it was asked.

    A reply is what it says; an exception in it is raised there; a `Searched` in it calls the tool.
    """

    name = "fake-model"

    def __init__(self, *replies: "Sequence[str | Exception | Searched]") -> None:
        self._replies = list(replies)
        self.prompts: list[Prompt] = []
        self.found: list[str] = []
        self.open = 0

    async def check(self) -> ServiceHealth:
        return ServiceHealth("up")

    async def reply(
        self, prompt: Prompt, search: SearchTool | None = None, *, timeout_s: float = 25.0
    ) -> AsyncGenerator[str]:
        self.prompts.append(prompt)
        self.open += 1
        try:
            for piece in self._replies.pop(0):
                match piece:
                    case Exception():
                        raise piece
                    case Searched():
                        assert search is not None
                        self.found.append(await search(piece.query, piece.top_k, piece.filters))
                    case str():
                        yield piece
        finally:
            self.open -= 1


@dataclass(frozen=True)
class Searched:
    """A call of the search tool."""

    query: str
    top_k: int | None = None
    filters: Mapping[str, object] | None = None


class EchoingModel(FakeLanguageModel):
    """A language model that never runs out of words: it says the last message again."""

    async def reply(
        self, prompt: Prompt, search: SearchTool | None = None, *, timeout_s: float = 25.0
    ) -> AsyncGenerator[str]:
        self.prompts.append(prompt)
        yield prompt.messages[-1].content


class CountsNoTerms:
    """Has the part of a store that only a few have."""

    counts_terms = False

    async def count_terms(
        self, index_id: str, wanted: Set[int], filter_: Filter, revision: int
    ) -> Mapping[int, int]:
        raise NotImplementedError
