"""Passages: the numbered evidence of an answer, and the place of each in its source."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise

from sourcebook.core.answers import SELECTION_HEADING, SELECTION_TITLE, SELECTION_URL
from sourcebook.core.documents import Extent, Span

_NEWLINE = re.compile(r"\r\n|\r|\n")
# From the last line of a passage to the first of the next one: a blank one may be between.
LINES_BETWEEN = 2


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, the address that leads to it, and from which character of a passage it applies."""

    start: int
    heading: str
    url: str


@dataclass(frozen=True, slots=True)
class Source:
    """Where a passage comes from, in the words of a citation.

    A passage of several sections names each of them in `sections`, in order.
    """

    url: str
    title: str
    heading: str
    file: str | None = None
    chunk_id: str | None = None
    document_id: str | None = None
    collection: str | None = None
    book_id: str | None = None
    sections: tuple[Section, ...] = ()

    def section_at(self, offset: int) -> Section:
        """The section that a character of the passage is in."""
        before = [section for section in self.sections if section.start <= offset]
        return before[-1] if before else Section(0, self.heading, self.url)


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of evidence. The writer cites it by its number; `extent` is its place in the source.

    Its text is what the extent's spans hold, one after another. `similarity` is that of the vectors
    alone, which its score is where only they counted. `kept` is what it says, packed, as it was
    read in its whole document, if that is known.
    """

    number: int
    text: str
    source: Source
    score: float
    extent: Extent | None = None
    similarity: float | None = None
    kept: bytes | None = field(default=None, repr=False, compare=False)

    def sections(self) -> Iterator[tuple[Section, Span]]:
        """Its sections, and where each of them stands; at least one."""
        first = self.source.section_at(0)
        sections = [first, *(one for one in self.source.sections if one.start > 0)]
        starts = [0, *(one.start for one in sections[1:]), len(self.text)]
        for section, (start, end) in zip(sections, pairwise(starts), strict=True):
            yield section, Span(start, end)

    def only(self, wanted: Sequence[bool]) -> "Passage | None":
        """It without the sections that are not wanted; None if that leaves nothing."""
        if all(wanted):
            return self
        starts = [*(one.start for one in self.source.sections), len(self.text)]
        every = zip(self.source.sections, map(Span, starts, starts[1:]), wanted, strict=False)
        kept = [(section, span) for section, span, is_wanted in every if is_wanted]
        places = [place for _, span in kept for place in self.stretch(span)]
        lines = [lines for here, _ in places if (lines := self.lines(here)) is not None]
        if not lines or self.extent is None:
            return None
        texts = [self.text[span.start : span.end] for _, span in kept]
        begins = accumulate(map(len, texts), initial=0)
        sections = (replace(one, start=at) for (one, _), at in zip(kept, begins, strict=False))
        extent = replace(
            self.extent,
            spans=tuple(there for _, there in places),
            first_line=lines[0][0],
            last_line=lines[-1][1],
            overlap=0,
            span_lines=tuple(first for first, _ in lines),
        )
        source = replace(self.source, sections=tuple(sections))
        return replace(self, text="".join(texts), source=source, extent=extent)

    def stretch(self, span: Span) -> Iterator[tuple[Span, Span]]:
        """The parts of a span that stand together in the source: here, and there."""
        begin = 0
        for there in self.extent.spans if self.extent else ():
            end = begin + there.end - there.start
            start, stop = max(span.start, begin), min(span.end, end)
            if start < stop:
                moved = there.start - begin
                yield Span(start, stop), Span(start + moved, stop + moved)
            begin = end

    def lines(self, span: Span) -> tuple[int, int] | None:
        """The first and the last line of a span in the source; None if they are not known."""
        first, last = self._line(span.start), self._line(max(span.start, span.end - 1))
        return None if first is None or last is None else (first, last)

    def goes_on_in(self, other: "Passage") -> bool:
        """Whether another holds what stands directly after this one in their document."""
        if self.extent is None or other.extent is None:
            return False
        begins, ends = other.extent.first_line, other.extent.last_line
        is_next = begins <= self.extent.last_line + LINES_BETWEEN < ends + LINES_BETWEEN
        document = self.source.document_id
        return is_next and document is not None and document == other.source.document_id

    def _line(self, place: int) -> int | None:
        begin = 0
        for number, there in enumerate(self.extent.spans if self.extent else ()):
            end = begin + there.end - there.start
            if place < end:
                line = self._line_of_span(number, begin)
                return None if line is None else line + self._newlines(begin, place, end)
            begin = end
        return None

    def _line_of_span(self, number: int, begin: int) -> int | None:
        """The line that a span of the extent begins on.

        What was left out between two spans may have had lines of its own. Where an earlier release
        made the chunk, they are known of the first span, and of the last, counted from its end.
        """
        extent = self.extent
        if extent is None:
            return None
        if number < len(extent.span_lines):
            return extent.span_lines[number]
        if number == 0:
            return extent.first_line
        if number < len(extent.spans) - 1:
            return None
        return extent.last_line - self._newlines(begin, len(self.text) - 1, len(self.text))

    def _newlines(self, start: int, place: int, end: int) -> int:
        """How many line ends between `start` and `end` are over at a place."""
        return sum(found.end() <= place for found in _NEWLINE.finditer(self.text, start, end))


def by_number(passages: Sequence[Passage]) -> dict[int, Passage]:
    """The passages by the number that a writer cites."""
    return {passage.number: passage for passage in passages}


def renumbered(passages: Iterable[Passage]) -> tuple[Passage, ...]:
    """The passages in this order, numbered from 1."""
    return tuple(replace(one, number=number) for number, one in enumerate(passages, 1))


def selection_evidence(selection: str) -> tuple[Passage, ...]:
    """Make a reader's selection the only evidence."""
    source = Source(SELECTION_URL, SELECTION_TITLE, SELECTION_HEADING)
    return (Passage(1, selection, source, 1.0, whole_extent(selection)),)


def whole_extent(text: str) -> Extent:
    """The place of a passage that is all of its source."""
    return Extent((Span(0, len(text)),), 1, 1 + len(_NEWLINE.findall(text)))
