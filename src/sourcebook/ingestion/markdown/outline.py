"""The headings of a document, and which of them a stretch of its text stands under."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from sourcebook.core.documents import Span
from sourcebook.ingestion.markdown.anchors import Slugger, anchor_in_comment, plain_title
from sourcebook.ingestion.markdown.blocks import Block, Kind, walk
from sourcebook.ingestion.markdown.measure import Measure

# Sections begin at headings of levels 1 and 2; deeper ones only part a long section.
SECTION_LEVEL = 2


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading in plain text; the title of the document has no anchor."""

    start: int
    end: int
    level: int
    title: str
    anchor: str | None


Trail: TypeAlias = tuple[Heading, ...]


class Outline:
    """The headings that part the text, in order, each with those it stands under."""

    def __init__(self, headings: Sequence[Heading]) -> None:
        self.headings = headings
        self._starts = [heading.start for heading in headings]
        self._trails = _trails(headings)

    @property
    def title(self) -> str | None:
        """The first heading of level 1."""
        return next((each.title for each in self.headings if each.level == 1), None) or None

    def trail(self, span: Span, measure: Measure) -> Trail:
        """The headings that all of the span stands under.

        If the span has parts of several sections, the part with the most tokens decides, the
        first one of equals.
        """
        between = self.headings[self._after(span.start) : bisect_left(self._starts, span.end)]
        sections = [each.start for each in between if each.level <= SECTION_LEVEL]
        bounds = pairwise([span.start, *sections, span.end])
        parts = [Span(start, end) for start, end in bounds]
        largest = max(parts, key=lambda part: measure.tokens(part.start, part.end))
        return self._shared(largest)

    def heading_at(self, offset: int) -> Heading | None:
        """The heading that the character at the offset is in."""
        index = self._after(offset) - 1
        if index < 0 or offset >= self.headings[index].end:
            return None
        return self.headings[index]

    def _after(self, offset: int) -> int:
        return bisect_right(self._starts, offset)

    def _shared(self, span: Span) -> Trail:
        first = self._after(span.start) - 1
        if first < 0:
            return ()
        shared = self._trails[first]
        for trail in self._trails[first + 1 : bisect_left(self._starts, span.end)]:
            same = [one is other for one, other in zip(shared, trail, strict=False)]
            shared = shared[: len(same) if all(same) else same.index(False)]
        return shared


def read_outline(source: str, blocks: tuple[Block, ...]) -> Outline:
    """The outline of the top-level blocks of a source."""
    parting = {block.start for block in blocks if block.kind is Kind.HEADING}
    slugger = Slugger()
    headings: list[Heading] = []
    has_title = False
    for block in walk(blocks):
        if block.kind is not Kind.HEADING:
            continue
        # Docusaurus numbers repeated anchors over all headings, also those in quotations.
        anchor = anchor_in_comment(source, block.end) or slugger.anchor(block.title)
        if block.start not in parting:
            continue
        is_title = block.level == 1 and not has_title
        has_title = has_title or is_title
        headings.append(
            Heading(
                start=block.start,
                end=block.end,
                level=block.level,
                title=plain_title(block.title),
                anchor=None if is_title else anchor,
            )
        )
    return Outline(headings)


def _trails(headings: Sequence[Heading]) -> list[Trail]:
    trails: list[Trail] = []
    open_: Trail = ()
    for heading in headings:
        open_ = tuple(each for each in open_ if each.level < heading.level)
        if heading.title:
            open_ = (*open_, heading)
        trails.append(open_)
    return trails
