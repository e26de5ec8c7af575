"""Maps how a search went for every contract: the times of its stages, ranks and scores in them."""

from collections.abc import Mapping

from pydantic import Field

from sourcebook.core.search_modes import SearchMode
from sourcebook.search.explanation import Explanation, HitStages
from sourcebook.search.timings import SearchTimings
from sourcebook.surfaces.schema_types import WireModel

EXPLAIN = "Also tell how each stage of the search went"
MODE = (
    "What to search by: `dense` by meaning, `keyword` by words, `hybrid` by both. Left out, the"
    " service's default"
)

USED_MODE = "What the search went by: `dense` where words are not indexed"


class StagesOut(WireModel):
    """The times of the stages, and how often the index was asked.

    `terms_ms` is there if words counted, `context_ms` if the question before did, `reranking_ms` if
    there is a reranker; `note` says why the results were not reranked, if they should have been.
    """

    mode: SearchMode | None = Field(description="Null if nothing is indexed yet")
    embedding_ms: float
    terms_ms: float | None = None
    context_ms: float | None = None
    index_ms: float
    ledger_ms: float
    reranking_ms: float | None = None
    rounds: int
    note: str | None = None


class HitStagesOut(WireModel):
    """What each stage said of a result. Ranks count from 1, among the candidates.

    `dense_rank` and `cosine` (-1 to 1) are by meaning; `keyword_rank` and `bm25` by words, and
    null or absent if it has none of them; `rank` and `score` (0 to 1) join both. `rerank_rank` and
    `rerank_score` are there if a reranker read it.
    """

    dense_rank: int | None
    cosine: float
    keyword_rank: int | None = None
    bm25: float | None = None
    rank: int
    score: float
    rerank_rank: int | None = None
    rerank_score: float | None = None


def stage_fields(explanation: Explanation) -> dict[str, object]:
    """Return the fields of `StagesOut`; what does not apply is absent, not null."""
    times = explanation.times
    return {
        "mode": explanation.mode,
        **_rounded(times),
        "rounds": times.rounds,
        **({} if explanation.note is None else {"note": explanation.note}),
    }


def hit_fields(stages: HitStages) -> dict[str, object]:
    """Return the fields of `HitStagesOut`; what does not apply is absent, not null."""
    hit = stages.hit
    fields: dict[str, object] = {"dense_rank": stages.dense_rank, "cosine": hit.cosine}
    if hit.terms is not None:
        fields |= {"keyword_rank": stages.keyword_rank, "bm25": hit.terms.bm25}
    fields |= {"rank": stages.rank, "score": hit.score}
    if stages.rerank_rank is not None:
        fields |= {"rerank_rank": stages.rerank_rank, "rerank_score": hit.rerank_score}
    return fields


def _rounded(times: SearchTimings) -> Mapping[str, float]:
    taken = {
        "embedding_ms": times.embedding_ms,
        "terms_ms": times.terms_ms,
        "context_ms": times.context_ms,
        "index_ms": times.index_ms,
        "ledger_ms": times.ledger_ms,
        "reranking_ms": times.reranking_ms,
    }
    return {stage: round(took_ms, 3) for stage, took_ms in taken.items() if took_ms is not None}
