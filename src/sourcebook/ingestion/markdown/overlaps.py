"""Where a chunk begins to repeat the end of the one before."""

from bisect import bisect_left
from collections.abc import Sequence

from sourcebook.core.documents import Span
from sourcebook.ingestion.markdown.budget import Budget
from sourcebook.ingestion.markdown.lines import skip_blank_lines
from sourcebook.ingestion.markdown.measure import Measure
from sourcebook.ingestion.markdown.outline import Outline
from sourcebook.ingestion.markdown.tearing import BOUNDARY

_LOOK_BACK = 64


class Overlaps:
    """Finds overlaps: whole lines or sentences, no code, no table, no heading without text."""

    def __init__(
        self,
        text: str,
        solid: Sequence[Span],
        outline: Outline,
        measure: Measure,
        budget: Budget,
    ) -> None:
        self._text = text
        self._solid = solid
        self._solid_starts = [span.start for span in solid]
        self._outline = outline
        self._measure = measure
        self._budget = budget

    def start(self, previous: Span, chunk: Span) -> int:
        """Where the chunk begins with its overlap; its own start if there is none."""
        left = self._budget.limit - self._measure.tokens(chunk.start, chunk.end)
        room = min(self._budget.overlap, left)
        if room <= 0:
            return chunk.start
        low = self._end_of_solid(previous)
        earliest = max(low, self._measure.reach_back(previous.end, room))
        start = self._after_heading(self._boundary(low, earliest, previous.end), previous.end)
        if start >= previous.end or not self._text[start : previous.end].strip():
            return chunk.start
        fits = self._measure.fits(start, chunk.end, self._budget.limit)
        return start if fits else chunk.start

    def _end_of_solid(self, span: Span) -> int:
        index = bisect_left(self._solid_starts, span.end) - 1
        return max(span.start, self._solid[index].end) if index >= 0 else span.start

    def _boundary(self, low: int, earliest: int, end: int) -> int:
        if earliest >= end:
            return end
        if earliest == low:
            return skip_blank_lines(self._text, low, end)
        for found in BOUNDARY.finditer(self._text, max(low, earliest - _LOOK_BACK), end):
            if found.end() >= earliest:
                return skip_blank_lines(self._text, found.end(), end)
        return end

    def _after_heading(self, start: int, end: int) -> int:
        """Past half a heading, and past headings that have no text after them."""
        heading = self._outline.heading_at(start)
        if heading is not None and heading.start < start:
            start = skip_blank_lines(self._text, heading.end, end)
        position = start
        while position < end and (heading := self._outline.heading_at(position)):
            position = skip_blank_lines(self._text, heading.end, end)
        return start if position < end else end
