"""The roles of models: embedder, reranker, reader, judge and language model."""

from collections.abc import (
    AsyncGenerator,
    Sequence,
)
from typing import Protocol

from sourcebook.core.claims import ClaimPair
from sourcebook.core.documents import (
    TokenSpans,
)
from sourcebook.core.health import Checkable
from sourcebook.core.prompts import Prompt, SearchTool
from sourcebook.core.readings import Calibration, ReadablePassage, Reading
from sourcebook.core.vectors import (
    Embedding,
    SparseVector,
    TermQuery,
    Vector,
)


class Embedder(Checkable, Protocol):
    """Turns texts into vectors. Nothing is cut silently: a long text gets several vectors."""

    @property
    def id(self) -> str:
        """The alias that collections name."""
        ...

    @property
    def name(self) -> str:
        """The model's hub id, bundled id, or the last part of its folder."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of every vector."""
        ...

    @property
    def max_tokens(self) -> int:
        """How many tokens the model reads at once."""
        ...

    @property
    def revision(self) -> str:
        """Changes whenever the same text would get another vector."""
        ...

    async def embed_documents(self, texts: Sequence[str]) -> list[Embedding]:
        """Embed a batch in one go, in order; raise EmbeddingFailed."""
        ...

    async def embed_query(self, text: str) -> Vector:
        """Embed one question; raise EmbeddingFailed or Overloaded."""
        ...

    async def tokenize(self, texts: Sequence[str]) -> list[TokenSpans]:
        """Where the tokens of each text stand; they only grow, and white space may have none."""
        ...


class TermEncoder(Protocol):
    """Turns texts into the weights of their terms, for search by words. It needs no model."""

    @property
    def revision(self) -> str:
        """Changes whenever the same text would get other terms or weights."""
        ...

    def document(self, text: str, fields: Sequence[str] = ()) -> SparseVector:
        """The weights of a text's terms; those of its fields, like the title, count less."""
        ...

    def query(self, text: str) -> TermQuery:
        """The terms of a question."""
        ...

    def of_words(self, words: Sequence[str]) -> list[int | None]:
        """The term of each of some words in lower case; None of a word that says nothing."""
        ...


class Reranker(Checkable, Protocol):
    """Reads a question and a text together and says how well they fit."""

    @property
    def name(self) -> str:
        """The model's hub id or the last part of its folder."""
        ...

    async def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score for each text, higher is better, in the model's own scale."""
        ...


class Reader(Checkable, Protocol):
    """Reads a question together with passages: whether they answer it, and where. English only."""

    @property
    def name(self) -> str:
        """`bundled`, or the last part of its folder."""
        ...

    @property
    def calibration(self) -> Calibration:
        """What makes a probability of its scores."""
        ...

    async def load(self) -> None:
        """Get ready before the first question; raise Unavailable."""
        ...

    async def read(self, question: str, passages: Sequence[ReadablePassage]) -> list[Reading]:
        """A reading of each passage, in order; raise Unavailable or Overloaded."""
        ...


class Judge(Checkable, Protocol):
    """Says how likely a premise bears a claim: everything that the claim says, and nothing else."""

    @property
    def name(self) -> str:
        """The model's name, hub id, or the last part of its folder."""
        ...

    @property
    def threshold(self) -> float:
        """From which probability on a claim counts as borne; above 1 if none ever does."""
        ...

    async def judge(self, pairs: Sequence[ClaimPair]) -> list[float]:
        """The probability of each pair, in order; raise Unavailable or Overloaded.

        Give it all sentences of an answer at once: some judges need a single call for them.
        """
        ...


class LanguageModel(Checkable, Protocol):
    """Writes text. Raises AgentUnavailable, also after text that was given out already.

    AgentTimeout if the time is up; ReplyCutOff, after the last piece, if the model was stopped by
    its limit of tokens or by a filter. If the prompt names a model of its own or has sampling
    options, NotFound if the server does not know the model, InvalidInput if it does not take the
    options.
    """

    @property
    def name(self) -> str:
        """The model's name, as answers carry it."""
        ...

    def reply(
        self, prompt: Prompt, search: SearchTool | None = None, *, timeout_s: float = 25.0
    ) -> AsyncGenerator[str]:
        """The reply in pieces, as they come. Closing the generator ends the upstream call.

        With `search` the model may search a few times; what `search` raises is raised as it is.
        """
        ...
