"""Finds the block a statement stands in: a paragraph, a list with its leader, a table, code."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sourcebook.answering.segments import Segment
from sourcebook.core.documents import Span

Family: TypeAlias = Literal["list", "table", "code", "paragraph", "alone"]

_BULLET = re.compile(r"[ \t>]*+(?P<bullet>(?:[-*+]|\d{1,9}[.)])[ \t]++(?:\[[ xX]\][ \t]++)?)")
_FAMILIES: dict[str, Family] = {
    "item": "list",
    "row": "table",
    "header": "table",
    "code": "code",
    "prose": "paragraph",
}


@dataclass(slots=True)
class _Run:
    """Neighbouring segments of one block: those from `first` to before `after`."""

    family: Family
    first: int
    after: int
    span: Span

    def add(self, segment: Segment) -> None:
        self.after += 1
        start, end = min(self.span.start, segment.start), max(self.span.end, segment.end)
        self.span = Span(start, end)


def block_spans(segments: Sequence[Segment], text: str) -> list[Span]:
    """The span of the block that each segment is part of, in the order of the segments.

    A sentence before code is of the code's block, and one that ends with a colon of the list or the
    table after it.
    """
    runs = [*_runs(segments, text)]
    spans = [run.span for run in runs]
    for place in range(len(runs) - 1, 0, -1):
        before, run = runs[place - 1], runs[place]
        leads = _ends_with_colon(text, segments[before.after - 1])
        if before.family != "paragraph" or run.family in {"paragraph", "alone"}:
            continue
        if leads or run.family == "code":
            spans[place] = Span(before.span.start, run.span.end)
        if leads:
            spans[place - 1] = spans[place]
    counts = (run.after - run.first for run in runs)
    return [span for span, count in zip(spans, counts, strict=True) for _ in range(count)]


def _runs(segments: Sequence[Segment], text: str) -> Iterator[_Run]:
    run: _Run | None = None
    for number, segment in enumerate(segments):
        if run is not None and _belongs(run, segments[run.after - 1], segment, text):
            run.add(segment)
            continue
        if run is not None:
            yield run
        family = "list" if segment.in_item else _FAMILIES.get(segment.kind, "alone")
        start = _with_bullet(text, segment.start) if family == "list" else segment.start
        run = _Run(family, number, number + 1, Span(start, segment.end))
    if run is not None:
        yield run


def _belongs(run: _Run, last: Segment, segment: Segment, text: str) -> bool:
    """Whether a segment is of the same block as those before it."""
    match run.family:
        case "list":
            is_inside = segment.kind in {"code", "header", "row"} and _has_margin(text, segment)
            return segment.kind == "item" or segment.in_item or is_inside
        case "table":
            is_other = segment.kind == "header" and last.kind == "row" and len(segment.cells) != 1
            return _FAMILIES.get(segment.kind) == "table" and not is_other
        case "paragraph":
            return segment.paragraph is not None and segment.paragraph == last.paragraph
        case _:
            return False


def _with_bullet(text: str, start: int) -> int:
    found = _BULLET.fullmatch(text, _line_start(text, start), start)
    return found.start("bullet") if found else start


def _has_margin(text: str, segment: Segment) -> bool:
    return text[_line_start(text, segment.start)] in {" ", "\t"}


def _line_start(text: str, at: int) -> int:
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def _ends_with_colon(text: str, segment: Segment) -> bool:
    return text[segment.start : segment.end].rstrip("*_ ").endswith((":", "："))
