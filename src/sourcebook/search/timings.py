"""Timings of the stages of a search."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from sourcebook.core.meters import SearchStage


@dataclass(frozen=True, slots=True)
class SearchTimings:
    """How long each stage of a search took; `rounds` is how often the index was asked.

    `terms_ms` is the reading of the question's terms, and `context_ms` the search for what the
    previous question finds: None if only meaning counted, or if there is no such question.
    `reranking_ms` is None without a reranker.
    """

    embedding_ms: float = 0.0
    index_ms: float = 0.0
    ledger_ms: float = 0.0
    rounds: int = 0
    reranking_ms: float | None = None
    terms_ms: float | None = None
    context_ms: float | None = None

    def plus(self, index_ms: float, ledger_ms: float) -> "SearchTimings":
        """The timings with one more round."""
        return replace(
            self,
            index_ms=self.index_ms + index_ms,
            ledger_ms=self.ledger_ms + ledger_ms,
            rounds=self.rounds + 1,
        )

    @property
    def seconds(self) -> Mapping[SearchStage, float]:
        """The seconds of each stage that there was."""
        stages: dict[SearchStage, float] = {
            "embedding": self.embedding_ms / 1000,
            "index": (self.index_ms + (self.context_ms or 0.0)) / 1000,
            "ledger": self.ledger_ms / 1000,
        }
        if self.terms_ms is not None:
            stages["terms"] = self.terms_ms / 1000
        if self.reranking_ms is not None:
            stages["rerank"] = self.reranking_ms / 1000
        return stages


def ms_since(started_s: float) -> float:
    """The milliseconds since a reading of the performance counter."""
    return (time.perf_counter() - started_s) * 1000
