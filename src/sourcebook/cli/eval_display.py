"""Shows an evaluation: its progress, its tables, and what falls short of a threshold."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from sourcebook.cli.terminal import counted, err, out, strip_controls
from sourcebook.evaluation.answers import Share
from sourcebook.evaluation.confidence import Estimate
from sourcebook.evaluation.metrics import METRICS
from sourcebook.evaluation.report import ANSWER_METRICS, Report, Side, answer_shares, tuned_on


@contextmanager
def counting(what: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """Yield a function that shows how many are done: a bar on a terminal, nothing elsewhere."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, TimeElapsedColumn(), console=err, transient=True, disable=not err.is_terminal
    ) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)


def show_report(report: Report, console: Console = out) -> None:
    """Print the figures as one table, then what a reader should know about them."""
    sides = [side for side in (report.side, report.against) if side is not None]
    table = Table(box=None, pad_edge=False)
    table.add_column(strip_controls(report.name), overflow="fold")
    for side in sides:
        table.add_column(strip_controls(side.label), overflow="fold")
    if report.differences:
        table.add_column("difference", no_wrap=True)
        table.add_column("p", no_wrap=True)
    for row in (*_metric_rows(report, sides), *_time_rows(sides), *_answer_rows(sides)):
        table.add_row(*row)
    console.print(table)
    for remark in remarks_on(report.side):
        err.print(remark)


def remarks_on(side: Side) -> Iterator[str]:
    """Say what was left out, and what is probably a mistake in the set."""
    if remark := tuned_on(side):
        yield remark
    left_out = len(side.outcomes) - len(side.measured)
    if left_out:
        yield f"{counted(left_out, 'question')} without a relevant document: not in these metrics"
    measured = side.measured
    if len(measured) > 1 and all(one.rank is None for one in measured):
        wanted = next(id_ for id_, grade in measured[0].question.relevant.items() if grade > 0)
        found = next((hit.names for one in measured for hit in one.hits), ())
        yield (
            f"No relevant document was found for any question. Does the set use other names? It"
            f" wants {strip_controls(wanted)!r}; a hit is known as {', '.join(map(repr, found))}"
            if found
            else "No search found anything: is the right book or collection indexed there?"
        )


def show_shortfalls(report: Report, thresholds: Sequence[tuple[str, float]]) -> bool:
    """Print each threshold that is not reached; return whether there is one."""
    values = report.values()
    short = [
        (name, values[name], bound)
        for name, bound in thresholds
        if (value := values[name]) is None or value < bound
    ]
    for name, value, bound in short:
        shown = "not measured" if value is None else f"{value:.4f}"
        err.print(f"Below the threshold: {name} is {shown}, and must be {bound:g} at least")
    return bool(short)


def _metric_rows(report: Report, sides: Sequence[Side]) -> Iterator[list[str]]:
    """Yield each metric of each group; what was compared is of all questions together."""
    differences = report.differences or {}
    for place, group in enumerate(report.side.groups):
        yield [f"{group.name}: {counted(group.count, 'question')}"]
        for name, label in METRICS.items():
            found = [side.groups[place].metrics[name] for side in sides]
            if not differences:
                yield [f"  {label}", *map(_figure, found)]
                continue
            # Of two sides, the interval of their difference is what counts.
            row = [f"  {label}", *(f"{one.value:.3f}" for one in found)]
            one = differences[name]
            yield row if place else [*row, _figure(one.gain, sign="+"), f"{one.p_value:.3f}"]


def _time_rows(sides: Sequence[Side]) -> Iterator[list[str]]:
    yield ["search p50", *(f"{side.p50_ms:.1f} ms" for side in sides)]
    yield ["search p95", *(f"{side.p95_ms:.1f} ms" for side in sides)]


def _answer_rows(sides: Sequence[Side]) -> Iterator[list[str]]:
    shares = [answer_shares(side) for side in sides]
    for name, label in ANSWER_METRICS.items():
        if all(name in one for one in shares):
            yield [label, *(_share(one[name]) for one in shares)]


def _figure(found: Estimate, sign: str = "") -> str:
    return f"{found.value:{sign}.3f} ({found.low:{sign}.3f} to {found.high:{sign}.3f})"


def _share(found: Share) -> str:
    value = "" if found.value is None else f"{found.value:.3f} "
    return f"{value}({found.count}/{found.total})"
