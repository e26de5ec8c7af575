"""Shows how a search went: the times of its stages, and what each of them said of a result."""

from typing import TYPE_CHECKING

from rich.text import Text

from sourcebook.cli.terminal import counted

if TYPE_CHECKING:
    from sourcebook.surfaces.book.schemas import ExplainOut, StageScoreOut


def stages_line(said: "StageScoreOut") -> Text:
    """Return the rank and the score of a result in each stage that found it."""
    parts = [_place("meaning", said.dense_rank, said.cosine)]
    if said.bm25 is not None:
        parts.append(_place("words", said.keyword_rank, said.bm25))
        parts.append(_place("score", said.rank, said.score))
    if said.rerank_score is not None:
        parts.append(_place("reranked", said.rerank_rank, said.rerank_score))
    return Text("   ".join(parts), style="dim")


def times_line(explain: "ExplainOut") -> Text:
    """Return what the search went by, and how long each stage took."""
    stages = {
        "embedding": explain.embedding_ms,
        "terms": explain.terms_ms,
        "index": explain.index_ms,
        "ledger": explain.ledger_ms,
        "reranking": explain.reranking_ms,
    }
    took = [f"{stage} {ms:.1f} ms" for stage, ms in stages.items() if ms is not None]
    parts = [f"{explain.mode} search", *took, counted(explain.rounds, "round")]
    return Text(", ".join(parts) + (f" ({explain.note})" if explain.note else ""), style="dim")


def _place(stage: str, rank: int | None, score: float) -> str:
    return f"{stage}: none" if rank is None else f"{stage}: #{rank} ({score:.3f})"
