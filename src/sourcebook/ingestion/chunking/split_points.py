"""Finds where to split an oversized block and where a chunk's overlap begins."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from heapq import merge

from sourcebook.core.documents import Span
from sourcebook.ingestion.chunking.headings import Outline
from sourcebook.ingestion.chunking.limits import ChunkLimits
from sourcebook.ingestion.chunking.measure import Measure
from sourcebook.text.blocks import Block, BlockKind
from sourcebook.text.sentence_ends import sentence_starts
from sourcebook.text.spans import skip_blank_lines, trim_end

_LINE_BOUNDARY = re.compile(r"(?:\r\n|\r|\n)+")
# The beginning of a line that does not look like the rest of a sentence.
_NEW_LINE = re.compile(r"(?<![\r\n])(?:\r\n|\r|\n)++(?=[ \t>]*+(?P<first>[^\s>]))")
_SPACE = re.compile(r"\s+")
_FENCES = ("```", "~~~")
_ZERO_WIDTH_JOINER = "\u200d"
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_MAX_CLUSTER = 32
_LOOK_BACK = 64
# So far back the beginning of a sentence is looked for.
_MAX_SENTENCE = 2_000


def split_block(
    text: str, block: Block, tokens: int, measure: Measure
) -> tuple[Block, Block | None]:
    """Split off a first part of at most `tokens` tokens; returns it and the rest."""
    reach = measure.reach(block.start, block.end, tokens)
    cut = block.end if reach >= block.end else _best_cut(text, block, reach)
    head = replace(block, end=trim_end(text, block.start, cut), children=())
    rest = skip_blank_lines(text, cut, block.end)
    return head, replace(block, start=rest, children=()) if rest < block.end else None


class Overlaps:
    """Finds overlaps that begin where a sentence or a block begins.

    One begins inside code or a table only if no text follows it, holds the end of a fence only with
    its beginning, and is never a heading alone. `starts` are where blocks begin, in order.
    """

    def __init__(
        self,
        text: str,
        starts: Sequence[int],
        solid: Sequence[Span],
        outline: Outline,
        measure: Measure,
        *,
        limits: ChunkLimits,
    ) -> None:
        self._text = text
        self._starts = starts
        self._solid = solid
        self._solid_starts = [span.start for span in solid]
        self._outline = outline
        self._measure = measure
        self._limits = limits

    def start(self, previous: Span, chunk: Span) -> int:
        """Return where the chunk starts with its overlap; its own start if there is no overlap."""
        left = self._limits.maximum - self._measure.tokens(chunk.start, chunk.end)
        start = self._first_start(previous, min(self._limits.overlap, left))
        if start >= previous.end:
            start = self._last_start(previous, min(self._limits.longest_overlap, left))
        if start >= previous.end:
            start = self._first_line(previous, min(self._limits.overlap, left))
        if start >= previous.end or not self._text[start : previous.end].strip():
            return chunk.start
        fits = self._measure.fits(start, chunk.end, self._limits.maximum)
        return start if fits else chunk.start

    def _first_start(self, previous: Span, tokens: int) -> int:
        """Return where the first sentence or block within so many tokens begins."""
        if tokens <= 0:
            return previous.end
        low, end = previous.start, previous.end
        earliest = max(low, self._measure.reach_back(end, tokens))
        if earliest == low:
            start = skip_blank_lines(self._text, low, end)
        else:
            start = next(self._starts_between(earliest, previous), end)
        solid = self._solid_around(min(start, end - 1))
        if solid is not None:
            start = skip_blank_lines(self._text, min(solid.end, end), end)
        if solid is not None and start >= end and not self._closes_fence(solid, end):
            start = self._line_start(_LINE_BOUNDARY, low, earliest, end)
        return self._after_heading(start, end)

    def _last_start(self, previous: Span, tokens: int) -> int:
        """Return where the last sentence, block or fence begins, if it has no more tokens."""
        if tokens <= 0:
            return previous.end
        earliest = max(previous.start, self._measure.reach_back(previous.end, tokens))
        starts = [*self._starts_between(earliest, previous)]
        if not starts:
            return previous.end
        solid = self._solid_around(starts[-1])
        if solid is not None and self._closes_fence(solid, previous.end):
            return solid.start if solid.start >= earliest else previous.end
        return self._after_heading(starts[-1], previous.end)

    def _first_line(self, previous: Span, tokens: int) -> int:
        """Return where a line begins that does not look like the rest of a sentence."""
        if tokens <= 0:
            return previous.end
        low, end = previous.start, previous.end
        earliest = max(low, self._measure.reach_back(end, tokens))
        start = self._line_start(_NEW_LINE, low, earliest, end)
        if self._solid_around(start) is not None:
            return end
        return self._after_heading(start, end)

    def _starts_between(self, earliest: int, previous: Span) -> Iterator[int]:
        """Yield where sentences and blocks begin, from `earliest` on, in order."""
        first = bisect_left(self._starts, earliest)
        block = self._starts[first - 1] if first else 0
        begin = max(previous.start, block, earliest - _MAX_SENTENCE)
        blocks = [
            start
            for start in self._starts[first : bisect_left(self._starts, previous.end)]
            if start >= previous.start
        ]
        sentences = sentence_starts(self._text, begin, previous.end)
        inside = (start for start in sentences if start >= earliest)
        yield from dict.fromkeys(merge(blocks, inside))

    def _closes_fence(self, solid: Span, end: int) -> bool:
        """Return whether the last line is the end of a fence: alone, it would open one."""
        return solid.end <= end and self._text.endswith(_FENCES, solid.start, solid.end)

    def _solid_around(self, offset: int) -> Span | None:
        """Return the code or the table that the offset is in the middle of."""
        index = bisect_left(self._solid_starts, offset) - 1
        if index < 0 or offset >= self._solid[index].end:
            return None
        return self._solid[index]

    def _line_start(self, pattern: re.Pattern[str], low: int, earliest: int, end: int) -> int:
        for found in pattern.finditer(self._text, max(low, earliest - _LOOK_BACK), end):
            small = "first" in found.groupdict() and found["first"].islower()
            if found.end() >= earliest and not small:
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


def _best_cut(text: str, block: Block, reach: int) -> int:
    """Return where to split: prose at a sentence, code and tables at a line, if there is one."""
    start = block.start
    sentences = [*sentence_starts(text, start, reach)]
    lines = _ends(_LINE_BOUNDARY, text, start, reach)
    is_prose = block.kind is BlockKind.TEXT and not text.startswith("<", start)
    orders = (sentences, lines) if is_prose else (lines, sentences)
    spaces = _ends(_SPACE, text, start, reach)
    # Near the end if possible: a short line before a long one would make a chunk of its own.
    for low in ((start + reach) // 2, start):
        for cuts in (*orders, spaces):
            if cuts and cuts[-1] > max(start, low - 1):
                return cuts[-1]
    return _between_clusters(text, start, reach)


def _ends(pattern: re.Pattern[str], text: str, start: int, reach: int) -> list[int]:
    return [found.end() for found in pattern.finditer(text, start, reach)]


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
