"""Wraps models and stores so that their health also tells how their latest real calls ended."""

from collections.abc import AsyncGenerator, Mapping, Sequence, Set
from contextlib import aclosing

from sourcebook.core.call_outcomes import CallOutcomes
from sourcebook.core.claims import ClaimPair
from sourcebook.core.documents import TokenSpans
from sourcebook.core.errors import (
    AgentUnavailable,
    EmbeddingFailed,
    RetrievalUnavailable,
    Unavailable,
)
from sourcebook.core.filters import Filter
from sourcebook.core.health import ServiceHealth
from sourcebook.core.ports import Embedder, Judge, LanguageModel, Reranker, VectorStore
from sourcebook.core.prompts import Prompt, SearchTool
from sourcebook.core.vectors import Embedding, IndexQuery, ScoredPoint, TermMatches, Vector
from sourcebook.providers.embedders.model_description import DescribedModel
from sourcebook.search.reranking import blend_weight


class WatchedEmbedder(DescribedModel):
    """Wraps an embedder."""

    def __init__(self, inner: Embedder) -> None:
        super().__init__(inner)
        self.inner = inner
        self._outcomes = CallOutcomes(EmbeddingFailed)

    async def embed_documents(self, texts: Sequence[str]) -> list[Embedding]:
        with self._outcomes.noting():
            return await self.inner.embed_documents(texts)

    async def embed_query(self, text: str) -> Vector:
        with self._outcomes.noting():
            return await self.inner.embed_query(text)

    async def tokenize(self, texts: Sequence[str]) -> list[TokenSpans]:
        return await self.inner.tokenize(texts)

    async def check(self) -> ServiceHealth:
        return self._outcomes.applied_to(await self.inner.check())


class WatchedReranker:
    """Wraps a reranker."""

    def __init__(self, inner: Reranker) -> None:
        self.inner = inner
        self._outcomes = CallOutcomes(Unavailable)

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def blend_weight(self) -> float | None:
        return blend_weight(self.inner)

    async def score(self, query: str, texts: Sequence[str]) -> list[float]:
        with self._outcomes.noting():
            return await self.inner.score(query, texts)

    async def check(self) -> ServiceHealth:
        return self._outcomes.applied_to(await self.inner.check())


class WatchedJudge:
    """Wraps a judge, with the threshold that is in force."""

    def __init__(self, inner: Judge, threshold: float) -> None:
        self.threshold = threshold
        self._inner = inner
        self._outcomes = CallOutcomes(Unavailable, trusted=True)

    @property
    def name(self) -> str:
        return self._inner.name

    async def judge(self, pairs: Sequence[ClaimPair]) -> list[float]:
        with self._outcomes.noting():
            return await self._inner.judge(pairs)

    async def check(self) -> ServiceHealth:
        return self._outcomes.applied_to(await self._inner.check())


class WatchedLanguageModel:
    """Wraps a language model. What its searches raise is not its failure."""

    def __init__(self, inner: LanguageModel) -> None:
        self._inner = inner
        self._outcomes = CallOutcomes(AgentUnavailable, trusted=True)

    @property
    def name(self) -> str:
        return self._inner.name

    async def reply(
        self, prompt: Prompt, search: SearchTool | None = None, *, timeout_s: float = 25.0
    ) -> AsyncGenerator[str]:
        with self._outcomes.noting():
            async with aclosing(self._inner.reply(prompt, search, timeout_s=timeout_s)) as pieces:
                async for piece in pieces:
                    yield piece

    async def check(self) -> ServiceHealth:
        return self._outcomes.applied_to(await self._inner.check())


class WatchedIndex:
    """Wraps the searches of a vector store; whoever writes to the store uses it directly."""

    def __init__(self, store: VectorStore) -> None:
        self._store = store
        self.finds_terms = store.finds_terms
        self.counts_terms = store.counts_terms
        self._outcomes = CallOutcomes(RetrievalUnavailable, public=True)

    async def search(self, index_id: str, query: IndexQuery) -> list[ScoredPoint]:
        with self._outcomes.noting():
            return await self._store.search(index_id, query)

    async def match(self, index_id: str, query: IndexQuery) -> TermMatches:
        with self._outcomes.noting():
            return await self._store.match(index_id, query)

    async def count_terms(
        self, index_id: str, wanted: Set[int], filter_: Filter, revision: int
    ) -> Mapping[int, int]:
        with self._outcomes.noting():
            return await self._store.count_terms(index_id, wanted, filter_, revision)

    async def check(self) -> ServiceHealth:
        return self._outcomes.applied_to(await self._store.check())
