"""Finds where to split an oversized block and where a chunk's overlap begins."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from sourcebook.core.documents import Span
from sourcebook.ingestion.chunking.blocks import Block
from sourcebook.ingestion.chunking.headings import Outline
from sourcebook.ingestion.chunking.limits import ChunkLimits
from sourcebook.ingestion.chunking.spans import Measure, skip_blank_lines, trim_end

_LINE = r"(?:\r\n|\r|\n)+"
_SENTENCE = r"[.!?…][\"'”’)\]*_]*\s+|[。！？]"  # noqa: RUF001, RUF100
_BOUNDARY = re.compile(f"{_LINE}|{_SENTENCE}")
_LINE_BOUNDARY = re.compile(_LINE)
_FENCES = ("```", "~~~")
_BOUNDARIES = (_LINE_BOUNDARY, re.compile(_SENTENCE), re.compile(r"\s+"))
_ZERO_WIDTH_JOINER = "\u200d"
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_MAX_CLUSTER = 32
_LOOK_BACK = 64


def split_block(
    text: str, block: Block, tokens: int, measure: Measure
) -> tuple[Block, Block | None]:
    """Split off a first part of at most `tokens` tokens; returns it and the rest."""
    reach = measure.reach(block.start, block.end, tokens)
    cut = block.end if reach >= block.end else _best_cut(text, block.start, reach)
    head = replace(block, end=trim_end(text, block.start, cut), children=())
    rest = skip_blank_lines(text, cut, block.end)
    return head, replace(block, start=rest, children=()) if rest < block.end else None


class Overlaps:
    """Finds overlaps of whole lines or sentences.

    One begins inside code or a table only if no text follows it, holds the end of a fence only with
    its beginning, and is never a heading alone.
    """

    def __init__(
        self,
        text: str,
        solid: Sequence[Span],
        outline: Outline,
        measure: Measure,
        limits: ChunkLimits,
    ) -> None:
        self._text = text
        self._solid = solid
        self._solid_starts = [span.start for span in solid]
        self._outline = outline
        self._measure = measure
        self._limits = limits

    def start(self, previous: Span, chunk: Span) -> int:
        """Return where the chunk starts with its overlap; its own start if there is no overlap."""
        left = self._limits.maximum - self._measure.tokens(chunk.start, chunk.end)
        start = self._lines_start(previous, min(self._limits.overlap, left))
        if start >= previous.end:
            start = self._last_block_start(previous, min(self._limits.longest_overlap, left))
        if start >= previous.end or not self._text[start : previous.end].strip():
            return chunk.start
        fits = self._measure.fits(start, chunk.end, self._limits.maximum)
        return start if fits else chunk.start

    def _lines_start(self, previous: Span, tokens: int) -> int:
        """Return where the last lines and sentences of so many tokens begin."""
        if tokens <= 0:
            return previous.end
        low, end = previous.start, previous.end
        earliest = max(low, self._measure.reach_back(end, tokens))
        start = self._boundary(_BOUNDARY, low, earliest, end)
        solid = self._solid_around(start)
        if solid is not None:
            start = skip_blank_lines(self._text, min(solid.end, end), end)
        if solid is not None and start >= end and not self._closes_fence(solid, end):
            start = self._boundary(_LINE_BOUNDARY, low, earliest, end)
        return self._after_heading(start, end)

    def _last_block_start(self, previous: Span, tokens: int) -> int:
        """Return where the last sentence, line or fence begins, if it has no more tokens."""
        if tokens <= 0:
            return previous.end
        earliest = max(previous.start, self._measure.reach_back(previous.end, tokens))
        found = _BOUNDARY.finditer(self._text, earliest, previous.end)
        starts = [each.end() for each in found if each.end() < previous.end]
        if not starts:
            return previous.end
        solid = self._solid_around(starts[-1])
        if solid is not None and self._closes_fence(solid, previous.end):
            return solid.start if solid.start >= earliest else previous.end
        return self._after_heading(starts[-1], previous.end)

    def _closes_fence(self, solid: Span, end: int) -> bool:
        """Return whether the last line is the end of a fence: alone, it would open one."""
        return solid.end <= end and self._text.endswith(_FENCES, solid.start, solid.end)

    def _solid_around(self, offset: int) -> Span | None:
        """Return the code or the table that the offset is in the middle of."""
        index = bisect_left(self._solid_starts, offset) - 1
        if index < 0 or offset >= self._solid[index].end:
            return None
        return self._solid[index]

    def _boundary(self, pattern: re.Pattern[str], low: int, earliest: int, end: int) -> int:
        if earliest >= end:
            return end
        if earliest == low:
            return skip_blank_lines(self._text, low, end)
        for found in pattern.finditer(self._text, max(low, earliest - _LOOK_BACK), end):
            if found.end() >= earliest:
                return skip_blank_lines(self._text, found.end(), end)
        return end

    def _after_heading(self, start: int, end: int) -> int:
        """Skip half a heading, and headings that have no text after them."""
        heading = self._outline.heading_at(start)
        if heading is not None and heading.start < start:
            start = skip_blank_lines(self._text, heading.end, end)
        position = start
        while position < end and (heading := self._outline.heading_at(position)):
            position = skip_blank_lines(self._text, heading.end, end)
        return start if position < end else end


def _best_cut(text: str, start: int, reach: int) -> int:
    # Near the end if possible: a short line before a long one would make a chunk of its own.
    for low in ((start + reach) // 2, start):
        for boundary in _BOUNDARIES:
            cuts = [found.end() for found in boundary.finditer(text, low, reach)]
            if cuts and cuts[-1] > start:
                return cuts[-1]
    return _between_clusters(text, start, reach)


def _between_clusters(text: str, start: int, reach: int) -> int:
    """Do not split a letter from its accent, nor an emoji of several characters."""
    for cut in range(reach, max(start, reach - _MAX_CLUSTER), -1):
        if not _continues(text[cut]) and text[cut - 1] != _ZERO_WIDTH_JOINER:
            return cut
    return reach


def _continues(char: str) -> bool:
    return (
        char == _ZERO_WIDTH_JOINER
        or unicodedata.category(char)[0] == "M"
        or ord(char) in _SKIN_TONES
    )
