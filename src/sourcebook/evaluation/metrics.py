"""Retrieval metrics of each question, by ir-measures."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from sourcebook.core.errors import ConfigurationError
from sourcebook.evaluation.questions import JudgedQuestion

if TYPE_CHECKING:
    from ir_measures import Measure

Values: TypeAlias = Mapping[str, float]

# What --fail-under and the JSON call a metric, and what people call it.
METRICS = {"ndcg": "nDCG@10", "r1": "R@1", "r5": "R@5", "r10": "R@10", "mrr": "MRR@10"}
DEPTH = 10


def require_extra() -> None:
    """Raise ConfigurationError if the packages of the extra `eval` are not installed."""
    try:
        import ir_measures  # noqa: F401, PLC0415
        import scipy  # noqa: F401, PLC0415
    except ImportError as error:
        raise ConfigurationError(
            f"Measuring needs the package {error.name!r}, which is not installed: pip install"
            " 'sourcebook[eval]'"
        ) from None


def measure(
    questions: Sequence[JudgedQuestion], rankings: Sequence[Sequence[str]]
) -> list[dict[str, float]]:
    """Return the metrics of each question, given the ids that were found for it, best first."""
    import ir_measures  # noqa: PLC0415

    # Short ids of our own: those of a set may be of any length and hold any character.
    labels: dict[str, str] = {}
    judged = [
        ir_measures.Qrel(str(place), labels.setdefault(id_, str(len(labels))), grade)
        for place, question in enumerate(questions)
        for id_, grade in question.relevant.items()
    ]
    found = [
        ir_measures.ScoredDoc(str(place), labels.setdefault(id_, str(len(labels))), -float(rank))
        for place, ranking in enumerate(rankings)
        for rank, id_ in enumerate(ranking)
    ]
    measures = _measures()
    values: list[dict[str, float]] = [dict.fromkeys(METRICS, 0.0) for _ in questions]
    for one in ir_measures.iter_calc(list(measures), judged, found):
        values[int(one.query_id)][measures[one.measure]] = float(one.value)
    return values


def _measures() -> "dict[Measure, str]":
    from ir_measures import RR, R, nDCG  # noqa: PLC0415

    return {nDCG @ DEPTH: "ndcg", R @ 1: "r1", R @ 5: "r5", R @ DEPTH: "r10", RR @ DEPTH: "mrr"}
