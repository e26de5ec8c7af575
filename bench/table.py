"""Results: the values of each round, the goal, and a Markdown table of both."""

import operator
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

_ORDERS = {">=": operator.ge, "<=": operator.le}


@dataclass(frozen=True, slots=True)
class Goal:
    """A bound that the median of the rounds must keep."""

    order: str
    bound: float
    unit: str = "×"

    def met_by(self, value: float) -> bool:
        """Return whether a value keeps the bound."""
        return bool(_ORDERS[self.order](value, self.bound))

    def __str__(self) -> str:
        return f"{self.order} {self.bound:g}{_gap(self.unit)}"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. `results` has one value for each round."""

    what: str
    results: Sequence[float]
    goal: Goal | None = None
    unit: str = "×"
    ours: str = ""
    theirs: str = ""

    @property
    def median(self) -> float:
        """The value that is held against the goal."""
        return statistics.median(self.results)

    @property
    def verdict(self) -> str:
        """Whether the goal is met."""
        if self.goal is None:
            return ""
        return "yes" if self.goal.met_by(self.median) else "**no**"

    @property
    def spread(self) -> str:
        """The median, and the least and the greatest of the rounds."""
        low, high = min(self.results), max(self.results)
        shown = f"{number(self.median)}{_gap(self.unit)}"
        return shown if low == high else f"{shown} ({number(low)} to {number(high)})"


def markdown(rows: Sequence[Row]) -> str:
    """The rows as a table."""
    lines = ["| what | Sourcebook | peer | result | goal | met |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {row.what} | {row.ours} | {row.theirs} | {row.spread} | {row.goal or ''}"
        f" | {row.verdict} |"
        for row in rows
    ]
    return "\n".join(lines)


def ratios(above: Sequence[float], below: Sequence[float]) -> list[float]:
    """Round by round, so that a busy machine slows both sides of a ratio."""
    return [one / other for one, other in zip(above, below, strict=True)]


def each(values: Sequence[float], unit: str) -> str:
    """The median of what one side did."""
    return f"{number(statistics.median(values))}{_gap(unit)}"


def percentile(values: Sequence[float], share: float) -> float:
    """The value that so large a share of them does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def number(value: float) -> str:
    """Three or four significant digits; more just below one, where agreement is measured."""
    if 0.99 <= value < 1:
        return f"{value:.5f}"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _gap(unit: str) -> str:
    return unit if unit in {"×", ""} else f" {unit}"
