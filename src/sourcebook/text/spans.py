"""Spans of a text: lines, unions, differences, and what is left without white space."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from sourcebook.core.documents import Span

_NEWLINE = re.compile(r"\r\n|\r|\n")
_VISIBLE = re.compile(r"[^\r\n]")
_SPACE = re.compile(r"\s*+")
_MAX_INDENT = 200


class Lines:
    """The line starts of a text; lines end with LF, CRLF or CR and nothing else, as in Markdown."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(newline.end() for newline in _NEWLINE.finditer(text))]
        self._length = len(text)

    def __len__(self) -> int:
        return len(self._starts)

    def start(self, index: int) -> int:
        """Return the offset of line `index`, from 0; after the last line, the end of the text."""
        return self._starts[index] if index < len(self._starts) else self._length

    def number(self, offset: int) -> int:
        """Return the line of the character at the offset, counted from 1."""
        return bisect_right(self._starts, offset)


def subtract(span: Span, holes: Sequence[Span]) -> tuple[Span, ...]:
    """Return what is left of a span without the holes, which are sorted and do not overlap."""
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
    """Return the same characters in as few spans as possible, in order."""
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
    """Return the joined text of the spans."""
    return "".join(source[span.start : span.end] for span in spans)


def blank_out(source: str, spans: Iterable[Span]) -> str:
    """Replace the spans by spaces, except for line breaks."""
    parts, position = [], 0
    for span in spans:
        parts += [source[position : span.start], _VISIBLE.sub(" ", source[span.start : span.end])]
        position = span.end
    return "".join([*parts, source[position:]])


def skip_blank_lines(text: str, position: int, end: int) -> int:
    """Return the start of the first line that is not blank, or the position if it is in that line.

    Of an extremely long indentation only the last characters are kept.
    """
    space = _SPACE.match(text, position, end)
    content = space.end() if space else position
    newline = max(text.rfind(each, position, content) for each in "\r\n")
    return max(position, newline + 1, content - _MAX_INDENT) if content < end else end


def trim_end(text: str, start: int, end: int) -> int:
    """Return the end without trailing white space."""
    return start + len(text[start:end].rstrip())
