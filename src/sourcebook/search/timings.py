"""Timings of the stages of a search."""

import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SearchTimings:
    """How long each stage of a search took; `rounds` is how often the index was asked.

    `reranking_ms` is None without a reranker.
    """

    embedding_ms: float = 0.0
    index_ms: float = 0.0
    ledger_ms: float = 0.0
    rounds: int = 0
    reranking_ms: float | None = None


def ms_since(started_s: float) -> float:
    """The milliseconds since a reading of the performance counter."""
    return (time.perf_counter() - started_s) * 1000
