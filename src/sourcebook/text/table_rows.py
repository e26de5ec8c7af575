"""Shows a row of a table as a sentence: each cell after the name of its column."""

import re
from collections.abc import Sequence

_MARK = re.compile(r"\\.|`+|\|")


def show_row(names: Sequence[str], values: Sequence[str]) -> str:
    """The cells of a row with the names of their columns; empty ones are left out.

    "Flag", "Default" and "`--jobs`", "4" give "Flag: `--jobs`; Default: 4".
    """
    # A row with other cells than the header has names for none of them.
    names = names if len(names) == len(values) else [""] * len(values)
    shown = [
        f"{name.removesuffix(':')}: {value}" if name else value
        for name, value in zip(names, values, strict=True)
        if value
    ]
    return "; ".join(shown)


def read_cells(row: str) -> tuple[str, ...]:
    """What stands between the pipes; one that is escaped or in code ends no cell."""
    inside = row.strip().removeprefix("|").removesuffix("|")
    cells, begin, ticks = [], 0, ""
    for mark in _MARK.finditer(inside):
        if mark[0] == "|" and not ticks:
            cells.append(_shown(inside[begin : mark.start()]))
            begin = mark.end()
        elif mark[0].startswith("`"):
            ticks = "" if mark[0] == ticks else ticks or _closed(inside, mark)
    return (*cells, _shown(inside[begin:]))


def _closed(text: str, ticks: re.Match[str]) -> str:
    """The ticks that open code, if the same ones close it."""
    return ticks[0] if ticks[0] in text[ticks.end() :] else ""


def _shown(cell: str) -> str:
    return cell.strip().replace("\\|", "|")
