"""What is measured of answers, searches and jobs, and the port that takes the measurements."""

from collections.abc import Mapping
from typing import Literal, Protocol, TypeAlias

from sourcebook.core.answers import SentenceCounts
from sourcebook.core.jobs import JobKind, JobStatus

# Contract 004's chat, and contract 003's.
AnswerSurface: TypeAlias = Literal["chat", "api_chat"]
# `fallback`: the language model failed, and quotes stood in. `cancelled`: nobody waits any more.
AnswerOutcome: TypeAlias = Literal["answered", "refused", "fallback", "error", "cancelled"]
AnswerStage: TypeAlias = Literal["retrieval", "generation", "checks", "total"]
SearchStage: TypeAlias = Literal["embedding", "terms", "index", "ledger", "rerank"]


class Meter(Protocol):
    """Takes measurements. It gets numbers and words from fixed lists, never anybody's text."""

    def answer(
        self,
        surface: AnswerSurface,
        outcome: AnswerOutcome,
        seconds: Mapping[AnswerStage, float],
    ) -> None:
        """Count an answer that has ended, with the seconds that each of its stages took."""
        ...

    def sentences(self, counts: SentenceCounts) -> None:
        """Count what became of the sentences of one answer."""
        ...

    def search(self, seconds: Mapping[SearchStage, float]) -> None:
        """Count a search of one collection."""
        ...

    def job(self, kind: JobKind, status: JobStatus, seconds: float) -> None:
        """Count a job that this process has ended."""
        ...


class NoMeter:
    """Measures nothing: for commands and the library, which nobody scrapes."""

    def answer(
        self,
        surface: AnswerSurface,
        outcome: AnswerOutcome,
        seconds: Mapping[AnswerStage, float],
    ) -> None:
        """Ignore it."""

    def sentences(self, counts: SentenceCounts) -> None:
        """Ignore it."""

    def search(self, seconds: Mapping[SearchStage, float]) -> None:
        """Ignore it."""

    def job(self, kind: JobKind, status: JobStatus, seconds: float) -> None:
        """Ignore it."""
