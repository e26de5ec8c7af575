"""The report as one HTML page that needs nothing from the network."""

from collections.abc import Iterable, Sequence
from html import escape

from sourcebook.core.text import shorten
from sourcebook.evaluation.answers import judge
from sourcebook.evaluation.metrics import METRICS
from sourcebook.evaluation.plots import interval_bars, rank_bars, time_curves
from sourcebook.evaluation.questions import AnswerPlace, JudgedQuestion
from sourcebook.evaluation.report import (
    ANSWER_METRICS,
    Report,
    Side,
    answer_shares,
    tuned_on,
    worst_misses,
    wrong_answers,
)
from sourcebook.evaluation.runs import Outcome

SHOWN_HITS = 3
SHOWN_CHARACTERS = 300
SHOWN_ANSWER_CHARACTERS = 900
_STYLE = """
:root { color-scheme: light dark; --one: #2563a8; --two: #b45309; --line: #8885; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; }
th, td { border-bottom: 1px solid var(--line); }
.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
figure { display: inline-block; width: 36rem; max-width: 100%; margin: 0 1rem 1rem 0; }
svg text { font-size: 12px; fill: currentColor; }
rect.side0 { fill: var(--one); } rect.side1 { fill: var(--two); }
.key0 { color: var(--one); } .key1 { color: var(--two); }
polyline { fill: none; stroke-width: 2; }
polyline.side0 { stroke: var(--one); } polyline.side1 { stroke: var(--two); }
line.interval { stroke: currentColor; stroke-width: 2; } line.axis { stroke: var(--line); }
.found { margin: 0 0 .6rem; } .answer { white-space: pre-wrap; }
td { min-width: 8rem; } td:has(> .number) { min-width: 0; }
.right { font-weight: bold; } .place, small { opacity: .75; }
p { margin: .2rem 0; overflow-wrap: anywhere; }
"""
# The texts of the documents are other people's: nothing of them may be loaded or run.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def html_report(report: Report) -> str:
    """Return the page."""
    sides = [side for side in (report.side, report.against) if side is not None]
    title = escape(f"Evaluation: {report.name}")
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}</title><style>{_STYLE}</style></head><body><h1>{title}</h1>",
            _legend(sides),
            *_metric_tables(sides),
            _difference_table(report),
            _answer_table(sides),
            _plots(sides),
            _misses(sides),
            _wrong_answers(sides),
            "</body></html>",
        ]
    )


def _legend(sides: Sequence[Side]) -> str:
    lines = [
        f'<p><b class="key{place}">&#9632;</b> {escape(side.label)}: {len(side.outcomes)}'
        f" questions, search p50 {side.p50_ms:.1f} ms, p95 {side.p95_ms:.1f} ms</p>"
        for place, side in enumerate(sides)
    ]
    return "".join((*lines, _paragraphs(filter(None, [tuned_on(sides[0])]))))


def _metric_tables(sides: Sequence[Side]) -> list[str]:
    rows = [
        [
            side.label,
            f"{group.name} ({group.count})",
            *(
                f"{one.value:.3f} ({one.low:.3f} to {one.high:.3f})"
                for one in group.metrics.values()
            ),
        ]
        for side in sides
        for group in side.groups
    ]
    if not rows:
        return []
    return ["<h2>Search</h2>", _table(["", "questions", *METRICS.values()], rows)]


def _difference_table(report: Report) -> str:
    if not report.differences or report.against is None:
        return ""
    rows = [
        [
            METRICS[name],
            f"{one.gain.value:+.3f} ({one.gain.low:+.3f} to {one.gain.high:+.3f})",
            f"{one.p_value:.4f}",
        ]
        for name, one in report.differences.items()
    ]
    heading = f"<h2>{escape(report.side.label)} less {escape(report.against.label)}</h2>"
    return heading + _table(["metric", "difference, 95 % interval", "p"], rows)


def _answer_table(sides: Sequence[Side]) -> str:
    rows = []
    for side in sides:
        for name, share in answer_shares(side).items():
            value = "" if share.value is None else f"{share.value:.3f}"
            rows.append(
                [side.label, ANSWER_METRICS[name], f"{share.count} of {share.total}", value]
            )
    return "<h2>Answers</h2>" + _table(["", "", "questions", "share"], rows) if rows else ""


def _plots(sides: Sequence[Side]) -> str:
    drawn = []
    if all(side.groups for side in sides):
        drawn += [interval_bars([side.groups[0].metrics for side in sides], METRICS)]
        drawn += [rank_bars([[one.rank for one in side.measured] for side in sides])]
    drawn += [time_curves([[one.search_ms for one in side.outcomes] for side in sides])]
    titles = ["Metrics, with 95 % intervals", "Rank of the first relevant document"]
    titles = [*titles[: len(drawn) - 1], "Share of searches done within a time"]
    figures = [
        f"<figure><figcaption>{title}</figcaption>{plot}</figure>"
        for title, plot in zip(titles, drawn, strict=True)
    ]
    return "".join(figures)


def _misses(sides: Sequence[Side]) -> str:
    missed = worst_misses(sides[0])
    if not missed:
        return ""
    others = _by_question(sides[1:])
    rows = []
    for outcome, values in missed:
        question = outcome.question
        wanted = [id_ for id_, grade in question.relevant.items() if grade > 0]
        found = [_found(outcome), *(_found(other[question.id]) for other in others)]
        rows.append([f"{values['ndcg']:.2f}", _asked(question), _paragraphs(wanted), *found])
    labels = [f"found: {side.label}" for side in sides]
    heads = ["nDCG@10", "question", "wanted", *labels]
    return "<h2>Worst misses</h2>" + _table_of_html(heads, rows)


def _wrong_answers(sides: Sequence[Side]) -> str:
    wrong = wrong_answers(sides[0])
    if not wrong:
        return ""
    others = _by_question(sides[1:])
    rows = []
    for outcome in wrong:
        question = outcome.question
        wanted = _wanted(question)
        given = [_answer(outcome), *(_answer(other[question.id]) for other in others)]
        rows.append([_asked(question), _paragraphs(wanted) or "a refusal", *given])
    labels = [f"answer: {side.label}" for side in sides]
    return "<h2>Wrong answers</h2>" + _table_of_html(["question", "wanted", *labels], rows)


def _by_question(sides: Sequence[Side]) -> list[dict[str, Outcome]]:
    return [{one.question.id: one for one in side.outcomes} for side in sides]


def _asked(question: JudgedQuestion) -> str:
    earlier = "".join(f"<p><small>{escape(text)}</small></p>" for text in question.earlier)
    return f"{earlier}<p>{escape(question.text)}</p><small>{escape(question.id)}</small>"


def _paragraphs(texts: Iterable[str]) -> str:
    return "".join(f"<p>{escape(text)}</p>" for text in texts)


def _wanted(question: JudgedQuestion) -> list[str]:
    if not question.has_answer:
        return []
    return [*([question.answer] if question.answer else []), *map(_place, question.places)]


def _place(place: AnswerPlace) -> str:
    words = f": {place.words}" if place.words else ""
    return f"{place.lines} ({place.side}){words}" if place.side else f"{place.lines}{words}"


def _answer(outcome: Outcome) -> str:
    """Return what the answer is worth, its text, and the places that it cites."""
    answer = outcome.answer
    if answer is None:
        return ""
    text = escape(shorten(answer.text, SHOWN_ANSWER_CHARACTERS))
    lines = (quote.lines for quote in answer.quotes if quote.lines is not None)
    cited = "".join(f'<p class="place">{escape(str(one))}</p>' for one in lines)
    return f'<p><small>{judge(outcome)}</small></p><p class="answer">{text}</p>{cited}'


def _found(outcome: Outcome) -> str:
    parts = [f"<p><small>first relevant: rank {outcome.rank or 'none'}</small></p>"]
    for place, hit in enumerate(outcome.hits[:SHOWN_HITS], 1):
        right = any(outcome.question.relevant.get(name, 0) > 0 for name in hit.names)
        text = shorten(" ".join(hit.text.split()), SHOWN_CHARACTERS)
        parts.append(
            f'<div class="found"><p class="{"right" if right else "wrong"}">{place}.'
            f" {escape(hit.title)} <small>{hit.score:.2f}</small></p>"
            f'<p class="place">{escape(hit.names[-1])}</p><p>{escape(text)}</p></div>'
        )
    return "".join(parts) if outcome.hits else "<p>nothing</p>"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    shown = [[f'<span class="number">{escape(cell)}</span>' for cell in row] for row in rows]
    return _table_of_html(heads, shown)


def _table_of_html(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of cells that are HTML already."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"
