"""Puts texts in the order in which a reranker finds that they answer a question."""

from collections.abc import Sequence
from dataclasses import dataclass

from sourcebook.core.ports import Reranker


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
