"""Measures spans of a source in tokens and characters."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

from sourcebook.core.documents import Span
from sourcebook.ingestion.chunking.limits import MAX_CHUNK_CHARACTERS


class Measure:
    """Measures spans of a source, without its exclusions, in tokens and characters.

    It bisects the token offsets, which never decrease. A token that is split in two counts on
    both sides, so that a part is never larger than measured.
    """

    def __init__(self, tokens: Sequence[tuple[int, int]], exclusions: Sequence[Span]) -> None:
        self._starts = [start for start, _ in tokens]
        self._ends = [end for _, end in tokens]
        self._exclusions = exclusions
        self._exclusion_ends = [span.end for span in exclusions]
        inside = (max(0, self._wholly_inside(span)) for span in exclusions)
        self._tokens_excluded = [0, *accumulate(inside)]
        lengths = (span.end - span.start for span in exclusions)
        self._characters_excluded = [0, *accumulate(lengths)]

    def tokens(self, start: int, end: int) -> int:
        """Return how many tokens a chunk of this span would have."""
        start, end = self._out_of_exclusion(start), self._out_of_exclusion(end)
        touched = bisect_left(self._starts, end) - bisect_right(self._ends, start)
        first, last = self._exclusions_between(start, end)
        return max(0, touched - (self._tokens_excluded[last] - self._tokens_excluded[first]))

    def characters(self, start: int, end: int) -> int:
        """Return how many characters a chunk of this span would have."""
        start, end = self._out_of_exclusion(start), self._out_of_exclusion(end)
        first, last = self._exclusions_between(start, end)
        excluded = self._characters_excluded[last] - self._characters_excluded[first]
        return end - start - excluded

    def fits(self, start: int, end: int, tokens: int) -> bool:
        """Return whether the span fits into a chunk of that many tokens."""
        return (
            self.characters(start, end) <= MAX_CHUNK_CHARACTERS
            and self.tokens(start, end) <= tokens
        )

    def reach(self, start: int, end: int, tokens: int) -> int:
        """Return how far that many tokens reach from `start`: at least one character."""
        index = bisect_right(self._ends, start) + tokens
        reached = self._starts[index] if index < len(self._starts) else end
        reached = max(min(reached, start + MAX_CHUNK_CHARACTERS, end), start + 1)
        return min(end, self._out_of_exclusion(reached))

    def reach_back(self, end: int, tokens: int) -> int:
        """Return the offset where the last `tokens` tokens before `end` begin."""
        index = bisect_left(self._starts, end) - tokens
        return self._starts[index] if index > 0 else 0

    def _wholly_inside(self, span: Span) -> int:
        return bisect_right(self._ends, span.end) - bisect_left(self._starts, span.start)

    def _exclusions_between(self, start: int, end: int) -> tuple[int, int]:
        return bisect_right(self._exclusion_ends, start), bisect_right(self._exclusion_ends, end)

    def _out_of_exclusion(self, offset: int) -> int:
        index = bisect_right(self._exclusion_ends, offset)
        if index < len(self._exclusions) and self._exclusions[index].start < offset:
            return self._exclusions[index].end
        return offset
