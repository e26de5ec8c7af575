"""The result of an evaluation: metrics with intervals, a comparison, and the worst misses."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from sourcebook.core.errors import InvalidInput
from sourcebook.evaluation.answers import AnswerScores, Share, Verdict, judge, score_answers
from sourcebook.evaluation.confidence import Estimate, estimate, p_value, percentile
from sourcebook.evaluation.metrics import METRICS, Values, measure
from sourcebook.evaluation.runs import Outcome

MAX_MISSES = 25
ANSWER_METRICS = {
    "refusal_precision": "Refusal precision",
    "refusal_recall": "Refusal recall",
    "gold_cited": "Known answer cited",
    "right": "Answered rightly",
    "on_place": "Cited characters on lines that answer",
}
# An answer that is wrong does more harm than one that is missing.
WRONG_VERDICTS = (Verdict.WRONGLY_ANSWERED, Verdict.NOT_CITED, Verdict.WRONGLY_REFUSED)


@dataclass(frozen=True, slots=True)
class Group:
    """The metrics of some questions: all of them, the first of conversations, or follow-ups."""

    name: str
    count: int
    metrics: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class Side:
    """One configuration. `values` are the metrics of each measured outcome, in their order."""

    label: str
    outcomes: tuple[Outcome, ...]
    values: tuple[Values, ...]
    groups: tuple[Group, ...]
    p50_ms: float
    p95_ms: float
    answers: AnswerScores | None

    @property
    def measured(self) -> list[Outcome]:
        """The outcomes that have metrics: the set names a document to find."""
        return [one for one in self.outcomes if one.question.is_searchable]


@dataclass(frozen=True, slots=True)
class Difference:
    """What the first side gains over the other in a metric, and how likely that is by chance."""

    gain: Estimate
    p_value: float


@dataclass(frozen=True, slots=True)
class Report:
    """What was measured on one question set. `against` is the other configuration, if any."""

    name: str
    side: Side
    against: Side | None = None
    differences: Mapping[str, Difference] | None = None

    def values(self) -> dict[str, float | None]:
        """The values that --fail-under can name; None for what was not measured."""
        everything = self.side.groups[0].metrics if self.side.groups else {}
        found: dict[str, float | None] = dict.fromkeys((*METRICS, *ANSWER_METRICS))
        found |= {name: one.value for name, one in everything.items()}
        return found | {name: share.value for name, share in answer_shares(self.side).items()}


def summarise(label: str, outcomes: Sequence[Outcome]) -> Side:
    """Return one side of a report."""
    measured = [one for one in outcomes if one.question.is_searchable]
    values = measure([one.question for one in measured], [one.ranking for one in measured])
    times_ms = [one.search_ms for one in outcomes]
    return Side(
        label=label,
        outcomes=tuple(outcomes),
        values=tuple(values),
        groups=tuple(_groups(measured, values)),
        p50_ms=percentile(times_ms, 0.5),
        p95_ms=percentile(times_ms, 0.95),
        answers=score_answers(outcomes),
    )


def tuned_on(side: Side) -> str | None:
    """Return what a reader must know of questions that rules or settings were chosen with."""
    count = sum(one.question.tuned_on for one in side.outcomes)
    if not count:
        return None
    return (
        f"{count} of {len(side.outcomes)} questions were used to choose rules or settings: expect"
        " less from questions of your own"
    )


def compare(side: Side, against: Side) -> dict[str, Difference]:
    """Return the differences, question by question, with intervals and p-values."""
    if not side.values:
        return {}
    conversations = [one.question.conversation for one in side.measured]
    found = {}
    for name in METRICS:
        pairs = zip(side.values, against.values, strict=True)
        gained = [one[name] - other[name] for one, other in pairs]
        found[name] = Difference(estimate(gained, conversations), p_value(gained, conversations))
    return found


def worst_misses(side: Side, limit: int = MAX_MISSES) -> list[tuple[Outcome, Values]]:
    """Return the questions that were answered worst, the worst first; none that is perfect."""
    pairs = zip(side.measured, side.values, strict=True)
    missed = [(outcome, values) for outcome, values in pairs if values["ndcg"] < 1]
    return sorted(missed, key=lambda pair: (pair[1]["ndcg"], pair[1]["r10"]))[:limit]


def wrong_answers(side: Side, limit: int = MAX_MISSES) -> list[Outcome]:
    """Return the answers and refusals that are not right, the most harmful first."""
    by_harm = [
        [one for one in side.outcomes if judge(one) is verdict] for verdict in WRONG_VERDICTS
    ]
    return [one for group in by_harm for one in group][:limit]


def answer_shares(side: Side) -> dict[str, Share]:
    """Return the shares of the answers under the names of their metrics."""
    if side.answers is None:
        return {}
    return {name: getattr(side.answers, name) for name in ANSWER_METRICS}


def parse_threshold(text: str) -> tuple[str, float]:
    """Parse `ndcg=0.8`; InvalidInput if it is anything else."""
    name, _, bound = text.partition("=")
    try:
        if name not in METRICS and name not in ANSWER_METRICS:
            raise ValueError
        return name, float(bound)
    except ValueError:
        known = ", ".join((*METRICS, *ANSWER_METRICS))
        raise InvalidInput(
            f"--fail-under {text!r} cannot be used: write METRIC=NUMBER, such as ndcg=0.8, with"
            f" one of {known}"
        ) from None


def report_json(report: Report) -> dict[str, object]:
    """Return the report as JSON: all figures, and what was found for every question."""
    sides = [side for side in (report.side, report.against) if side is not None]
    differences = report.differences or {}
    return {
        "set": report.name,
        "tuned_on": sum(one.question.tuned_on for one in report.side.outcomes),
        "sides": [_side_json(side) for side in sides],
        "differences": {name: asdict(one) for name, one in differences.items()},
    }


def _groups(outcomes: Sequence[Outcome], values: Sequence[Values]) -> list[Group]:
    pairs = list(zip(outcomes, values, strict=True))
    parts = {
        "all": pairs,
        "first questions": [pair for pair in pairs if not pair[0].question.earlier],
        "follow-ups": [pair for pair in pairs if pair[0].question.earlier],
    }
    names = list(parts) if parts["follow-ups"] else ["all"]
    return [_group(name, parts[name]) for name in names if parts[name]]


def _group(name: str, pairs: Sequence[tuple[Outcome, Values]]) -> Group:
    conversations = [outcome.question.conversation for outcome, _ in pairs]
    metrics = {
        metric: estimate([values[metric] for _, values in pairs], conversations)
        for metric in METRICS
    }
    return Group(name, len(pairs), metrics)


def _side_json(side: Side) -> dict[str, object]:
    values = iter(side.values)
    shares = answer_shares(side)
    return {
        "label": side.label,
        "groups": [asdict(group) for group in side.groups],
        "search_p50_ms": side.p50_ms,
        "search_p95_ms": side.p95_ms,
        "answers": {name: asdict(one) | {"value": one.value} for name, one in shares.items()},
        "questions": [
            _outcome_json(one, next(values) if one.question.is_searchable else None)
            for one in side.outcomes
        ],
    }


def _outcome_json(outcome: Outcome, values: Values | None) -> dict[str, object]:
    answer = outcome.answer
    return {
        "id": outcome.question.id,
        "question": outcome.question.text,
        "relevant": outcome.question.relevant,
        "found": outcome.ranking,
        "rank": outcome.rank,
        "metrics": values,
        "search_ms": outcome.search_ms,
        "answered": None if answer is None else answer.answered,
        "answer": None if answer is None else answer.text,
        "verdict": judge(outcome),
    }
