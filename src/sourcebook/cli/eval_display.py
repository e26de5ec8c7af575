"""Shows an evaluation: its progress, its tables, and what falls short of a threshold."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from sourcebook.cli.terminal import counted, err, out, strip_controls
from sourcebook.evaluation.metrics import METRICS
from sourcebook.evaluation.report import ANSWER_METRICS, Report, Side, answer_shares


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
    """Print the tables, then what a reader should know about them."""
    sides = [side for side in (report.side, report.against) if side is not None]
    console.print(_metric_table(report, sides))
    if report.differences:
        console.print(_difference_table(report))
    if any(side.answers is not None for side in sides):
        console.print(_answer_table(sides))
    for remark in remarks_on(report.side):
        err.print(remark)


def remarks_on(side: Side) -> Iterator[str]:
    """Say what was left out, and what is probably a mistake in the set."""
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


def _metric_table(report: Report, sides: Sequence[Side]) -> Table:
    table = Table(title=strip_controls(report.name), title_justify="left")
    table.add_column("")
    table.add_column("questions", justify="right")
    for label in METRICS.values():
        table.add_column(label)
    table.add_column("p50 / p95 ms", justify="right")
    for side in sides:
        times = f"{side.p50_ms:.1f} / {side.p95_ms:.1f}"
        for place, group in enumerate(side.groups):
            name = strip_controls(side.label) if place == 0 else f"  {group.name}"
            figures = [f"{e.value:.3f} ±{(e.high - e.low) / 2:.3f}" for e in group.metrics.values()]
            table.add_row(name, str(group.count), *figures, "" if place else times)
        if not side.groups:
            table.add_row(strip_controls(side.label), "0", *("" for _ in METRICS), times)
    return table


def _difference_table(report: Report) -> Table:
    table = Table(title="Difference, first less second", title_justify="left")
    for heading in ("metric", "difference", "95 % interval", "p"):
        table.add_column(heading)
    for name, one in (report.differences or {}).items():
        gain = one.gain
        interval = f"{gain.low:+.3f} to {gain.high:+.3f}"
        table.add_row(METRICS[name], f"{gain.value:+.3f}", interval, f"{one.p_value:.4f}")
    return table


def _answer_table(sides: Sequence[Side]) -> Table:
    table = Table(title="Answers", title_justify="left")
    for heading in ("", "metric", "questions", "share"):
        table.add_column(heading)
    for side in sides:
        for name, share in answer_shares(side).items():
            value = "–" if share.value is None else f"{share.value:.3f}"
            questions = f"{share.count} of {share.total}"
            table.add_row(strip_controls(side.label), ANSWER_METRICS[name], questions, value)
    return table
