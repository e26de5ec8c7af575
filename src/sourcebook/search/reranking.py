"""Reranks hits with a cross-encoder, and goes on without it when it is slow or down."""

import asyncio
import logging
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sourcebook.core.documents import Hit
from sourcebook.core.errors import SourcebookError, Unavailable
from sourcebook.core.ports import Reranker

log = logging.getLogger(__name__)

RERANK_TIMEOUT_S = 2.0
COOLDOWN_S = 15.0
# The best of four times as many: what a reranker puts first often stands after the tenth place.
CANDIDATES_PER_HIT = 4
MAX_CANDIDATES = 100
MAX_TEXT_LENGTH = 4_000
MAX_QUESTION_LENGTH = 2_000


@dataclass(frozen=True, slots=True)
class Reranked:
    """The hits in their new order; in the old one if `note` says why they were left alone."""

    hits: tuple[Hit, ...]
    note: str | None = None


class HitReranker:
    """Reranks hits; keeps their order when the reranker fails or takes too long.

    After a failure it is skipped for a while (a circuit breaker), so that searches do not wait.
    """

    def __init__(
        self,
        reranker: Reranker,
        *,
        timeout_s: float = RERANK_TIMEOUT_S,
        cooldown_s: float = COOLDOWN_S,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._reranker = reranker
        self._timeout_s = timeout_s
        self._cooldown_s = cooldown_s
        self._now_s = now_s
        self._cooling_until_s = -math.inf

    def depth(self, limit: int) -> int:
        """How many candidates to fetch for so many hits; never fewer than those."""
        if self._is_cooling_down:
            return limit
        return max(limit, min(limit * CANDIDATES_PER_HIT, MAX_CANDIDATES))

    async def order(self, question: str, hits: Sequence[Hit]) -> Reranked:
        """The hits by falling score of the reranker; those beyond the first hundred stay last."""
        if not hits:
            return Reranked(())
        if self._is_cooling_down:
            return Reranked(tuple(hits), "not reranked: the reranker failed a moment ago")
        read, left = hits[:MAX_CANDIDATES], hits[MAX_CANDIDATES:]
        try:
            async with asyncio.timeout(self._timeout_s):
                scores = await self._scores(question, read)
        except TimeoutError:
            return self._without(hits, f"the reranker took longer than {self._timeout_s:g} s")
        except SourcebookError as error:
            return self._without(hits, "the reranker failed", error.message)
        except Exception:
            # Anybody can write a reranker, and a search does not need one.
            log.exception("reranker_crashed", extra={"reranker": self._reranker.name})
            return self._without(hits, "the reranker failed")
        scored = [
            replace(hit, rerank_score=self._combined(hit, score))
            for hit, score in zip(read, scores, strict=True)
        ]
        return Reranked((*by_rerank_score(scored), *left))

    def _combined(self, hit: Hit, score: float) -> float:
        weight = blend_weight(self._reranker)
        return score if weight is None else hit.score + weight * score

    def _without(self, hits: Sequence[Hit], reason: str, cause: str | None = None) -> Reranked:
        """Keep the order, and say why. Readers are not told the cause, which may name a server."""
        self._cooling_until_s = self._now_s() + self._cooldown_s
        note = f"not reranked: {reason}"
        log.warning("reranking_skipped", extra={"note": note, "cause": cause})
        return Reranked(tuple(hits), note)

    @property
    def _is_cooling_down(self) -> bool:
        return self._now_s() < self._cooling_until_s

    async def _scores(self, question: str, hits: Sequence[Hit]) -> list[float]:
        texts = [hit.chunk.text[:MAX_TEXT_LENGTH] for hit in hits]
        scores = await self._reranker.score(question[:MAX_QUESTION_LENGTH], texts)
        if len(scores) != len(texts) or not all(map(math.isfinite, scores)):
            raise Unavailable(
                f"The reranker {self._reranker.name!r} gave {len(scores)} scores for"
                f" {len(texts)} texts, or some that are not finite"
            )
        return scores


def blend_weight(reranker: Reranker) -> float | None:
    """How much a reranker's score counts beside the hit's own; None if it decides alone.

    A small reranker is better beside the search than in its place, and says so by `blend_weight`.
    """
    weight = getattr(reranker, "blend_weight", None)
    return float(weight) if isinstance(weight, int | float) else None


def all_reranked(hits: Sequence[Hit]) -> bool:
    """Return whether every hit has a rerank score, so that they can be compared."""
    return all(hit.rerank_score is not None for hit in hits)


def by_rerank_score(hits: Sequence[Hit]) -> list[Hit]:
    """Hits that were all reranked, best first; ties keep their order."""
    return sorted(hits, key=lambda hit: -(hit.rerank_score or 0.0))


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate's id, its score, and the place (from 1) that it had before."""

    id: str
    score: float
    original_rank: int


async def rank(
    reranker: Reranker, query: str, candidates: Sequence[tuple[str, str]], top_k: int | None
) -> list[Ranked]:
    """The candidates (id and text) by falling score; ties keep their order."""
    if not candidates:
        return []
    scores = await reranker.score(query, [text for _, text in candidates])
    ranked = [
        Ranked(id_, score, place)
        for place, ((id_, _), score) in enumerate(zip(candidates, scores, strict=True), start=1)
    ]
    return sorted(ranked, key=lambda item: -item.score)[:top_k]
