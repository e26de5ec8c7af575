"""Stretches of a source, by character offsets."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sourcebook.core.documents import Span

_VISIBLE = re.compile(r"[^\r\n]")


@dataclass(frozen=True, slots=True)
class Scan:
    """How far was read, and whether what was sought ends there."""

    reached: int
    found: bool


def subtract(span: Span, holes: Sequence[Span]) -> tuple[Span, ...]:
    """What is left of a span without the holes, which are in order and do not overlap."""
    left = []
    position = span.start
    first = bisect_right(holes, span.start, key=lambda hole: hole.end)
    for index in range(first, len(holes)):
        hole = holes[index]
        if hole.start >= span.end:
            break
        if hole.start > position:
            left.append(Span(position, hole.start))
        position = hole.end
    if position < span.end:
        left.append(Span(position, span.end))
    return tuple(left)


def union(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The same characters in as few spans as possible, in order."""
    joined: list[Span] = []
    for span in sorted(spans, key=lambda each: each.start):
        if span.start >= span.end:
            continue
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(span.end, joined[-1].end))
        else:
            joined.append(span)
    return tuple(joined)


def cut_out(source: str, spans: Iterable[Span]) -> str:
    """The text of the spans, one after the other."""
    return "".join(source[span.start : span.end] for span in spans)


def blank_out(source: str, spans: Iterable[Span]) -> str:
    """The source with spaces in place of the spans; line breaks stay."""
    parts, position = [], 0
    for span in spans:
        parts += [source[position : span.start], _VISIBLE.sub(" ", source[span.start : span.end])]
        position = span.end
    return "".join([*parts, source[position:]])
