"""Joins neighbouring parts of a document into chunks that come as near to the target as possible.

All breaks are chosen at once, as a typesetter breaks a paragraph into lines: of all ways to join
the parts, the one with the least sum of squared shortfalls. To fill one chunk after the other
would leave many half empty.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sourcebook.core.documents import Span
from sourcebook.ingestion.chunking.limits import ChunkLimits
from sourcebook.ingestion.chunking.measure import Measure

# Where no section is cut, this share of the overlap will do: about a sentence.
MIN_SHARE_OF_OVERLAP = 1 / 3


@dataclass(frozen=True, slots=True)
class Part:
    """A span that is not divided any further; `continues` if it begins inside a section."""

    span: Span
    continues: bool


def merge(parts: Sequence[Part], measure: Measure, limits: ChunkLimits) -> list[Span]:
    """Return the spans of the chunks, without overlaps; each is within the maximum."""
    costs, begins = [0], []
    for end in range(1, len(parts) + 1):
        choices = _choices(parts, end, measure, limits)
        cost, begin = min((costs[begin] + cost, begin) for begin, cost in choices)
        costs.append(cost)
        begins.append(begin)
    return _spans(parts, begins)


def _choices(
    parts: Sequence[Part], end: int, measure: Measure, limits: ChunkLimits
) -> Iterator[tuple[int, int]]:
    """Yield with which part the chunk before part `end` may begin, and what that costs."""
    stop = parts[end - 1].span.end
    for begin in range(end - 1, -1, -1):
        start = parts[begin].span.start
        alone = begin == end - 1
        if not alone and not measure.fits(start, stop, limits.maximum):
            return
        size = measure.tokens(start, stop)
        if alone or size + _wanted_room(parts, begin, limits) <= limits.maximum:
            yield begin, _cost(size, limits, is_first=begin == 0)


def _wanted_room(parts: Sequence[Part], begin: int, limits: ChunkLimits) -> int:
    """Return how much of a joined chunk must be left for the overlap."""
    if begin == 0:
        return 0
    if parts[begin].continues:
        return limits.overlap
    return int(limits.overlap * MIN_SHARE_OF_OVERLAP)


def _cost(size: int, limits: ChunkLimits, *, is_first: bool) -> int:
    short = max(0, limits.target - size)
    crowded = 0 if is_first else max(0, size + limits.overlap - limits.maximum)
    return short**2 + crowded**2


def _spans(parts: Sequence[Part], begins: Sequence[int]) -> list[Span]:
    spans: list[Span] = []
    end = len(parts)
    while end:
        begin = begins[end - 1]
        spans.append(Span(parts[begin].span.start, parts[end - 1].span.end))
        end = begin
    return spans[::-1]
