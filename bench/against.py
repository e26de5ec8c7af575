"""`--against`: what fell since an earlier result by more than a fifth."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.table import number

Stored = Mapping[str, Any]
MAX_LOSS = 0.2
# Names no file: of each row its newest result, if there is one of the same kind of CPU.
LAST = "LAST"
_AMX = "amx_bf16 yes"


@dataclass(frozen=True, slots=True)
class Measured:
    """A row of a stored result, and what that says of its run."""

    row: Stored
    about: Mapping[str, str]

    @property
    def has_amx(self) -> bool:
        return _AMX in self.about["CPU flags"]

    @property
    def is_better_lower(self) -> bool | None:
        """By its goal, else by its unit; None where neither tells."""
        unit: str = self.row["unit"]
        if self.row["goal"]:
            return bool(self.row["goal"]["order"] == "<=")
        if unit.endswith("/s"):
            return False
        return True if unit in {"s", "ms", "MB"} else None

    @property
    def ratio(self) -> float | None:
        """Our figure beside the peer's, which the machine changes less than it does a figure."""
        if self.row["unit"] == "×":
            return float(self.row["median"])
        figure = re.compile(rf"([\d.,]+) {re.escape(self.row['unit'])}")
        found = [figure.fullmatch(self.row[side]) for side in ("ours", "theirs")]
        ours, theirs = (float(one[1].replace(",", "")) if one else 0.0 for one in found)
        return ours / theirs if self.row["unit"] and theirs else None


def read_earlier(path: Path, *, has_amx: bool) -> dict[str, Measured]:
    """The rows of a result by their names; of all results in the folder if the path is `LAST`."""
    if path.name != LAST:
        return _rows(path)
    earlier: dict[str, Measured] = {}
    for file in sorted(path.parent.glob("*.json"), key=_date):
        for what, found in _rows(file).items():
            known = earlier.get(what)
            if known is None or found.has_amx == has_amx or known.has_amx != has_amx:
                earlier[what] = found
    return earlier


def report(now: Stored, earlier: Mapping[str, Measured]) -> tuple[str, bool]:
    """What to print, and whether something fell."""
    rows = [Measured(row, now["about"]) for row in now["rows"]]
    both = [(one, earlier[one.row["what"]]) for one in rows if one.row["what"] in earlier]
    fell = [line for one, then in both for line in _fall(one, then)]
    lines = [f"Of {len(rows)} results, {len(both)} were measured before.", *_differences(both)]
    lines += ["Fallen by more than a fifth:", *fell] if fell else ["Nothing fell by a fifth."]
    return "\n".join(lines), bool(fell)


def _rows(path: Path) -> dict[str, Measured]:
    stored = json.loads(path.read_text("utf-8"))
    return {row["what"]: Measured(row, stored["about"]) for row in stored["rows"]}


def _date(path: Path) -> str:
    date: str = json.loads(path.read_text("utf-8"))["about"]["date"]
    return date


def _differences(both: Sequence[tuple[Measured, Measured]]) -> Iterator[str]:
    other_cpu = [then for now, then in both if now.has_amx != then.has_amx]
    if other_cpu:
        here, there = ("no ", "that has it") if other_cpu[0].has_amx else ("", "without")
        yield (
            f"This CPU has {here}AMX, and {len(other_cpu)} of them were measured on one {there}:"
            " that alone can change a figure threefold, and a ratio less."
        )
    for name in ("CPU", "memory", "text", "pages", "rounds"):
        found = [(now.about.get(name, "unknown"), then.about.get(name)) for now, then in both]
        others = sorted({then or "unknown" for now, then in found if now != then})
        if others:
            yield f"Another {name}: now {found[0][0]}; then {' or '.join(others)}."


def _fall(now: Measured, then: Measured) -> Iterator[str]:
    """A line if it fell, whether it is good enough or not."""
    lower = now.is_better_lower
    if lower is None:
        return
    ratios = now.ratio, then.ratio
    if None not in ratios:
        new, old, unit = ratios[0] or 0.0, ratios[1] or 0.0, "×"
    else:
        new, old, unit = now.row["median"], then.row["median"], f" {now.row['unit']}".rstrip()
    loss = new - old if lower else old - new
    if loss > MAX_LOSS * abs(old):
        cpu = "with" if then.has_amx else "without"
        yield (
            f"- {now.row['what']}: {number(new)}{unit}, was {number(old)}{unit}"
            f" ({then.about['date'][:10]}, {cpu} AMX)"
        )
